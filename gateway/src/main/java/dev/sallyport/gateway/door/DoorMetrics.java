package dev.sallyport.gateway.door;

import io.micrometer.core.instrument.MeterRegistry;

/** Names that dashboards and alerts depend on; docs/metrics.md lists them. */
final class DoorMetrics {

    /** Counter: connections that children asked for. Tags: decision, reason. */
    static final String EGRESS_DECISIONS = "sallyport.egress.decisions";

    /** Counter: tokens that models counted. Tag: direction. */
    static final String MODEL_TOKENS = "sallyport.model.tokens";

    /** Counter: requests to models. Tags: provider, outcome. */
    static final String MODEL_REQUESTS = "sallyport.model.requests";

    private final MeterRegistry registry;

    DoorMetrics(MeterRegistry registry) {
        this.registry = registry;
    }

    void egress(boolean allowed, String reason) {
        registry.counter(EGRESS_DECISIONS, "decision", allowed ? "allowed" : "denied", "reason", reason)
                .increment();
    }

    void tokens(long input, long output) {
        registry.counter(MODEL_TOKENS, "direction", "input").increment((double) input);
        registry.counter(MODEL_TOKENS, "direction", "output").increment((double) output);
    }

    void modelRequest(String provider, String outcome) {
        registry.counter(MODEL_REQUESTS, "provider", provider, "outcome", outcome)
                .increment();
    }
}
