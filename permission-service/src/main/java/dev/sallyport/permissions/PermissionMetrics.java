package dev.sallyport.permissions;

/** Names that dashboards and alerts depend on. docs/metrics.md lists them; MetricsDocumentationTest keeps both equal. */
public final class PermissionMetrics {

    /** Counter: first answers to calls. Tags: {@link #DECISION}. */
    public static final String DECISIONS = "sallyport.decisions";

    /** Gauge: asks that are in a state now. Tags: {@link #STATE}. */
    public static final String ASKS = "sallyport.asks";

    /** Timer: from an ask's creation to its final state. Tags: {@link #OUTCOME}. */
    public static final String ASK_WAIT = "sallyport.ask.wait";

    /** Counter: asks that became unavailable. Tags: {@link #CONDITION}. */
    public static final String ASKS_UNAVAILABLE = "sallyport.asks.unavailable";

    /** Gauge: age of the longest unrefreshed live lease. */
    public static final String LEASE_AGE = "sallyport.lease.age";

    public static final String DECISION = "decision";
    public static final String STATE = "state";
    public static final String OUTCOME = "outcome";
    public static final String CONDITION = "condition";

    private PermissionMetrics() {}
}
