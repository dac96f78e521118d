package dev.sallyport.gateway.sandbox;

import dev.sallyport.identity.ChildId;

/**
 * One sandbox of one child. A child that is started again gets the next incarnation, so an id never names two sandboxes
 * (T54), whatever the backend recycles.
 *
 * @param incarnation counted from 1
 */
public record SandboxId(ChildId child, int incarnation) {

    public SandboxId {
        if (incarnation < 1) {
            throw new IllegalArgumentException("incarnation: %d (expected: > 0)".formatted(incarnation));
        }
    }

    @Override
    public String toString() {
        return child + "-" + incarnation;
    }
}
