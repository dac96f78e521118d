package dev.sallyport.identity;

import java.util.regex.Pattern;

/** One tool call of one incarnation of a child, named by the child. Says nothing about who the child is. */
public record CallId(String value) {

    private static final Pattern FORM = Pattern.compile("[A-Za-z0-9._:/-]{1,128}");

    public CallId {
        if (!FORM.matcher(value).matches()) {
            throw new IllegalArgumentException("call id (expected: 1 to 128 of A-Z a-z 0-9 . _ : / -)");
        }
    }

    @Override
    public String toString() {
        return value;
    }
}
