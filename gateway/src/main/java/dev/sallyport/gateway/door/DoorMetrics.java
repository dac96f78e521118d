package dev.sallyport.gateway.door;

import io.micrometer.core.instrument.MeterRegistry;
import java.math.BigDecimal;

/** Names that dashboards and alerts depend on; docs/metrics.md lists them. */
final class DoorMetrics {

    /** Counter: connections that children asked for. Tags: decision, reason. */
    static final String EGRESS_DECISIONS = "sallyport.egress.decisions";

    /** Counter: tokens that models counted. Tag: direction. */
    static final String MODEL_TOKENS = "sallyport.model.tokens";

    /** Counter: USD that the tokens of priced models cost. Tag: provider. */
    static final String MODEL_COST = "sallyport.model.cost.usd";

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

    void used(ModelUse use) {
        registry.counter(MODEL_TOKENS, "direction", "input").increment((double) use.inputTokens());
        registry.counter(MODEL_TOKENS, "direction", "output").increment((double) use.outputTokens());
        BigDecimal cost = use.costUsd();
        if (cost != null) {
            registry.counter(MODEL_COST, "provider", use.provider()).increment(cost.doubleValue());
        }
    }

    void modelRequest(String provider, String outcome) {
        registry.counter(MODEL_REQUESTS, "provider", provider, "outcome", outcome)
                .increment();
    }
}
