package dev.sallyport.permissions.ask;

import dev.sallyport.permissions.PermissionProperties;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.postgresql.PGConnection;
import org.postgresql.PGNotification;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.context.SmartLifecycle;
import org.springframework.stereotype.Component;

/**
 * Wakes whoever waits for an ask, on whichever replica it changed. A hint and no truth: a waiter that is woken, or was not
 * woken for a while, looks into the database.
 */
@Component
class AskChanges implements SmartLifecycle {

    private static final Logger log = LoggerFactory.getLogger(AskChanges.class);

    /** Wakes at the change of any ask. */
    static final String ANY = "*";

    private final DataSource dataSource;
    private final PermissionProperties properties;
    private final Map<String, Set<Waiter>> waiters = new ConcurrentHashMap<>();
    private volatile boolean running;
    private volatile boolean stopping;
    private @Nullable Thread listener;

    AskChanges(DataSource dataSource, PermissionProperties properties) {
        this.dataSource = dataSource;
        this.properties = properties;
    }

    /** One who waits; begins to collect news when made, so that nothing between two looks is missed. */
    final class Waiter implements AutoCloseable {

        private final String topic;
        private final Semaphore news = new Semaphore(0);

        private Waiter(String topic) {
            this.topic = topic;
        }

        /** Returns at news, at the latest after {@code longest} or the poll interval; false when the service stops. */
        boolean await(Duration longest) throws InterruptedException {
            Duration wait = longest.compareTo(properties.poll()) < 0 ? longest : properties.poll();
            if (!stopping && news.tryAcquire(wait.toNanos(), TimeUnit.NANOSECONDS)) {
                news.drainPermits();
            }
            return !stopping;
        }

        @Override
        public void close() {
            waiters.computeIfPresent(topic, (_, others) -> {
                others.remove(this);
                return others.isEmpty() ? null : others;
            });
        }
    }

    Waiter waitFor(String topic) {
        Waiter waiter = new Waiter(topic);
        waiters.compute(topic, (_, others) -> {
            Set<Waiter> all = others == null ? ConcurrentHashMap.newKeySet() : others;
            all.add(waiter);
            return all;
        });
        return waiter;
    }

    boolean isAwaited(String topic) {
        return waiters.containsKey(topic);
    }

    private void wake(String topic) {
        waiters.getOrDefault(topic, Set.of()).forEach(waiter -> waiter.news.release());
    }

    private void wakeAll() {
        waiters.keySet().forEach(this::wake);
    }

    private void listen() {
        while (running) {
            try (Connection connection = dataSource.getConnection();
                    Statement statement = connection.createStatement()) {
                statement.execute("listen permissions_ask");
                log.debug("listening for changes of asks");
                wakeAll();
                try {
                    hear(connection.unwrap(PGConnection.class));
                } finally {
                    statement.execute("unlisten *");
                }
            } catch (SQLException e) {
                log.warn("not listening for changes of asks, only polling: {}", e.getMessage());
                pause();
            }
        }
    }

    private void hear(PGConnection connection) throws SQLException {
        while (running) {
            PGNotification[] notifications =
                    connection.getNotifications((int) properties.poll().toMillis());
            if (notifications != null) {
                for (PGNotification notification : notifications) {
                    wake(notification.getParameter());
                }
                if (notifications.length > 0) {
                    wake(ANY);
                }
            }
        }
    }

    private void pause() {
        try {
            Thread.sleep(properties.poll());
        } catch (InterruptedException e) {
            running = false;
            Thread.currentThread().interrupt();
        }
    }

    @Override
    public void start() {
        stopping = false;
        running = true;
        listener = Thread.ofVirtual().name("ask-changes").start(this::listen);
    }

    /** Lets held requests go before the web server waits for them. */
    @Override
    public void stop() {
        stopping = true;
        running = false;
        wakeAll();
        Thread thread = listener;
        if (thread != null) {
            try {
                // It may hold a connection; the pool closes only after this returned.
                thread.join(properties.poll().plusSeconds(1));
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
    }

    @Override
    public boolean isRunning() {
        return running;
    }

    /** The highest: started after all else and stopped before the web server, whose graceful end would wait for us. */
    @Override
    public int getPhase() {
        return Integer.MAX_VALUE;
    }
}
