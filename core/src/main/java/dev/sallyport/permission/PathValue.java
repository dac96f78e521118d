package dev.sallyport.permission;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/**
 * The names under which policy knows one path (permission.md 1.10), by its text alone: links inside a child are the child's
 * to change and are looked at by nobody.
 *
 * @param aliases absolute, relative to the directory if below it, and as written; empty for an empty path
 * @param display absolute and normalised, or empty
 */
public record PathValue(List<String> aliases, String display) {

    private static final Set<String> DEVICES = Set.of("/dev/null", "/dev/stdin", "/dev/stdout", "/dev/stderr");

    public PathValue {
        aliases = List.copyOf(aliases);
    }

    /** The names of {@code path} as a tool was given it, in the absolute {@code directory}. */
    public static PathValue of(String path, String directory, HomeDirectory home) {
        String literal = home.expand(cleaned(path));
        if (literal.isEmpty()) {
            return new PathValue(List.of(), "");
        }
        String base = normalized(directory);
        String absolute = normalized(literal.startsWith("/") ? literal : base + "/" + literal);
        Set<String> aliases = new LinkedHashSet<>();
        if (literal.equals("*")) {
            aliases.add(literal);
        }
        aliases.add(absolute);
        if (absolute.startsWith(base + "/")) {
            aliases.add(absolute.substring(base.length() + 1));
        }
        aliases.add(literal);
        return new PathValue(List.copyOf(aliases), absolute);
    }

    /** Whether the path is neither {@code directory} nor below it; the standard devices never are outside. */
    public boolean isOutside(String directory) {
        String base = normalized(directory);
        return !display.isEmpty()
                && !display.equals(base)
                && !display.startsWith(base.equals("/") ? base : base + "/")
                && !DEVICES.contains(display);
    }

    private static String cleaned(String path) {
        String text = path.strip();
        if (text.startsWith("'") || text.startsWith("\"")) {
            text = text.substring(1);
        }
        if (text.endsWith("'") || text.endsWith("\"")) {
            text = text.substring(0, text.length() - 1);
        }
        return text.startsWith("@") ? text.substring(1) : text;
    }

    private static String normalized(String absolute) {
        Deque<String> parts = new ArrayDeque<>();
        for (String part : absolute.split("/", -1)) {
            switch (part) {
                case "", "." -> {}
                case ".." -> parts.pollLast();
                default -> parts.addLast(part);
            }
        }
        return "/" + String.join("/", parts);
    }
}
