package dev.sallyport.gateway.child;

import dev.sallyport.gateway.budget.Kind;
import dev.sallyport.gateway.sandbox.SandboxId;
import dev.sallyport.gateway.sandbox.VolumeId;
import dev.sallyport.identity.ChildId;
import dev.sallyport.identity.SessionId;
import dev.sallyport.identity.Tenant;
import java.math.BigDecimal;
import java.time.Instant;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A child as the database had it at one moment.
 *
 * @param owner principal of the session
 * @param deadline of the state it is in
 * @param ending why it ends, decided once; it has ended when {@code endedAt} is set too
 * @param base commit its clone was made from
 * @param tip commit its branch was imported at; equals the base where it changed nothing
 * @param salvage file that holds what a clone left behind without a branch
 * @param containment as JSON
 * @param settled whether nothing of it is left anywhere
 * @param resumes the child whose conversation it goes on with
 * @param resumedBy the child that goes on with its conversation
 */
record Child(
        ChildId id,
        Tenant tenant,
        SessionId session,
        String owner,
        String principal,
        @Nullable ChildId parent,
        Terms terms,
        ChildState state,
        int incarnation,
        @Nullable Integer uid,
        Instant createdAt,
        @Nullable Instant startedAt,
        @Nullable Instant deadline,
        @Nullable Ending ending,
        @Nullable Instant endedAt,
        @Nullable String base,
        @Nullable String tip,
        @Nullable String salvage,
        String containment,
        Reported reported,
        Usage usage,
        Map<Kind, Spent> budgets,
        Decisions decisions,
        boolean settled,
        @Nullable ChildId resumes,
        @Nullable ChildId resumedBy) {

    /** What the child has told of itself in this incarnation. */
    record Reported(long n, long events, long bytes) {}

    record Usage(
            long modelCalls,
            long inputTokens,
            long outputTokens,
            @Nullable BigDecimal costUsd) {}

    /** Of one budget, as {@link dev.sallyport.containment.Budgets} counts it; {@code held} by calls on their way. */
    record Spent(long most, long used, long held) {}

    /** @param approved those of {@code allowed} that a person, not a rule, settled */
    record Decisions(long allowed, long denied, long asked, long approved, long unavailable) {}

    SandboxId sandbox() {
        return new SandboxId(id, incarnation);
    }

    VolumeId volume() {
        return new VolumeId(id);
    }
}
