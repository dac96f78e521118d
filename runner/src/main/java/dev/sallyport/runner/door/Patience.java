package dev.sallyport.runner.door;

import java.io.IOException;
import java.time.Duration;

/**
 * Waits longer after each failure in a row, and gives up when nothing has worked for a set time: the gateway may restart
 * under a living child. Used by one thread.
 */
final class Patience {

    private static final Duration FIRST = Duration.ofMillis(50);
    private static final Duration LONGEST = Duration.ofSeconds(3);

    private final Duration limit;
    private Duration pause = FIRST;
    private long since = System.nanoTime();

    Patience(Duration limit) {
        this.limit = limit;
    }

    void succeeded() {
        pause = FIRST;
        since = System.nanoTime();
    }

    /** @throws DoorLostException with this failure as its cause, if it has been too long */
    void failed(IOException failure) throws DoorLostException, InterruptedException {
        if (System.nanoTime() - since > limit.toNanos()) {
            throw new DoorLostException(limit, failure);
        }
        Thread.sleep(pause);
        pause = after(pause);
    }

    static Duration after(Duration pause) {
        Duration doubled = pause.multipliedBy(2);
        return doubled.compareTo(LONGEST) < 0 ? doubled : LONGEST;
    }
}
