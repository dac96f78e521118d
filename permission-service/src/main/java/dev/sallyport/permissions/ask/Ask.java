package dev.sallyport.permissions.ask;

import dev.sallyport.ask.AskState;
import dev.sallyport.ask.Decider;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * A question and what became of it.
 *
 * @param change number of the last change, increasing over all asks in the order in which changes became visible
 * @param expiresAt null if it waits for ever
 * @param settledAt null while pending
 * @param reason what the child is told about a final state, if anything
 * @param answerKey the idempotency key of the answer that won
 */
public record Ask(
        AskId id,
        long change,
        Question question,
        AskState state,
        Instant createdAt,
        @Nullable Instant expiresAt,
        @Nullable Instant settledAt,
        @Nullable String reason,
        @Nullable Decider decider,
        @Nullable String answerKey) {

    boolean isAnswered() {
        return state == AskState.APPROVED || state == AskState.DENIED;
    }
}
