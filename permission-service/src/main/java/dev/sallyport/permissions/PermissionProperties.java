package dev.sallyport.permissions;

import java.nio.file.Path;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * How this service decides and how long it waits for people.
 *
 * @param policyFile the operator's policy (permission.md 1.2); without one, the shipped {@code contained} policy
 * @param askTimeout how long an ask waits for an answer while somebody drains its session, or {@code never}
 * @param maxOpenAsks pending asks that one child may have; the next is unavailable at once (T82e)
 * @param grace how long a session may go without anybody draining it before its asks become unavailable
 * @param staleness how long after its last refresh a lease still counts
 * @param reconnectWindow how long after a start of ours, or a return of the database, grace and staleness stand still
 *     for what was there before (S24)
 * @param refresh how often an open inbox refreshes its leases; well below {@code staleness}
 * @param sweep how often asks and leases are looked at for deadlines
 * @param poll how often a waiter looks for itself, should a notification get lost
 */
@ConfigurationProperties("sallyport.permissions")
public record PermissionProperties(
        @Nullable Path policyFile,
        @DefaultValue("10m") AskTimeout askTimeout,
        @DefaultValue("32") int maxOpenAsks,
        @DefaultValue("2s") Duration grace,
        @DefaultValue("5s") Duration staleness,
        @DefaultValue("15s") Duration reconnectWindow,
        @DefaultValue("1s") Duration refresh,
        @DefaultValue("250ms") Duration sweep,
        @DefaultValue("1s") Duration poll) {

    public PermissionProperties {
        requirePositive("grace", grace);
        requirePositive("refresh", refresh);
        requirePositive("sweep", sweep);
        requirePositive("poll", poll);
        if (reconnectWindow.isNegative()) {
            throw new IllegalArgumentException(
                    "sallyport.permissions.reconnect-window: %s (expected: not negative)".formatted(reconnectWindow));
        }
        if (maxOpenAsks < 1) {
            throw new IllegalArgumentException(
                    "sallyport.permissions.max-open-asks: %d (expected: at least 1)".formatted(maxOpenAsks));
        }
        if (staleness.compareTo(refresh.multipliedBy(2)) < 0) {
            throw new IllegalArgumentException(
                    "sallyport.permissions.staleness: %s (expected: at least twice refresh, which is %s)"
                            .formatted(staleness, refresh));
        }
    }

    private static void requirePositive(String name, Duration value) {
        if (value.isZero() || value.isNegative()) {
            throw new IllegalArgumentException("sallyport.permissions.%s: %s (expected: > 0)".formatted(name, value));
        }
    }

    /** A duration, or null for {@code never}. */
    public record AskTimeout(@Nullable Duration after) {

        public AskTimeout {
            if (after != null) {
                requirePositive("ask-timeout", after);
            }
        }

        /** Called by Spring's conversion. */
        public static AskTimeout valueOf(String text) {
            return new AskTimeout(text.equals("never") ? null : Durations.parse(text));
        }
    }
}
