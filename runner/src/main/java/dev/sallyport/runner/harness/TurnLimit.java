package dev.sallyport.runner.harness;

import org.jspecify.annotations.Nullable;

/** Counts turns against a limit that is first a request and then, some grace turns later, an order (authority.md §11.6). */
final class TurnLimit {

    enum Verdict {
        GO_ON,
        WRAP_UP,
        STOP
    }

    private final @Nullable Double limit;
    private final double grace;
    private int turns;
    private boolean wrappingUp;

    /** @param limit normalised as in authority.md §5.1 by this constructor: null and 0 mean none */
    TurnLimit(@Nullable Double limit, double grace) {
        this.limit = limit == null || limit == 0 ? null : Double.valueOf(Math.max(1, limit));
        this.grace = Math.max(1, grace);
    }

    Verdict turnEnded() {
        turns++;
        if (limit == null || turns < limit) {
            return Verdict.GO_ON;
        }
        if (!wrappingUp) {
            wrappingUp = true;
            return Verdict.WRAP_UP;
        }
        return turns >= limit + grace ? Verdict.STOP : Verdict.GO_ON;
    }

    int turns() {
        return turns;
    }
}
