package dev.sallyport.gateway.child;

import java.util.Locale;

/** Why a child ended: the closed list that clients, metrics and alerts rely on. Each belongs to one final state. */
enum EndReason {
    EXITED(ChildState.COMPLETED),
    EXIT_CODE(ChildState.FAILED),
    OOM_KILLED(ChildState.FAILED),
    RUNNER_FAILED(ChildState.FAILED),
    MODEL_SCRIPT_EXHAUSTED(ChildState.FAILED),
    /** It failed after a model call was refused because of a budget, its own or one above it. */
    BUDGET_TURNS(ChildState.FAILED),
    BUDGET_TOKENS(ChildState.FAILED),
    BUDGET_COST(ChildState.FAILED),
    WORKSPACE_CHANGED(ChildState.FAILED),
    WORKSPACE_REFUSED(ChildState.FAILED),
    /** An extension is not what it was when the child was accepted. */
    EXTENSION_CHANGED(ChildState.FAILED),
    EVENTS_LIMIT(ChildState.FAILED),
    IMAGE_NOT_FOUND(ChildState.FAILED),
    RUNTIME_NOT_FOUND(ChildState.FAILED),
    SANDBOX_REFUSED(ChildState.FAILED),
    CONTAINMENT_UNAVAILABLE(ChildState.FAILED),
    /** Its runner said nothing of what is active before its time was over. */
    EVIDENCE_MISSING(ChildState.FAILED),
    /** What its runner said contradicts its authority. */
    CAPABILITY_MISMATCH(ChildState.FAILED),
    DOOR_UNAVAILABLE(ChildState.FAILED),
    DOOR_TAMPERED(ChildState.FAILED),
    UIDS_EXHAUSTED(ChildState.FAILED),
    PERMISSION_SERVICE_UNAVAILABLE(ChildState.FAILED),
    PREPARE_TIMEOUT(ChildState.FAILED),
    /** A defect of ours; the log has it. */
    GATEWAY_FAILED(ChildState.FAILED),
    CANCELLED(ChildState.CANCELLED),
    /** Whoever started it is over (authority.md 11.8). */
    PARENT_ENDED(ChildState.CANCELLED),
    WALL_CLOCK(ChildState.TIMED_OUT),
    /** Its sandbox is gone, and nobody saw how. */
    RUNNER_LOST(ChildState.LOST),
    ENGINE_UNAVAILABLE(ChildState.LOST);

    private final ChildState state;

    EndReason(ChildState state) {
        this.state = state;
    }

    ChildState state() {
        return state;
    }

    /** {@code oom_killed}: stable, for machines. */
    String wire() {
        return name().toLowerCase(Locale.ROOT);
    }

    static EndReason parse(String wire) {
        return valueOf(wire.toUpperCase(Locale.ROOT));
    }
}
