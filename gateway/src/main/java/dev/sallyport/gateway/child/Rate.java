package dev.sallyport.gateway.child;

import java.time.Duration;
import java.util.function.LongSupplier;

/** Lets a number of things through in each second, a second's worth at once, and says how long the rest must wait. */
final class Rate {

    private static final long SECOND = Duration.ofSeconds(1).toNanos();

    private final int perSecond;
    private final LongSupplier nanos;
    private double ready;
    private long at;

    Rate(int perSecond, LongSupplier nanos) {
        this.perSecond = perSecond;
        this.nanos = nanos;
        this.ready = perSecond;
        this.at = nanos.getAsLong();
    }

    /** Takes {@code count} now or in debt. @return how long to wait before going on */
    synchronized Duration take(int count) {
        refill();
        ready -= count;
        return ready >= 0 ? Duration.ZERO : Duration.ofNanos((long) (-ready * SECOND / perSecond));
    }

    /** Takes one if it is there. */
    synchronized boolean tryTake() {
        refill();
        if (ready < 1) {
            return false;
        }
        ready--;
        return true;
    }

    private void refill() {
        long now = nanos.getAsLong();
        ready = Math.min(perSecond, ready + (now - at) * (double) perSecond / SECOND);
        at = now;
    }
}
