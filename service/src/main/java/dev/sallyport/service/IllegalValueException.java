package dev.sallyport.service;

import java.util.function.Function;

/** A path or query value that its type refuses; answered with 400 and the type's own words. */
public final class IllegalValueException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    private IllegalValueException(IllegalArgumentException cause) {
        super(cause.getMessage(), cause);
    }

    /** Parses at the edge: {@code parse(id, ChildId::new)}. */
    public static <T> T parse(String value, Function<String, T> type) {
        try {
            return type.apply(value);
        } catch (IllegalArgumentException e) {
            throw new IllegalValueException(e);
        }
    }
}
