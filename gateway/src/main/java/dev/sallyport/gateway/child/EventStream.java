package dev.sallyport.gateway.child;

import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;
import tools.jackson.databind.util.RawValue;

/** A child's timeline as server-sent events: from any number on, without gaps, until after the last. */
final class EventStream {

    private static final int PAGE = 500;

    /** How a peer that left is noticed. */
    private static final Duration SIGN_OF_LIFE = Duration.ofSeconds(1);

    private final Timeline timeline;
    private final Children children;
    private final Lives lives;
    private final JsonMapper json;

    EventStream(Timeline timeline, Children children, Lives lives, JsonMapper json) {
        this.timeline = timeline;
        this.children = children;
        this.lives = lives;
        this.json = json;
    }

    void write(Child child, long after, boolean follow, HttpServletResponse response) {
        response.setContentType("text/event-stream;charset=UTF-8");
        response.setHeader("Cache-Control", "no-store");
        try {
            write(child, after, follow, response.getOutputStream());
        } catch (IOException e) {
            // The peer left; it resumes by the last id that it has seen.
        }
    }

    private void write(Child child, long after, boolean follow, OutputStream out) throws IOException {
        long seen = after;
        while (true) {
            Optional<LiveChild> live = lives.find(child.id());
            long version = live.map(one -> one.news().version()).orElse(0L);
            List<Event> events = timeline.after(child.id(), seen, PAGE);
            for (Event event : events) {
                out.write(frame(event));
                seen = event.seq();
            }
            out.flush();
            boolean newest = events.size() < PAGE;
            if (newest && (!follow || over(child, live, events))) {
                return;
            }
            if (newest && !awaitNews(live, version)) {
                return;
            }
            if (newest) {
                out.write(":\n\n".getBytes(StandardCharsets.UTF_8));
                out.flush();
            }
        }
    }

    /** Nothing comes after the last event, also for somebody who has seen it already, or whose child was deleted. */
    private boolean over(Child child, Optional<LiveChild> live, List<Event> events) {
        if (!events.isEmpty()) {
            return events.getLast().last();
        }
        return live.isEmpty()
                && children.find(child.id()).map(now -> now.endedAt() != null).orElse(true);
    }

    /** @return false if we are to stop */
    private static boolean awaitNews(Optional<LiveChild> live, long version) {
        try {
            if (live.isPresent()) {
                if (live.get().abandoned()) {
                    return false;
                }
                live.get().news().await(version, SIGN_OF_LIFE);
            } else {
                Thread.sleep(SIGN_OF_LIFE);
            }
            return true;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
    }

    private byte[] frame(Event event) {
        ObjectNode data = json.createObjectNode()
                .put("seq", event.seq())
                .put("at", event.at().toString())
                .put("source", event.source().wire())
                .put("type", event.type());
        data.putRawValue("data", new RawValue(event.data()));
        // JSON has no line breaks of its own, so one data line holds it.
        return "id: %d\nevent: %s\ndata: %s\n\n"
                .formatted(event.seq(), event.type(), json.writeValueAsString(data))
                .getBytes(StandardCharsets.UTF_8);
    }
}
