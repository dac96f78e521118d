package dev.sallyport.runner.door;

import java.io.IOException;
import java.io.InputStream;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;

/**
 * The answer to one request.
 *
 * @param headers by lower-case name; of repeated ones the last
 * @param body until its own end, not the connection's
 */
public record Reply(int status, Map<String, String> headers, InputStream body) {

    /**
     * The whole body.
     *
     * @throws IOException if it is longer than {@code most}
     */
    public byte[] bytes(int most) throws IOException {
        byte[] bytes = body.readNBytes(most);
        if (body.read() >= 0) {
            throw new IOException("answer is larger than %d bytes".formatted(most));
        }
        return bytes;
    }

    /** What {@code Retry-After} says in seconds, at most a minute; empty if it says nothing of the kind. */
    public Optional<Duration> retryAfter() {
        String value = headers.getOrDefault("retry-after", "");
        return value.matches("\\d{1,6}")
                ? Optional.of(Duration.ofSeconds(Math.min(60, Integer.parseInt(value))))
                : Optional.empty();
    }

    boolean keepAlive() {
        return !"close".equalsIgnoreCase(headers.get("connection"));
    }
}
