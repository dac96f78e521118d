package dev.sallyport.cli;

import java.io.IOException;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Asks as they come. While it is open it holds the lease of its sessions: they count as answering (S24). */
final class Inbox {

    /** A comment comes every second; the lease is stale soon after it stops. */
    private static final Duration SILENCE = Duration.ofSeconds(10);

    // Below the two seconds after which a session counts as not answering.
    private static final Duration PAUSE = Duration.ofMillis(250);

    private final Connection connection;
    private final String path;
    private final Output output;
    private final Consumer<Ask> ended;
    private final Map<String, Ask> latest = new HashMap<>();
    private final BlockingQueue<Item> items = new LinkedBlockingQueue<>();

    private sealed interface Item {}

    private record Asked(String id) implements Item {}

    private record Broken(Failure failure) implements Item {}

    /** @param ended is told of an ask that somebody else or time has settled, on the inbox's own thread */
    Inbox(Connection connection, String path, Output output, Consumer<Ask> ended) {
        this.connection = connection;
        this.path = path;
        this.output = output;
        this.ended = ended;
    }

    void open() {
        Thread.ofPlatform().daemon().name("inbox").start(this::drain);
    }

    /** The next ask that is still pending, in the order they came. */
    Ask next() throws InterruptedException {
        while (true) {
            switch (items.take()) {
                case Broken broken -> throw broken.failure();
                case Asked asked -> {
                    Ask ask = latest(asked.id());
                    if (ask != null && ask.pending()) {
                        return ask;
                    }
                }
            }
        }
    }

    private synchronized @Nullable Ask latest(String id) {
        return latest.get(id);
    }

    private void drain() {
        String last = "";
        boolean lost = false;
        try {
            while (true) {
                try (EventStream stream = connection.permissions().events(path, last, SILENCE)) {
                    if (lost) {
                        output.note("sallyport: here again");
                        lost = false;
                    }
                    for (EventStream.Event event = stream.next(); event != null; event = stream.next()) {
                        last = event.id();
                        if (event.type().equals("ask")) {
                            take(new Ask(Json.parse(event.data())));
                        }
                    }
                } catch (IOException e) {
                    // The service went away or fell silent; the pause below, then again.
                } catch (Failure failure) {
                    if (!failure.isTransient()) {
                        throw failure;
                    }
                    if (!lost) {
                        output.note("sallyport: %s; waiting for it".formatted(failure.detail()));
                    }
                    lost = true;
                }
                Thread.sleep(PAUSE);
            }
        } catch (Failure failure) {
            items.add(new Broken(failure));
        } catch (RuntimeException e) {
            items.add(new Broken(Failure.of("answer-invalid", "the inbox sent something that is no ask")));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void take(Ask ask) {
        Ask before;
        synchronized (this) {
            before = latest.put(ask.id(), ask);
        }
        if (before == null && ask.pending()) {
            items.add(new Asked(ask.id()));
        } else if (before != null && before.pending() && !ask.pending()) {
            ended.accept(ask);
        }
    }
}
