package dev.sallyport.agentfile;

import java.util.List;
import org.jspecify.annotations.Nullable;

/** From a requested name to one key of the registry, or a reason why not (authority.md 4). */
public sealed interface Dispatch {

    /**
     * The key to run.
     *
     * @param fellBackFrom the name that was asked for and is not there, null if the key is what was asked for
     */
    record To(String key, @Nullable String fellBackFrom) implements Dispatch {}

    /** Nothing to run. */
    record Refused(Cause cause, String requested, @Nullable String badFallback, List<String> available)
            implements Dispatch {

        public Refused {
            available = List.copyOf(available);
        }

        public String reason() {
            String what =
                    cause == Cause.NO_TYPE ? "no agent given" : "unknown or disabled agent `%s`".formatted(requested);
            String fallback = badFallback == null ? "" : "; so is the configured fallback `%s`".formatted(badFallback);
            String names = available.isEmpty() ? "(none)" : String.join(", ", available);
            return "%s%s (available: %s)".formatted(what, fallback, names);
        }
    }

    /** Unknown, disabled and ambiguous are told apart nowhere. */
    enum Cause {
        NO_TYPE,
        UNKNOWN_OR_DISABLED
    }
}
