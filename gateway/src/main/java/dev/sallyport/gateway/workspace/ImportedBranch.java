package dev.sallyport.gateway.workspace;

import java.util.List;

/**
 * A child's branch after every check of S16.
 *
 * @param branch without {@code refs/heads/}; it exists only where {@link #changed()}
 * @param tip equals {@code base} where the child committed nothing
 * @param files that differ between {@code base} and {@code tip}, by path, without contents
 * @param notices what people should look at before they merge (S39), a sentence each
 */
public record ImportedBranch(String branch, String base, String tip, List<ChangedFile> files, List<String> notices) {

    public ImportedBranch {
        files = List.copyOf(files);
        notices = List.copyOf(notices);
    }

    public boolean changed() {
        return !tip.equals(base);
    }
}
