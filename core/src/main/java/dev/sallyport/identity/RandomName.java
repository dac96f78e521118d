package dev.sallyport.identity;

import java.util.random.RandomGenerator;
import java.util.regex.Pattern;

/** Names of 80 random bits: long enough not to be guessed, short enough for a socket path (S9) and a branch name. */
final class RandomName {

    private static final String ALPHABET = "abcdefghijklmnopqrstuvwxyz234567";
    private static final int LENGTH = 16;
    private static final Pattern FORM = Pattern.compile("[a-z2-7]{" + LENGTH + "}");

    private RandomName() {}

    static void require(String what, String value) {
        if (!FORM.matcher(value).matches()) {
            throw new IllegalArgumentException("%s: `%s` (expected: %d of a-z and 2-7)".formatted(what, value, LENGTH));
        }
    }

    static String from(RandomGenerator random) {
        return random.ints(LENGTH, 0, ALPHABET.length())
                .collect(StringBuilder::new, (name, i) -> name.append(ALPHABET.charAt(i)), StringBuilder::append)
                .toString();
    }
}
