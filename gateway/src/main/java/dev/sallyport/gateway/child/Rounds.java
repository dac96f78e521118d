package dev.sallyport.gateway.child;

import java.time.Duration;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.context.SmartLifecycle;

/** What is done again and again while the gateway runs: before it serves, children are adopted; afterwards, looked after. */
final class Rounds implements SmartLifecycle {

    private static final Logger log = LoggerFactory.getLogger(Rounds.class);

    private static final Duration DEADLINES = Duration.ofMillis(200);
    private static final Duration SWEEPS = Duration.ofSeconds(10);
    private static final Duration FORGETTING = Duration.ofMinutes(10);

    private final Reaper reaper;
    private final Lives lives;
    private final ScheduledExecutorService clockwork = Executors.newScheduledThreadPool(
            2, Thread.ofPlatform().daemon().name("rounds-", 0).factory());

    private volatile boolean running;

    Rounds(Reaper reaper, Lives lives) {
        this.reaper = reaper;
        this.lives = lives;
    }

    @Override
    public void start() {
        running = true;
        reaper.adopt();
        every(DEADLINES, lives::tick);
        every(SWEEPS, reaper::sweep);
        every(FORGETTING, reaper::forget);
    }

    private void every(Duration period, Runnable round) {
        // An exception would end the schedule without a word.
        Runnable guarded = () -> {
            try {
                round.run();
            } catch (RuntimeException e) {
                log.error("a round failed; the next one tries again", e);
            }
        };
        var _ = clockwork.scheduleWithFixedDelay(guarded, 0, period.toMillis(), TimeUnit.MILLISECONDS);
    }

    @Override
    public void stop() {
        clockwork.shutdownNow();
        lives.close();
        running = false;
    }

    @Override
    public boolean isRunning() {
        return running;
    }

    /** Before the web server, and stopped after it. */
    @Override
    public int getPhase() {
        return 0;
    }
}
