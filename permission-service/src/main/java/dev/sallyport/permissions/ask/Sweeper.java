package dev.sallyport.permissions.ask;

import dev.sallyport.permissions.PermissionProperties;
import dev.sallyport.permissions.lease.Comeback;
import dev.sallyport.permissions.lease.Leases;
import java.time.Instant;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.context.SmartLifecycle;
import org.springframework.stereotype.Component;

/**
 * Looks at every deadline, whether or not somebody waits for it. Each replica sweeps; a change is made by whichever comes
 * first. Nobody else ends an ask for being late or unanswerable, so a waiter only has to watch.
 */
@Component
class Sweeper implements SmartLifecycle {

    private static final Logger log = LoggerFactory.getLogger(Sweeper.class);

    private final Asks asks;
    private final Leases leases;
    private final Comeback comeback;
    private final PermissionProperties properties;
    private @Nullable ScheduledExecutorService timer;

    Sweeper(Asks asks, Leases leases, Comeback comeback, PermissionProperties properties) {
        this.asks = asks;
        this.leases = leases;
        this.comeback = comeback;
        this.properties = properties;
    }

    private void sweep() {
        try {
            Instant now = comeback.look();
            leases.endStale(now);
            // Mostly there is nothing to do, and then nobody is kept waiting.
            if (!asks.overdue(now).isEmpty() || !asks.unanswerable(now).isEmpty()) {
                asks.alone(() -> {
                    asks.overdue(now).forEach(asks::expire);
                    asks.unanswerable(now).forEach(found -> asks.abandon(found.ask(), found.absence()));
                    return true;
                });
            }
        } catch (RuntimeException e) {
            // The top of a thread: without the database nothing expires and nothing is approved; the next sweep sees
            // it.
            log.warn("deadlines are not looked at: {}", e.getMessage());
        }
    }

    @Override
    public synchronized void start() {
        ScheduledExecutorService started = Executors.newSingleThreadScheduledExecutor(
                Thread.ofPlatform().name("sweeper").daemon().factory());
        long interval = properties.sweep().toNanos();
        var _ = started.scheduleWithFixedDelay(this::sweep, 0, interval, TimeUnit.NANOSECONDS);
        timer = started;
    }

    @Override
    public synchronized void stop() {
        if (timer != null) {
            timer.close();
            timer = null;
        }
    }

    @Override
    public synchronized boolean isRunning() {
        return timer != null;
    }
}
