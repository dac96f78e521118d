package dev.sallyport.gateway.sandbox;

import java.util.regex.Pattern;

/** The content digest of an image. A tag can be moved after the authority was resolved, a digest cannot (S35, S36). */
public record ImageId(String value) {

    private static final Pattern FORM = Pattern.compile("sha256:[0-9a-f]{64}");

    public ImageId {
        if (!FORM.matcher(value).matches()) {
            throw new IllegalArgumentException("image id: `%s` (expected: sha256: and 64 hex digits)".formatted(value));
        }
    }

    @Override
    public String toString() {
        return value;
    }
}
