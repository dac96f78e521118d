package dev.sallyport.delegation;

import org.jspecify.annotations.Nullable;

/**
 * How a run came back by itself (authority.md 11.4).
 *
 * @param failure what its last answer failed with
 */
public record Run(
        String text,
        boolean aborted,
        boolean steered,
        @Nullable String failure) {

    /** Cut off counts more than failed, and failed more than wrapped up. */
    public Status status() {
        if (aborted) {
            return Status.ABORTED;
        }
        if (failure != null) {
            return Status.ERROR;
        }
        return steered ? Status.STEERED : Status.COMPLETED;
    }
}
