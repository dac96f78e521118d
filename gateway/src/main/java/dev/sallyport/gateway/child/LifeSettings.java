package dev.sallyport.gateway.child;

import dev.sallyport.gateway.sandbox.ImageId;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Set;

/**
 * How children live on this gateway.
 *
 * @param image of every child; pinned, never fetched (S36)
 * @param firstUid start of the range that children run as; no other may use it (S7)
 * @param active how many live at a time, of all gateways on one database; the others are queued in order
 * @param activePerSession how many of one session live at a time
 * @param prepare the most that preparing one may take
 * @param engine how long a backend that does not answer is waited for before children are given up as lost
 * @param permission how long calls stay pending while the permission-service does not answer
 * @param required containment measures without which no child gets its task (S11)
 * @param directory for bundles and what was salvaged; only the gateway's user may look into it
 * @param steersPerMinute messages that one child is sent
 * @param retention how long a child that is over is kept, with its conversation
 * @param toolTimeout of one tool call; courtesy of the runner
 * @param outputLimit in bytes, of one tool call; courtesy of the runner
 */
public record LifeSettings(
        ImageId image,
        int firstUid,
        int lastUid,
        int active,
        int activePerSession,
        Duration prepare,
        Duration engine,
        Duration permission,
        Set<String> required,
        Path directory,
        EventLimits events,
        int steersPerMinute,
        Duration retention,
        Duration toolTimeout,
        int outputLimit) {

    /**
     * S4: the most that one child may tell, and the most that it may make others write down.
     *
     * @param bytes of one event; a larger one is stored as a note that it was
     * @param perSecond events; more are taken later, while the child waits
     * @param total events; one more ends the child
     * @param totalBytes of all events; one more ends the child
     */
    public record EventLimits(int bytes, int perSecond, long total, long totalBytes) {}
}
