package dev.sallyport.permissions.ask;

import dev.sallyport.ask.Decider;
import org.jspecify.annotations.Nullable;

/** A decider as JSON: in the database and towards callers. */
public record DeciderView(
        String kind,
        @Nullable String surface,
        @Nullable String pattern,
        @Nullable String origin,
        @Nullable String principal,
        @Nullable String via,
        @Nullable String id,
        @Nullable String reason,
        @Nullable String responder,
        @Nullable DeciderView decision) {

    public static DeciderView of(Decider decider) {
        String kind = decider.kind();
        return switch (decider) {
            case Decider.Rule(var surface, var pattern, var origin) ->
                new DeciderView(kind, surface, pattern, origin, null, null, null, null, null, null);
            case Decider.Human(var principal, var via) ->
                new DeciderView(kind, null, null, null, principal, via, null, null, null, null);
            case Decider.Grant(var id, var pattern) ->
                new DeciderView(kind, null, pattern, null, null, null, id, null, null, null);
            case Decider.Policy(var reason) ->
                new DeciderView(kind, null, null, null, null, null, null, reason, null, null);
            case Decider.Forwarded(var responder, var decision) ->
                new DeciderView(
                        kind,
                        null,
                        null,
                        null,
                        null,
                        null,
                        null,
                        null,
                        responder,
                        decision == null ? null : of(decision));
        };
    }

    /** @throws IllegalStateException for a kind that this version does not write */
    Decider decider() {
        return switch (kind) {
            case "human" -> new Decider.Human(present(principal), present(via));
            case "policy" -> new Decider.Policy(present(reason));
            default -> throw new IllegalStateException("decider of an ask: " + kind);
        };
    }

    private static String present(@Nullable String field) {
        if (field == null) {
            throw new IllegalStateException("decider of an ask lacks a field");
        }
        return field;
    }
}
