package dev.sallyport.permissions.ask;

import java.util.random.RandomGenerator;
import java.util.regex.Pattern;

/** One ask. As hard to guess as any id here, though guessing one gains nothing: answering takes an approver of its tenant. */
public record AskId(String value) {

    private static final String ALPHABET = "abcdefghijklmnopqrstuvwxyz234567";
    private static final Pattern FORM = Pattern.compile("[a-z2-7]{16}");

    public AskId {
        if (!FORM.matcher(value).matches()) {
            throw new IllegalArgumentException("ask id: `%s` (expected: 16 of a-z and 2-7)".formatted(value));
        }
    }

    static AskId random(RandomGenerator random) {
        StringBuilder id = new StringBuilder();
        random.ints(16, 0, ALPHABET.length()).forEach(i -> id.append(ALPHABET.charAt(i)));
        return new AskId(id.toString());
    }

    @Override
    public String toString() {
        return value;
    }
}
