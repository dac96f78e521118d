package dev.sallyport.runner.tool;

import java.util.List;

/** The most that one call returns. What goes beyond is cut, and the output says so. */
public record OutputLimit(int lines, int bytes) {

    public static final OutputLimit DEFAULT = new OutputLimit(2000, 50 * 1024);

    /** The longest line that search results show, in characters. */
    static final int LINE = 500;

    public OutputLimit {
        if (lines < 1 || bytes < 1) {
            throw new IllegalArgumentException(
                    "output limit: %d lines, %d bytes (expected: > 0)".formatted(lines, bytes));
        }
    }

    public OutputLimit(int bytes) {
        this(DEFAULT.lines, bytes);
    }

    /** The beginning of a text, and how much was left out. */
    public String cut(String text) {
        Head head = new Head(this);
        List<String> all = text.lines().toList();
        if (all.stream().allMatch(head::add)) {
            return text;
        }
        return head.lines() == 0
                ? text.substring(0, whole(text, Math.min(text.length(), bytes))) + " [line cut]"
                : head + "[%d of %d lines shown]".formatted(head.lines(), all.size());
    }

    static String size(long bytes) {
        return bytes < 10 * 1024
                ? bytes + " bytes"
                : bytes < 10 << 20 ? bytes / 1024 + " KiB" : bytes / (1 << 20) + " MiB";
    }

    /** {@code length}, or one less where that would leave half a character, which providers refuse. */
    private static int whole(String text, int length) {
        return Character.isHighSurrogate(text.charAt(length - 1)) ? length - 1 : length;
    }

    /** {@code line} with its end left out if it is longer than search results show. */
    static String brief(String line) {
        return line.length() <= LINE ? line : line.substring(0, whole(line, LINE)) + " [line cut]";
    }
}
