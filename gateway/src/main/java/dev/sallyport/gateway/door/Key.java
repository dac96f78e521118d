package dev.sallyport.gateway.door;

import java.util.regex.Pattern;

/** A provider's key. It is written into one header of one request, and looked for in all that comes back. */
final class Key {

    private static final Pattern FORM = Pattern.compile("[!-~]{8,4096}");
    private static final int PART = 8;
    private static final String HIDDEN = "[removed]";

    private final String value;

    Key(String value, String name) {
        this.value = value.strip();
        if (!FORM.matcher(this.value).matches()) {
            throw new DoorProblem(
                    503,
                    "credential-unusable",
                    "credential `%s` is not a key (expected: one line of at least 8 visible characters)"
                            .formatted(name),
                    "sallyport credentials set " + name,
                    null);
        }
    }

    String value() {
        return value;
    }

    String removedFrom(String text) {
        return text.replace(value, HIDDEN);
    }

    /** Whether any stretch of the key stands in the text: providers quote keys in part. */
    boolean showsIn(String text) {
        for (int i = 0; i + PART <= value.length(); i++) {
            if (text.contains(value.substring(i, i + PART))) {
                return true;
            }
        }
        return false;
    }

    @Override
    public String toString() {
        return HIDDEN;
    }
}
