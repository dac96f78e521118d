package dev.sallyport.toolscope;

import java.util.ArrayDeque;
import java.util.Deque;

/** Paths as text: what they name may be on another machine. */
final class PosixPath {

    private PosixPath() {}

    /** The last part, slashes at the end aside. */
    static String name(String path) {
        String trimmed = path.replaceFirst("/+$", "");
        return trimmed.substring(trimmed.lastIndexOf('/') + 1);
    }

    /** The directory around it; that of {@code /} is itself. */
    static String parent(String path) {
        String trimmed = path.replaceFirst("/+$", "");
        int slash = trimmed.lastIndexOf('/');
        return slash < 0 ? "." : slash == 0 ? "/" : trimmed.substring(0, slash);
    }

    /** A normalised absolute path. */
    static String resolve(String directory, String path) {
        Deque<String> parts = new ArrayDeque<>();
        for (String part : (path.startsWith("/") ? path : directory + "/" + path).split("/", -1)) {
            switch (part) {
                case "", "." -> {}
                case ".." -> parts.pollLast();
                default -> parts.addLast(part);
            }
        }
        return "/" + String.join("/", parts);
    }
}
