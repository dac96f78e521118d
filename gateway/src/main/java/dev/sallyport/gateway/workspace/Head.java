package dev.sallyport.gateway.workspace;

import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;

/**
 * Where a repository stands, and what a clone of it will not have.
 *
 * @param top the work tree's top directory, symlinks resolved
 * @param subdirectory from {@code top} to the directory asked about, {@code /} between names; empty at the top
 * @param commit forty hexadecimal digits
 * @param branch empty where HEAD is detached
 * @param uncommittedFiles modified, added, deleted or untracked against {@code commit}; empty where that took too long to
 *     find out. Ignore rules come from the {@code .gitignore} files and {@code info/exclude}, not from a user's
 *     configuration, and no filter runs, so that a file under one may count although git would call it clean
 * @param notices what the clone lacks (P24), a sentence each: submodules and LFS contents are listed, not refused
 */
public record Head(
        Path top,
        String subdirectory,
        String commit,
        Optional<String> branch,
        OptionalInt uncommittedFiles,
        List<String> notices) {

    public Head {
        notices = List.copyOf(notices);
    }
}
