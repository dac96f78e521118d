package dev.sallyport.bench;

import java.util.Arrays;

/** Times of one kind, in nanoseconds. */
final class Sample {

    private final long[] sorted;

    private Sample(long[] sorted) {
        this.sorted = sorted;
    }

    interface Timed {
        void run() throws Exception;
    }

    static long nanos(Timed timed) throws Exception {
        long start = System.nanoTime();
        timed.run();
        return System.nanoTime() - start;
    }

    static Sample of(long[] nanos) {
        long[] sorted = nanos.clone();
        Arrays.sort(sorted);
        return new Sample(sorted);
    }

    /** By nearest rank; {@code share} from 0 to 1. */
    double quantile(double share) {
        return sorted[(int) Math.clamp(Math.ceil(share * sorted.length) - 1, 0, sorted.length - 1)];
    }
}
