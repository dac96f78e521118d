package dev.sallyport.permissions.ask;

import dev.sallyport.permissions.Outages;
import java.time.Duration;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.stereotype.Component;

/** Holds a request until an ask is final. Holds no connection of the database meanwhile. */
@Component
public class AskWaits {

    private static final Logger log = LoggerFactory.getLogger(AskWaits.class);

    private final AskChanges changes;

    AskWaits(AskChanges changes) {
        this.changes = changes;
    }

    /**
     * The ask as it is when it is final, when {@code wait} is over or when the service stops, whichever comes first. While
     * the database is away there is no news: the ask is as it was last seen, and what is pending stays so.
     *
     * @param ask as just read
     * @param again reads it again
     */
    public Ask await(Ask ask, Duration wait, Supplier<Ask> again) {
        long end = System.nanoTime() + wait.toNanos();
        Ask seen = ask;
        try (AskChanges.Waiter waiter = changes.waitFor(ask.id().value())) {
            seen = look(seen, again);
            while (!seen.state().isFinal()) {
                Duration left = Duration.ofNanos(end - System.nanoTime());
                if (left.isNegative() || left.isZero() || !waiter.await(left)) {
                    break;
                }
                seen = look(seen, again);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        return seen;
    }

    private static Ask look(Ask seen, Supplier<Ask> again) {
        try {
            return again.get();
        } catch (RuntimeException e) {
            Outages.require(e);
            log.info("ask {} can not be read while it is waited for: {}", seen.id(), e.getMessage());
            return seen;
        }
    }
}
