package dev.sallyport.gateway.child;

import java.time.Duration;
import java.util.function.LongSupplier;

/** Lets a number of things through in each stretch of time, as many at once, and says how long the rest must wait. */
final class Rate {

    private final int most;
    private final long per;
    private final LongSupplier nanos;
    private double ready;
    private long at;

    Rate(int most, Duration per, LongSupplier nanos) {
        this.most = most;
        this.per = per.toNanos();
        this.nanos = nanos;
        this.ready = most;
        this.at = nanos.getAsLong();
    }

    /** Takes {@code count} now or in debt. @return how long to wait before going on */
    synchronized Duration take(int count) {
        refill();
        ready -= count;
        return ready >= 0 ? Duration.ZERO : timeFor(-ready);
    }

    /** Takes one if it is there. @return how long until it is; zero if it was */
    synchronized Duration tryTake() {
        refill();
        if (ready < 1) {
            return timeFor(1 - ready);
        }
        ready--;
        return Duration.ZERO;
    }

    private Duration timeFor(double count) {
        return Duration.ofNanos((long) Math.ceil(count * per / most));
    }

    private void refill() {
        long now = nanos.getAsLong();
        ready = Math.min(most, ready + (now - at) * (double) most / per);
        at = now;
    }
}
