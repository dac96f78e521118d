package dev.sallyport.text;

/** White space as JavaScript sees it: that of Unicode, line ends, and the byte order mark. */
public final class Blanks {

    private Blanks() {}

    /** Without white space at both ends. */
    public static String trim(String text) {
        int start = 0;
        int end = text.length();
        while (start < end && isBlank(text.charAt(start))) {
            start++;
        }
        while (end > start && isBlank(text.charAt(end - 1))) {
            end--;
        }
        return text.substring(start, end);
    }

    public static boolean isBlank(char c) {
        return (c >= '\t' && c <= '\r') || c == '\u00a0' || c == '\ufeff' || c == ' ' || Character.isSpaceChar(c);
    }

    /** Every run of white space as one space. */
    public static String collapse(String text) {
        StringBuilder collapsed = new StringBuilder(text.length());
        boolean blank = false;
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if (!isBlank(c)) {
                collapsed.append(c);
            } else if (!blank) {
                collapsed.append(' ');
            }
            blank = isBlank(c);
        }
        return collapsed.toString();
    }
}
