package dev.sallyport.gateway.routing;

import io.micrometer.core.instrument.MeterRegistry;

/** Names that dashboards and alerts depend on; docs/metrics.md lists them. */
final class RoutingMetrics {

    /** Counter: questions to the operator's selector. Tag: outcome. */
    static final String MODEL_SELECTIONS = "sallyport.model.selections";

    private final MeterRegistry meters;

    RoutingMetrics(MeterRegistry meters) {
        this.meters = meters;
    }

    void asked(Selection.Outcome outcome) {
        meters.counter(MODEL_SELECTIONS, "outcome", outcome.wire()).increment();
    }
}
