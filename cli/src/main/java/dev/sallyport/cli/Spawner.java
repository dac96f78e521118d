package dev.sallyport.cli;

import dev.sallyport.identity.ChildId;
import dev.sallyport.identity.SessionId;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** Starts children in a session. */
final class Spawner {

    private static final int ATTEMPTS = 3;

    private final Connection connection;
    private final @Nullable SessionId named;
    private final Sessions sessions;

    /** @param named the session that the user said; null for the terminal's */
    Spawner(Connection connection, @Nullable SessionId named) {
        this.connection = connection;
        this.named = named;
        this.sessions = new Sessions(connection);
    }

    /** Starts a child; returns it as the gateway describes it. */
    Json spawn(Json body) {
        return spawn("/v1/children", body);
    }

    /** Starts a child that goes on where this one stopped, of its session. */
    Json resume(ChildId over, String prompt) {
        return send(Api.path("/v1/children/{}/resume", over), Json.object("prompt", prompt));
    }

    /** Starts all of them or none; in that order. */
    List<Json> batch(List<Json> bodies) {
        return spawn("/v1/children:batch", Json.object("children", bodies)).list("children");
    }

    private Json spawn(String path, Json body) {
        if (!body.get("session").isNothing()) {
            return send(path, body);
        }
        try {
            return send(path, body.with("session", session().value()));
        } catch (Failure failure) {
            if (named != null || !failure.code().equals("session-not-found")) {
                throw failure;
            }
            return send(path, body.with("session", sessions.renew().value()));
        }
    }

    SessionId session() {
        return named == null ? sessions.current() : named;
    }

    // The key makes a repeat harmless: the gateway answers with the child that it has already started.
    private Json send(String path, Json body) {
        Map<String, String> key = Map.of("Idempotency-Key", UUID.randomUUID().toString());
        for (int attempt = 1; ; attempt++) {
            try {
                return connection.gateway().post(path, body, key);
            } catch (Failure failure) {
                if (!failure.code().equals("connection-lost") || attempt == ATTEMPTS) {
                    throw failure;
                }
            }
        }
    }
}
