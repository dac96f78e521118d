package dev.sallyport.gateway.child;

import dev.sallyport.gateway.door.Verdict;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.ToDoubleFunction;

/** Names that dashboards and alerts depend on. docs/metrics.md lists them; MetricsDocumentationTest keeps both equal. */
final class ChildMetrics {

    /** Gauge: children that have not ended. Tags: {@link #STATE}. */
    static final String CHILDREN = "sallyport.children";

    /** Timer: from the request until the child has its task. */
    static final String CHILD_START = "sallyport.child.start";

    /** Counter: children that ended. Tags: {@link #REASON}. */
    static final String CHILD_ENDED = "sallyport.child.ended";

    /** Timer: one tool call or connection, from the door's question to its answer. Tags: {@link #OUTCOME}. */
    static final String AUTHORIZE = "sallyport.authorize";

    /** Counter: sandboxes and volumes that no live child claimed. Anything but zero is worth a look. Tags: {@link #KIND}. */
    static final String ORPHANS_REMOVED = "sallyport.orphans.removed";

    /** Gauge: 1 while the engine answers, else 0. */
    static final String ENGINE_UP = "sallyport.engine.up";

    /** Counter: events of children that were stored. */
    static final String EVENTS = "sallyport.child.events";

    static final String STATE = "state";
    static final String REASON = "reason";
    static final String OUTCOME = "outcome";
    static final String KIND = "kind";

    private final MeterRegistry meters;
    private final AtomicInteger engineUp = new AtomicInteger(1);

    ChildMetrics(MeterRegistry meters) {
        this.meters = meters;
        Gauge.builder(ENGINE_UP, engineUp, AtomicInteger::get).register(meters);
    }

    /** @param count how many live children are in a state */
    void watch(ToDoubleFunction<ChildState> count) {
        for (ChildState state : ChildState.values()) {
            if (!state.ended()) {
                Gauge.builder(CHILDREN, () -> count.applyAsDouble(state))
                        .tag(STATE, state.wire())
                        .register(meters);
            }
        }
    }

    void started(Duration afterRequest) {
        meters.timer(CHILD_START).record(afterRequest);
    }

    void ended(EndReason reason) {
        meters.counter(CHILD_ENDED, REASON, reason.wire()).increment();
    }

    void authorized(Verdict.Decision decision, long nanos) {
        meters.timer(AUTHORIZE, OUTCOME, decision.wire()).record(nanos, TimeUnit.NANOSECONDS);
    }

    void orphanRemoved(String kind) {
        meters.counter(ORPHANS_REMOVED, KIND, kind).increment();
    }

    void engineUp(boolean up) {
        engineUp.set(up ? 1 : 0);
    }

    void stored(int events) {
        meters.counter(EVENTS).increment(events);
    }
}
