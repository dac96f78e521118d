package dev.sallyport.permission;

/**
 * Patterns of permission.md 1.7: {@code *} is any run of characters, {@code ?} one UTF-16 unit, all else is literal; a final
 * space and star may be missing altogether, so that {@code git *} covers {@code git}.
 *
 * <p>Takes time in proportion to pattern times value at worst and never backtracks further than the last star.
 */
public final class Wildcard {

    private Wildcard() {}

    public static boolean matches(String pattern, String value) {
        return glob(pattern, value)
                || (pattern.endsWith(" *") && glob(pattern.substring(0, pattern.length() - 2), value));
    }

    private static boolean glob(String pattern, String value) {
        int p = 0;
        int v = 0;
        int star = -1;
        int resume = 0;
        while (v < value.length()) {
            if (p < pattern.length() && pattern.charAt(p) == '*') {
                star = p++;
                resume = v;
            } else if (p < pattern.length() && (pattern.charAt(p) == '?' || pattern.charAt(p) == value.charAt(v))) {
                p++;
                v++;
            } else if (star >= 0) {
                p = star + 1;
                v = ++resume;
            } else {
                return false;
            }
        }
        while (p < pattern.length() && pattern.charAt(p) == '*') {
            p++;
        }
        return p == pattern.length();
    }
}
