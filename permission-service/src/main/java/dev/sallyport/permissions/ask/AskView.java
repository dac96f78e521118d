package dev.sallyport.permissions.ask;

import com.fasterxml.jackson.annotation.JsonRawValue;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import org.jspecify.annotations.Nullable;

/** An ask as callers see it. {@code arguments} are the bytes that were hashed; whoever shows them makes them visible. */
record AskView(
        String id,
        String session,
        String child,
        @Nullable String agent,
        String state,
        String tool,
        String surface,
        String value,
        @JsonRawValue String arguments,
        @Nullable String directory,
        @Nullable String matchedPattern,
        String origin,
        String message,
        String digest,
        Instant createdAt,
        @Nullable Instant expiresAt,
        @Nullable Instant answeredAt,
        @Nullable DeciderView decider,
        @Nullable String reason,
        @Nullable String note) {

    static AskView of(Ask ask) {
        Question question = ask.question();
        return new AskView(
                ask.id().value(),
                question.call().session().value(),
                question.call().child().value(),
                question.agent(),
                ask.state().wire(),
                question.tool(),
                question.surface(),
                question.value(),
                question.arguments(),
                question.directory(),
                question.matchedPattern(),
                question.origin(),
                question.message(),
                question.call().digest(),
                millis(ask.createdAt()),
                ask.expiresAt() == null ? null : millis(ask.expiresAt()),
                ask.isAnswered() && ask.settledAt() != null ? millis(ask.settledAt()) : null,
                ask.decider() == null ? null : DeciderView.of(ask.decider()),
                ask.reason(),
                question.note());
    }

    private static Instant millis(Instant instant) {
        return instant.truncatedTo(ChronoUnit.MILLIS);
    }
}
