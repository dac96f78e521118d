package dev.sallyport.delegation;

import java.util.Locale;

/** Where an agent stands (authority.md 11.1). */
public enum Status {
    QUEUED,
    RUNNING,
    COMPLETED,
    /** It was told to wrap up at its turn limit, and did. */
    STEERED,
    /** It went on after its turn limit and was cut off. */
    ABORTED,
    ERROR,
    /** Somebody ended it. */
    STOPPED;

    /** Whether there is still something to come. */
    public boolean isLive() {
        return this == QUEUED || this == RUNNING;
    }

    public String wire() {
        return name().toLowerCase(Locale.ROOT);
    }
}
