package dev.sallyport.prompt;

import org.jspecify.annotations.Nullable;

/**
 * What a system prompt says about where the agent is.
 *
 * @param branch null outside a repository, empty for a detached head
 * @param isolatedFrom the directory that this one is a private copy of, null if it is none
 * @param platform as Node.js names it
 */
public record Environment(
        String directory, @Nullable String branch, @Nullable String isolatedFrom, String platform) {

    /** In a container of ours. */
    public Environment(String directory, @Nullable String branch, @Nullable String isolatedFrom) {
        this(directory, branch, isolatedFrom, "linux");
    }

    String block() {
        String repository = branch == null ? "Not a git repository" : "Git repository: yes\nBranch: " + branch;
        return "# Environment\nWorking directory: %s\n%s\nPlatform: %s".formatted(directory, repository, platform);
    }
}
