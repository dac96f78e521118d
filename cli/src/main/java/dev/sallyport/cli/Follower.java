package dev.sallyport.cli;

import dev.sallyport.identity.ChildId;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Follows a child to its end, also through a restart of Sallyport. */
final class Follower {

    /** The gateway sends a comment more often than this. */
    static final Duration SILENCE = Duration.ofSeconds(60);

    private static final Duration PATIENCE = Duration.ofMinutes(2);
    private static final Duration PAUSE = Duration.ofMillis(250);

    private final Connection connection;
    private final Output output;
    private @Nullable Instant lostSince;

    Follower(Connection connection, Output output) {
        this.connection = connection;
        this.output = output;
    }

    /** Hands over each event once, in order, and then returns the child's result. */
    Json follow(ChildId child, Consumer<Json> events) {
        String last = "";
        while (true) {
            try (EventStream stream =
                    connection.gateway().events(Api.path("/v1/children/{}/events", child), last, SILENCE)) {
                String before = last;
                boolean ended = false;
                for (EventStream.Event event = stream.next(); event != null; event = stream.next()) {
                    lostSince = null;
                    last = event.id();
                    events.accept(Json.parse(event.data()));
                    ended = event.type().equals("ended");
                }
                // A gateway that shuts down ends the stream too: only after the last event, or with nothing left to
                // come, is it all.
                Optional<Json> result = connection.gateway().result(child, "5s");
                if (result.isPresent() && (ended || last.equals(before))) {
                    return result.get();
                }
            } catch (IOException e) {
                endure(child, Failure.connectionLost(connection.endpoint().gateway(), e));
            } catch (Failure failure) {
                endure(child, failure);
            }
        }
    }

    /** Waits for the child's end without looking at its events. */
    Json await(ChildId child) {
        while (true) {
            try {
                Optional<Json> result = connection.gateway().result(child, "30s");
                if (result.isPresent()) {
                    return result.get();
                }
                lostSince = null;
            } catch (Failure failure) {
                endure(child, failure);
            }
        }
    }

    private void endure(ChildId child, Failure failure) {
        if (!failure.isTransient()) {
            throw failure;
        }
        Instant now = connection.environment().clock().instant();
        if (lostSince == null) {
            lostSince = now;
            output.note("sallyport: %s; waiting for it".formatted(failure.detail()));
        } else if (lostSince.plus(PATIENCE).isBefore(now)) {
            throw Failure.of(
                    failure.code(),
                    "lost sight of child %s: %s".formatted(child, failure.detail()),
                    "it goes on by itself: `sallyport result --wait %s`".formatted(child));
        }
        try {
            Thread.sleep(PAUSE);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw failure;
        }
    }
}
