package dev.sallyport.delegation;

import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * One agent of a crew (authority.md 11.1).
 *
 * @param handle and {@code alias} are how people call it; agents below others have neither
 * @param background null where the spawn did not say
 * @param parent the agent that started it; null for one that a session started
 * @param followsSignal whether it ends when the call that started it is broken off
 * @param inFlight whether its run has not come back yet: also after it was stopped
 * @param hasSession whether messages can be delivered
 * @param sessionFile what it can be resumed from after it is forgotten
 * @param consumed whether somebody has read its result
 */
public record Member(
        String id,
        @Nullable String handle,
        @Nullable String alias,
        Status status,
        @Nullable Boolean background,
        int depth,
        @Nullable String parent,
        boolean followsSignal,
        boolean inFlight,
        boolean hasSession,
        @Nullable String sessionFile,
        List<String> pendingSteers,
        @Nullable String result,
        @Nullable String error,
        boolean consumed,
        @Nullable Instant completedAt) {

    public Member {
        pendingSteers = List.copyOf(pendingSteers);
    }

    static Member of(Order order, @Nullable String handle, @Nullable String alias) {
        return new Member(
                order.id(),
                handle,
                alias,
                Status.QUEUED,
                order.background(),
                order.depth(),
                order.parent(),
                order.followsSignal() && !isTrue(order.background()),
                false,
                false,
                null,
                List.of(),
                null,
                null,
                false,
                null);
    }

    /** What is asked of a crew: one more agent. */
    public record Order(
            String id,
            String type,
            @Nullable String name,
            @Nullable Boolean background,
            int depth,
            @Nullable String parent,
            boolean bypassQueue,
            boolean followsSignal) {}

    /** Only what a session sends to the background counts against the pool; below other agents nobody ever waits. */
    boolean pooled() {
        return pooled(background, parent);
    }

    static boolean pooled(@Nullable Boolean background, @Nullable String parent) {
        return isTrue(background) && parent == null;
    }

    boolean isForeground() {
        return !isTrue(background);
    }

    private static boolean isTrue(@Nullable Boolean flag) {
        return Boolean.TRUE.equals(flag);
    }

    Member started() {
        return with(Status.RUNNING, true, pendingSteers, null, null, consumed, null);
    }

    Member queued() {
        return with(Status.QUEUED, false, pendingSteers, null, null, false, null);
    }

    Member stopped(Instant now) {
        return with(Status.STOPPED, inFlight, pendingSteers, result, error, consumed, now);
    }

    /** Its run came back; who was stopped stays so. */
    Member settled(Status outcome, @Nullable String text, @Nullable String failure, Instant now) {
        Status last = status == Status.STOPPED ? status : outcome;
        return with(last, false, List.of(), text, failure, consumed || isForeground(), now);
    }

    Member steered(String message) {
        List<String> steers = new ArrayList<>(pendingSteers);
        steers.add(message);
        return with(status, inFlight, steers, result, error, consumed, completedAt);
    }

    Member session(@Nullable String file) {
        return new Member(
                id,
                handle,
                alias,
                status,
                background,
                depth,
                parent,
                followsSignal,
                inFlight,
                true,
                file,
                List.of(),
                result,
                error,
                consumed,
                completedAt);
    }

    Member read() {
        return with(status, inFlight, pendingSteers, result, error, true, completedAt);
    }

    private Member with(
            Status newStatus,
            boolean newInFlight,
            List<String> newSteers,
            @Nullable String newResult,
            @Nullable String newError,
            boolean newConsumed,
            @Nullable Instant newCompletedAt) {
        return new Member(
                id,
                handle,
                alias,
                newStatus,
                background,
                depth,
                parent,
                followsSignal,
                newInFlight,
                hasSession,
                sessionFile,
                newSteers,
                newResult,
                newError,
                newConsumed,
                newCompletedAt);
    }
}
