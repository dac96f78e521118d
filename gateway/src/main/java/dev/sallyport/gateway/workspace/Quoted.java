package dev.sallyport.gateway.workspace;

/** Names that others chose, as they may stand in a message: controls and invisible characters visible, length bounded. */
final class Quoted {

    private static final int MAX = 200;

    private Quoted() {}

    static String name(String name) {
        return "`" + text(name, MAX) + "`";
    }

    static String text(String text, int max) {
        StringBuilder quoted = new StringBuilder();
        text.codePoints().limit(max).forEach(c -> {
            switch (Character.getType(c)) {
                case Character.CONTROL,
                        Character.FORMAT,
                        Character.SURROGATE,
                        Character.LINE_SEPARATOR,
                        Character.PARAGRAPH_SEPARATOR,
                        Character.UNASSIGNED,
                        Character.PRIVATE_USE -> quoted.append("\\u{%x}".formatted(c));
                default -> quoted.appendCodePoint(c == '`' ? '\'' : c);
            }
        });
        return text.codePointCount(0, text.length()) > max ? quoted.append('…').toString() : quoted.toString();
    }
}
