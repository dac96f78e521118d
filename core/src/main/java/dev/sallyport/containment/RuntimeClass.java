package dev.sallyport.containment;

import java.util.Locale;

/** What stands between a child and the kernel of its host. */
public enum RuntimeClass {
    /** The host's kernel itself. */
    RUNC,
    /** A kernel in user space. */
    GVISOR,
    /** A virtual machine. */
    KATA;

    /** Whether a child under this class is at least as far from the host as one under {@code other}. */
    public boolean atLeastAsStrictAs(RuntimeClass other) {
        return other == RUNC || this == other;
    }

    public String wire() {
        return name().toLowerCase(Locale.ROOT);
    }

    public static RuntimeClass parse(String value) {
        for (RuntimeClass runtime : values()) {
            if (runtime.wire().equals(value)) {
                return runtime;
            }
        }
        throw new IllegalArgumentException("runtime: `%s` (expected: runc, gvisor or kata)".formatted(value));
    }
}
