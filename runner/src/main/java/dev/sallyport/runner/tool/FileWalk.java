package dev.sallyport.runner.tool;

import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Optional;

/**
 * Everything below a directory in the order of names, without {@code .git} and without following links. Directories that
 * cannot be read are counted, not fatal.
 */
final class FileWalk {

    /** Entries of one directory: more are not sorted in our small heap. */
    private static final int WIDEST = 50_000;

    private final Path root;
    private final Deadline deadline;
    private final Deque<Path> ahead = new ArrayDeque<>();
    private int unreadable;

    FileWalk(Path root, Deadline deadline) {
        this.root = root;
        this.deadline = deadline;
        ahead.push(root);
    }

    /** The next entry, directories before what is in them; empty at the end. */
    Optional<Path> next() throws ToolException {
        while (!ahead.isEmpty()) {
            deadline.check();
            Path path = ahead.pop();
            if (Files.isDirectory(path, LinkOption.NOFOLLOW_LINKS) || path.equals(root)) {
                enter(path);
            }
            if (!path.equals(root)) {
                return Optional.of(path);
            }
        }
        return Optional.empty();
    }

    Path relative(Path path) {
        return root.relativize(path);
    }

    /** A sentence for the end of the output; empty if everything could be read. */
    String notes() {
        return unreadable == 0 ? "" : "[%d directories could not be read]\n".formatted(unreadable);
    }

    private void enter(Path directory) throws ToolException {
        List<Path> entries = new ArrayList<>();
        try (DirectoryStream<Path> stream = Files.newDirectoryStream(directory)) {
            for (Path entry : stream) {
                if (entries.size() == WIDEST) {
                    throw new ToolException("`%s` has more than %d entries (use bash)".formatted(directory, WIDEST));
                }
                if (!entry.endsWith(".git")) {
                    entries.add(entry);
                }
            }
        } catch (IOException | java.nio.file.DirectoryIteratorException e) {
            unreadable++;
        }
        entries.stream().sorted(java.util.Comparator.reverseOrder()).forEach(ahead::push);
    }
}
