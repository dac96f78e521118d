package dev.sallyport.gateway.child;

import java.time.Duration;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/** Wakes whoever waits for news. Read {@link #version} before looking, so that news in between is not slept through. */
final class Signal {

    private final ReentrantLock lock = new ReentrantLock();
    private final Condition news = lock.newCondition();
    private long version;

    long version() {
        lock.lock();
        try {
            return version;
        } finally {
            lock.unlock();
        }
    }

    void raise() {
        lock.lock();
        try {
            version++;
            news.signalAll();
        } finally {
            lock.unlock();
        }
    }

    /** Returns at once if there was news after {@code seen}, else when there is some or the time is over. */
    void await(long seen, Duration wait) throws InterruptedException {
        lock.lockInterruptibly();
        try {
            long left = wait.toNanos();
            while (version == seen && left > 0) {
                left = news.awaitNanos(left);
            }
        } finally {
            lock.unlock();
        }
    }
}
