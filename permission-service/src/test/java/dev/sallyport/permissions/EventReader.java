package dev.sallyport.permissions;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Reads server-sent events until closed. */
public final class EventReader implements AutoCloseable {

    private static final JsonMapper JSON = new JsonMapper();

    private final int status;
    private final InputStream body;
    private final BlockingQueue<Event> events = new LinkedBlockingQueue<>();
    private final AtomicInteger comments = new AtomicInteger();
    private volatile long retry = -1;
    private volatile boolean ended;

    public record Event(long id, String type, JsonNode data) {}

    EventReader(int status, InputStream body) {
        this.status = status;
        this.body = body;
        Thread.ofVirtual().start(this::read);
    }

    private void read() {
        try (BufferedReader lines = new BufferedReader(new InputStreamReader(body, StandardCharsets.UTF_8))) {
            long id = -1;
            String type = "";
            for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                if (line.startsWith(":")) {
                    comments.incrementAndGet();
                } else if (line.startsWith("retry: ")) {
                    retry = Long.parseLong(line.substring(7));
                } else if (line.startsWith("id: ")) {
                    id = Long.parseLong(line.substring(4));
                } else if (line.startsWith("event: ")) {
                    type = line.substring(7);
                } else if (line.startsWith("data: ")) {
                    events.add(new Event(id, type, JSON.readTree(line.substring(6))));
                }
            }
        } catch (IOException e) {
            // closed by the test or by the service
        }
        ended = true;
    }

    public int status() {
        return status;
    }

    public long retry() {
        return retry;
    }

    public int comments() {
        return comments.get();
    }

    public boolean ended() {
        return ended;
    }

    public Event next() throws InterruptedException {
        Event event = events.poll(20, TimeUnit.SECONDS);
        if (event == null) {
            throw new AssertionError("no event within 20 s");
        }
        return event;
    }

    public boolean isEmpty() {
        return events.isEmpty();
    }

    @Override
    public void close() {
        try {
            body.close();
        } catch (IOException e) {
            // it may be closed already
        }
    }
}
