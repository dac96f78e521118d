package dev.sallyport.runner.door;

import java.util.Locale;
import tools.jackson.databind.JsonNode;

/** The final answer to one tool call. */
public record Decision(Outcome outcome, String reason) {

    public enum Outcome {
        ALLOWED,
        DENIED,
        /** Nobody is there to be asked. */
        UNAVAILABLE,
        /** Somebody was asked and did not answer in time. */
        EXPIRED,
        CANCELLED
    }

    /** Whatever is not understood is a denial. */
    public static Decision of(JsonNode answer) {
        String word = answer.path("decision").asString("");
        String reason = answer.path("reason").asString("");
        for (Outcome outcome : Outcome.values()) {
            if (outcome.name().toLowerCase(Locale.ROOT).equals(word)) {
                return new Decision(outcome, reason);
            }
        }
        return new Decision(Outcome.DENIED, "the door answered `%s`".formatted(word));
    }

    static boolean pending(JsonNode answer) {
        return answer.path("decision").asString("").equals("pending");
    }
}
