package dev.sallyport.runner.door;

import java.time.Duration;
import java.util.Optional;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.MissingNode;

/**
 * A whole answer.
 *
 * @param body missing if it is not JSON
 */
public record Answer(int status, JsonNode body, Optional<Duration> retryAfter) {

    static Answer of(Reply reply, int most) throws java.io.IOException {
        byte[] bytes = reply.bytes(most);
        JsonNode body;
        try {
            body = Json.read(bytes);
        } catch (JacksonException e) {
            body = MissingNode.getInstance();
        }
        return new Answer(reply.status(), body, reply.retryAfter());
    }

    public boolean ok() {
        return status / 100 == 2;
    }

    /** Worth asking again: overload, a failure on the other side, a gateway that starts. */
    public boolean temporary() {
        return status >= 500 || status == 429 || status == 408;
    }

    /** Code of the problem; empty if the body has none. */
    public String code() {
        return body.path("code").asString("");
    }

    /** What the other side says about a refusal, in the shapes that our door and the providers use. */
    public String detail() {
        String detail = body.path("detail").asString("");
        if (detail.isEmpty()) {
            detail = body.path("error").path("message").asString("");
        }
        return detail.isEmpty() ? "status %d".formatted(status) : detail;
    }
}
