package dev.sallyport.gateway.door;

import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * What the permission-service said to a tool call or a connection.
 *
 * @param reason for the child and for people; no secrets
 */
public record Verdict(
        Decision decision,
        @Nullable String reason,
        @Nullable String askId) {

    public enum Decision {
        ALLOWED,
        DENIED,
        UNAVAILABLE,
        EXPIRED,
        CANCELLED,
        PENDING;

        public String wire() {
            return name().toLowerCase(Locale.ROOT);
        }
    }
}
