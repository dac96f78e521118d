package dev.sallyport.permission;

import java.util.ArrayDeque;
import java.util.Deque;

/** The directory that {@code ~} and {@code $HOME} at the start of a pattern stand for (permission.md 1.7). */
public record HomeDirectory(String path) {

    /** Children have no home outside their container: there is nothing to expand to. */
    public static final HomeDirectory NONE = new HomeDirectory("");

    /** Exactly {@code ~} or {@code $HOME}, alone or before a slash or backslash; everything else is left as it is. */
    public String expand(String pattern) {
        if (path.isEmpty()) {
            return pattern;
        }
        int prefix = pattern.startsWith("~") ? 1 : pattern.startsWith("$HOME") ? "$HOME".length() : 0;
        if (prefix == 0) {
            return pattern;
        }
        if (pattern.length() == prefix) {
            return path;
        }
        char next = pattern.charAt(prefix);
        if (next != '/' && next != '\\') {
            return pattern;
        }
        String rest = pattern.substring(prefix + 1);
        return rest.isEmpty() ? path : normalized(path + "/" + rest);
    }

    private static String normalized(String path) {
        Deque<String> parts = new ArrayDeque<>();
        for (String part : path.split("/", -1)) {
            switch (part) {
                case "", "." -> {}
                case ".." -> parts.pollLast();
                default -> parts.addLast(part);
            }
        }
        return "/" + String.join("/", parts) + (path.endsWith("/") && !parts.isEmpty() ? "/" : "");
    }
}
