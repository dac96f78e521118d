package dev.sallyport.containment;

import java.util.Locale;

/** Who drives the turns inside the container. */
public enum Harness {
    /** Our own agent loop. */
    BUILTIN,
    /** Any program. Only kernel and door grades bind it (P1). */
    COMMAND;

    public String wire() {
        return name().toLowerCase(Locale.ROOT);
    }

    public static Harness parse(String value) {
        for (Harness harness : values()) {
            if (harness.wire().equals(value)) {
                return harness;
            }
        }
        throw new IllegalArgumentException("harness: `%s` (expected: builtin or command)".formatted(value));
    }
}
