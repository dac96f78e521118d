package dev.sallyport.invocation;

import org.jspecify.annotations.Nullable;

/** authority.md 5.1. */
public final class Turns {

    private Turns() {}

    /** Null is no limit; otherwise at least 1, fractions kept. */
    public static @Nullable Double normalize(@Nullable Double turns) {
        if (turns == null || turns == 0 || turns.isInfinite()) {
            return null;
        }
        return Math.max(1, turns);
    }
}
