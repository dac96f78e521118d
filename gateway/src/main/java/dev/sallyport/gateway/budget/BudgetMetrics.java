package dev.sallyport.gateway.budget;

import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;

/** Names that dashboards and alerts depend on; docs/metrics.md lists them. */
final class BudgetMetrics {

    /** Gauge: of all budgets of children that live, the one that is used up most, 0 to 1. Tag: budget. */
    static final String USED_RATIO = "sallyport.budget.used.ratio";

    private BudgetMetrics() {}

    static void watch(Ledger ledger, MeterRegistry meters) {
        for (Kind kind : Kind.values()) {
            Gauge.builder(USED_RATIO, () -> ledger.mostUsed(kind))
                    .tag("budget", kind.key())
                    .register(meters);
        }
    }
}
