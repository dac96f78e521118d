package dev.sallyport.gateway.child;

import dev.sallyport.gateway.child.LifeSettings.EventLimits;
import dev.sallyport.gateway.door.DoorProblem;
import dev.sallyport.gateway.door.Report;
import dev.sallyport.identity.ChildId;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.locks.ReentrantLock;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;

/** Takes what one child reports of itself: every number once, and no more of it than is allowed (S4). */
final class Reports {

    private static final int HEAD = 1024;

    private final LiveChild live;
    private final Children children;
    private final Timeline timeline;
    private final EventLimits limits;
    private final ChildMetrics metrics;
    private final JsonMapper json;
    private final Rate rate;
    private final Rate causedRate;
    private final ReentrantLock oneAtATime = new ReentrantLock(true);
    private Child.Reported reported;

    // Since this gateway has it; both guarded by causing.
    private final Object causing = new Object();
    private long causedFacts;
    private long causedBytes;

    Reports(
            LiveChild live,
            Children children,
            Timeline timeline,
            EventLimits limits,
            ChildMetrics metrics,
            JsonMapper json) {
        this.live = live;
        this.children = children;
        this.timeline = timeline;
        this.limits = limits;
        this.metrics = metrics;
        this.json = json;
        this.rate = new Rate(limits.perSecond(), Duration.ofSeconds(1), System::nanoTime);
        this.causedRate = new Rate(limits.perSecond(), Duration.ofSeconds(1), System::nanoTime);
        this.reported = live.child().reported();
    }

    /** Returns the greatest number stored so far */
    long take(List<Report> reports) {
        oneAtATime.lock();
        try {
            while (true) {
                long before = reported.n();
                List<Report> fresh =
                        reports.stream().filter(report -> report.n() > before).toList();
                if (fresh.isEmpty()) {
                    return before;
                }
                if (stored(before, fresh.stream().map(this::cut).toList())) {
                    // Whole: what was too long to keep is compared all the same.
                    fresh.forEach(this::heed);
                    return reported.n();
                }
                reported = reread();
            }
        } finally {
            oneAtATime.unlock();
        }
    }

    /**
     * Counts what the child makes others write down, be it a decision, an ask or a refused bundle: no more of that than
     * it may say itself.
     *
     * @param bytes of its own text in it
     * @throws DoorProblem if it is too much, which ends the child
     */
    void caused(long bytes) {
        boolean tooMuch;
        synchronized (causing) {
            causedFacts++;
            causedBytes += bytes;
            tooMuch = causedFacts > limits.total() || causedBytes > limits.totalBytes();
        }
        if (tooMuch) {
            throw ended("asked for");
        }
        pause(causedRate.take(1));
    }

    private DoorProblem ended(String did) {
        live.decide(new Ending(
                EndReason.EVENTS_LIMIT,
                "it %s more than %d events or %d bytes".formatted(did, limits.total(), limits.totalBytes())));
        return new DoorProblem(429, "events-limit", "this child has %s more than it may".formatted(did));
    }

    private void heed(Report report) {
        if (report.type() == Report.Type.EXTENSION_TOOLS) {
            Offer offer = Offer.of(report.data());
            live.offers(offer.extension(), offer.tools());
        } else if (report.type() == Report.Type.STARTED) {
            live.claim(Evidence.of(report.data()));
        }
    }

    private boolean stored(long before, List<Report> fresh) {
        long bytes = fresh.stream().mapToLong(this::size).sum();
        Child.Reported after =
                new Child.Reported(fresh.getLast().n(), reported.events() + fresh.size(), reported.bytes() + bytes);
        if (after.events() > limits.total() || after.bytes() > limits.totalBytes()) {
            throw ended("reported");
        }
        pause(rate.take(fresh.size()));
        if (!timeline.reported(live.child().sandbox(), before, fresh, bytes)) {
            return false;
        }
        reported = after;
        metrics.stored(fresh.size());
        live.news().raise();
        return true;
    }

    /** Somebody else wrote, or an earlier write of ours went through although we did not hear of it. */
    private Child.Reported reread() {
        Child now = children.find(live.child().id()).orElse(null);
        if (now == null
                || now.endedAt() != null
                || now.incarnation() != live.child().incarnation()) {
            throw gone(live.child().id());
        }
        return now.reported();
    }

    private static DoorProblem gone(ChildId child) {
        return new DoorProblem(410, "child-ended", "child %s has ended".formatted(child));
    }

    private static void pause(Duration duration) {
        try {
            Thread.sleep(duration);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new DoorProblem(503, "interrupted", "the door is closing");
        }
    }

    private Report cut(Report report) {
        byte[] data = bytes(report);
        if (data.length <= limits.bytes()) {
            return report;
        }
        ObjectNode note = json.createObjectNode()
                .put("truncated", true)
                .put("bytes", data.length)
                .put("head", new String(data, 0, HEAD, StandardCharsets.UTF_8));
        return new Report(report.n(), report.type(), note);
    }

    private long size(Report report) {
        return bytes(report).length;
    }

    private byte[] bytes(Report report) {
        return json.writeValueAsBytes(report.data());
    }
}
