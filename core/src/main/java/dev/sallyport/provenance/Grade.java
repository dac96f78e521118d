package dev.sallyport.provenance;

import java.util.Locale;

/** What makes a field of an authority hold (S1). */
public enum Grade {
    /** The kernel: mounts, uid, limits, no network. */
    KERNEL,
    /** The gateway, at the only way out: egress, credentials, model, budgets, spawning. */
    DOOR,
    /** The runner inside the container: binds a harness that works as built, and nobody else. */
    RUNNER,
    /** Nothing to enforce: the field describes. */
    NONE;

    /** {@code kernel}, {@code door}, {@code runner} or {@code -}. */
    public String wire() {
        return this == NONE ? "-" : name().toLowerCase(Locale.ROOT);
    }

    public static Grade parse(String value) {
        for (Grade grade : values()) {
            if (grade.wire().equals(value)) {
                return grade;
            }
        }
        throw new IllegalArgumentException("grade: `%s` (expected: kernel, door, runner or -)".formatted(value));
    }
}
