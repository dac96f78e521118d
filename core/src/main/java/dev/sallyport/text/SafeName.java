package dev.sallyport.text;

import java.util.regex.Pattern;

/** Names that may become part of a path (authority.md 9): 1 to 128 letters, digits, {@code . _ -}, the first a letter or digit. */
public final class SafeName {

    private static final Pattern SAFE = Pattern.compile("[a-zA-Z0-9][a-zA-Z0-9._-]{0,127}");

    private SafeName() {}

    public static boolean isSafe(String name) {
        return SAFE.matcher(name).matches();
    }
}
