package dev.sallyport.toolscope;

import java.util.ArrayDeque;
import java.util.Deque;

/** Paths as text: what they name may be on another machine. */
final class PosixPath {

    private PosixPath() {}

    /** The last part, slashes at the end aside. */
    static String name(String path) {
        String trimmed = withoutSlashes(path);
        return trimmed.substring(trimmed.lastIndexOf('/') + 1);
    }

    /** The directory around it; that of {@code /} is itself. */
    static String parent(String path) {
        String trimmed = withoutSlashes(path);
        int slash = trimmed.lastIndexOf('/');
        if (slash < 0) {
            return path.startsWith("/") ? "/" : ".";
        }
        return slash == 0 ? "/" : trimmed.substring(0, slash);
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

    // A pattern anchored at the end would look at every run of slashes again and again.
    private static String withoutSlashes(String path) {
        int end = path.length();
        while (end > 0 && path.charAt(end - 1) == '/') {
            end--;
        }
        return path.substring(0, end);
    }
}
