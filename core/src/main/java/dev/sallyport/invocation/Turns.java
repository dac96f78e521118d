package dev.sallyport.invocation;

import java.util.Optional;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The turns of a run, against a limit that is first an order to wrap up and some turns later the end (authority.md 5.1,
 * 11.6).
 *
 * @param limit null is none; otherwise at least 1, perhaps fractional
 * @param grace turns between the order and the end, at least 1
 * @param ended turns so far
 * @param wrappingUp whether the order was given
 */
public record Turns(@Nullable Double limit, double grace, int ended, boolean wrappingUp) {

    public Turns {
        limit = normalize(limit);
        grace = Math.max(1, grace);
    }

    /** Before the first turn; a limit of 0 is none, a grace of less than 1 is 1. */
    public static Turns of(@Nullable Double limit, double grace) {
        return new Turns(limit, grace, 0, false);
    }

    /** What a run does after a turn. */
    public enum Verdict {
        GO_ON,
        /** Once: finish now. */
        WRAP_UP,
        STOP
    }

    /** One turn later. */
    public Turns turnEnded() {
        return new Turns(limit, grace, ended + 1, wrappingUp || verdict() == Verdict.WRAP_UP);
    }

    /** What follows from the last turn. */
    public Verdict verdict() {
        if (limit == null || ended < limit) {
            return Verdict.GO_ON;
        }
        if (!wrappingUp) {
            return Verdict.WRAP_UP;
        }
        return ended >= limit + grace ? Verdict.STOP : Verdict.GO_ON;
    }

    /** Null is no limit; otherwise at least 1, fractions kept. */
    public static @Nullable Double normalize(@Nullable Double turns) {
        if (turns == null || turns == 0 || turns.isInfinite()) {
            return null;
        }
        return Math.max(1, turns);
    }

    /** The limit of a run: the first that says anything, and 0 says that there is none. */
    public static @Nullable Double effective(
            @Nullable Double explicit, @Nullable Double definition, @Nullable Double setting) {
        return Stream.of(Optional.ofNullable(explicit), Optional.ofNullable(definition), Optional.ofNullable(setting))
                .flatMap(Optional::stream)
                .findFirst()
                .map(Turns::normalize)
                .orElse(null);
    }
}
