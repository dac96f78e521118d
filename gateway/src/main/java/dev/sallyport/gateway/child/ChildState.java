package dev.sallyport.gateway.child;

import java.util.Locale;

/** Where a child stands. {@link #QUEUED} to {@link #WAITING} are left again; the others are final. */
enum ChildState {
    QUEUED,
    PREPARING,
    RUNNING,
    /** Running, and some call of it waits for a person. */
    WAITING,
    COMPLETED,
    FAILED,
    CANCELLED,
    TIMED_OUT,
    /** It is not known how it ended. */
    LOST;

    String wire() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    static ChildState parse(String wire) {
        return valueOf(wire.toUpperCase(Locale.ROOT).replace('-', '_'));
    }

    boolean ended() {
        return compareTo(WAITING) > 0;
    }
}
