package dev.sallyport.permissions.lease;

import java.time.Instant;

/**
 * Says that somebody looks at a session's asks.
 *
 * @param session a session's id, or {@link Leases#EVERY_SESSION}
 * @param epoch which incarnation of the holder this is; a refresh that names an older one counts for nothing
 * @param freshUntil when it goes stale unless refreshed
 */
public record Lease(String session, String holder, long epoch, Instant refreshedAt, Instant freshUntil) {}
