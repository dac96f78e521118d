package dev.sallyport.identity;

import java.util.regex.Pattern;

/** Whose installation this is a part of (S29). */
public record Tenant(String value) {

    private static final Pattern FORM = Pattern.compile("[a-z0-9][a-z0-9-]{0,39}");

    public static final Tenant DEFAULT = new Tenant("default");

    public Tenant {
        if (!FORM.matcher(value).matches()) {
            throw new IllegalArgumentException("tenant: `%s` (expected: up to 40 of a-z, 0-9 and -)".formatted(value));
        }
    }

    @Override
    public String toString() {
        return value;
    }
}
