package dev.sallyport.gateway.door;

/**
 * The heap that the requests of all children may take together. INVARIANT: a child never holds more than it leaves free, so
 * that however many of them take what they can get, the next one gets something.
 */
final class BodyMemory {

    private final long total;
    private long taken;

    /** @param total bytes */
    BodyMemory(long total) {
        this.total = total;
    }

    /** Whether a child could have so much if it were alone. */
    boolean couldHold(long bytes) {
        return bytes <= total / 2;
    }

    /**
     * Takes {@code bytes} more.
     *
     * @param held what the same child holds already
     * @return false if that is too much for now: then nothing was taken
     */
    synchronized boolean take(long held, long bytes) {
        if (held + bytes > total - taken - bytes) {
            return false;
        }
        taken += bytes;
        return true;
    }

    synchronized void giveBack(long bytes) {
        taken -= bytes;
    }
}
