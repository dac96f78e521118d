package dev.sallyport.prompt;

import org.jspecify.annotations.Nullable;

/**
 * What a system prompt says about where the agent is.
 *
 * @param branch null outside a repository, empty for a detached head
 * @param isolatedFrom the directory that this one is a private copy of, null if it is none
 */
public record Environment(
        String directory, @Nullable String branch, @Nullable String isolatedFrom) {

    private static final String PLATFORM = "linux";

    String block() {
        String repository = branch == null ? "Not a git repository" : "Git repository: yes\nBranch: " + branch;
        return "# Environment\nWorking directory: %s\n%s\nPlatform: %s".formatted(directory, repository, PLATFORM);
    }
}
