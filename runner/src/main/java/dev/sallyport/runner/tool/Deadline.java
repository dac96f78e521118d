package dev.sallyport.runner.tool;

import java.time.Duration;

/** The end of the time that one call has, on the monotonic clock. */
record Deadline(long nanos) {

    static Deadline in(Duration time) {
        return new Deadline(System.nanoTime() + time.toNanos());
    }

    /** Also ends the work of a thread that was interrupted: a cancelled child computes no longer. */
    void check() throws ToolException {
        if (passed()) {
            throw new ToolException("took too long (narrow the path or the pattern)");
        }
    }

    boolean passed() {
        return System.nanoTime() - nanos > 0 || Thread.currentThread().isInterrupted();
    }
}
