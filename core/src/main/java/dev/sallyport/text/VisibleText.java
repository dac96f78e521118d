package dev.sallyport.text;

import java.util.regex.Pattern;

/**
 * Text that a child or a repository wrote, shown so that it cannot move the cursor, colour, hide, reorder or imitate
 * anything (S31, T80). What is replaced stays readable, as its number after a backslash.
 */
public final class VisibleText {

    private static final Pattern PADDING = Pattern.compile(" {40,}");

    private VisibleText() {}

    /** Keeps line feeds and tabs. */
    public static String of(String text) {
        return visible(text, true);
    }

    /** One line: line feeds and tabs become {@code \n} and {@code \t}. */
    public static String line(String text) {
        return visible(text, false);
    }

    /**
     * One line of at most about {@code max} characters. What is left out is counted, so that nothing can be pushed out of sight
     * by padding or by sheer length (T80).
     */
    public static String excerpt(String text, int max) {
        String line = PADDING.matcher(line(text))
                .replaceAll(run -> "[%d spaces]".formatted(run.group().length()));
        if (line.length() <= max) {
            return line;
        }
        int end = Character.isLowSurrogate(line.charAt(max)) ? max - 1 : max;
        return "%s… [%d characters in all]".formatted(line.substring(0, end), text.length());
    }

    private static String visible(String text, boolean layout) {
        if (text.chars().allMatch(c -> c >= 0x20 && c < 0x7f)) {
            return text;
        }
        StringBuilder out = new StringBuilder(text.length() + 16);
        text.codePoints().forEach(c -> append(c, layout, out));
        return out.toString();
    }

    private static void append(int c, boolean layout, StringBuilder out) {
        if (c == '\n' || c == '\t') {
            out.append(layout ? Character.toString(c) : c == '\n' ? "\\n" : "\\t");
        } else if (c == '\r') {
            out.append("\\r");
        } else if (!hidden(c)) {
            out.appendCodePoint(c);
        } else if (c < 0x100) {
            out.append("\\x").append(c < 0x10 ? "0" : "").append(Integer.toHexString(c));
        } else {
            out.append("\\u{").append(Integer.toHexString(c)).append('}');
        }
    }

    private static boolean hidden(int c) {
        return switch (Character.getType(c)) {
            // FORMAT: bidi controls, zero-width characters, soft hyphen, BOM, tag characters.
            case Character.CONTROL,
                    Character.FORMAT,
                    Character.SURROGATE,
                    Character.PRIVATE_USE,
                    Character.UNASSIGNED,
                    Character.LINE_SEPARATOR,
                    Character.PARAGRAPH_SEPARATOR -> true;
            // Looks like an ordinary space and is none.
            case Character.SPACE_SEPARATOR -> c != ' ';
            default -> blank(c);
        };
    }

    // Letters, marks and symbols by category, and nothing to see: Hangul fillers, variation selectors, joiners.
    private static boolean blank(int c) {
        return c == 0x034f
                || c == 0x115f
                || c == 0x1160
                || c == 0x17b4
                || c == 0x17b5
                || (c >= 0x180b && c <= 0x180f)
                || c == 0x2800
                || c == 0x3164
                || (c >= 0xfe00 && c <= 0xfe0e)
                || c == 0xffa0
                || (c >= 0xe0000 && c <= 0xe0fff);
    }
}
