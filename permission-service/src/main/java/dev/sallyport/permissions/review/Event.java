package dev.sallyport.permissions.review;

/** What a review entry is about. Names are those of permission.md 6 where it has one. */
public enum Event {
    DECISION_ALLOWED("permission_request.allowed"),
    DECISION_BLOCKED("permission_request.blocked"),
    ASK_WAITING("permission_request.waiting"),
    ASK_APPROVED("permission_request.approved"),
    ASK_DENIED("permission_request.denied"),
    ASK_EXPIRED("permission_request.expired"),
    ASK_UNAVAILABLE("permission_request.unavailable"),
    ASK_CANCELLED("permission_request.cancelled"),
    ASK_SUPERSEDED("permission_request.superseded"),
    /** An answer that came second, or after the end: kept, so that the log has both (T81e). */
    ANSWER_REFUSED("permission_request.answer_refused"),
    LEASE_ACQUIRED("forwarded_permission.serving_started"),
    LEASE_RELEASED("forwarded_permission.serving_released"),
    LEASE_STALE("forwarded_permission.serving_stale");

    private final String wire;

    Event(String wire) {
        this.wire = wire;
    }

    public String wire() {
        return wire;
    }
}
