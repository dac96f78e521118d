package dev.sallyport.text;

import java.util.regex.Pattern;

/** Text as one word of a POSIX shell, for commands that people copy. */
public final class ShellWord {

    private static final Pattern PLAIN = Pattern.compile("[A-Za-z0-9_/.,:@%+=-]+");

    private ShellWord() {}

    public static String of(String text) {
        return PLAIN.matcher(text).matches() ? text : "'" + text.replace("'", "'\\''") + "'";
    }
}
