package dev.sallyport.permissions.session;

import dev.sallyport.identity.Role;
import dev.sallyport.identity.SessionId;
import dev.sallyport.identity.Tenant;
import dev.sallyport.service.Caller;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * One delegating session (P21).
 *
 * @param approvers principals who may answer its asks; empty means everybody of the tenant who may approve at all
 * @param escalateAfter how long an ask waits for {@code approvers} before every approver of the tenant may answer it
 */
public record Session(
        SessionId id,
        Tenant tenant,
        String owner,
        List<String> approvers,
        @Nullable Duration escalateAfter,
        Instant createdAt) {

    public Session {
        approvers = List.copyOf(approvers);
    }

    /** An agent's token sees its own sessions only; people and services see those of their tenant. */
    public boolean visibleTo(Caller caller) {
        return tenant.equals(caller.tenant())
                && (caller.kind() != Caller.Kind.SESSION
                        || owner.equals(caller.principal())
                        || id.value().equals(caller.principal()));
    }

    /** Whether this caller may ever answer an ask of this session, and so may drain it (S23, S24). */
    public boolean drainableBy(Caller caller) {
        return mayApprove(caller) && (named(caller) || escalateAfter != null);
    }

    /** Whether this caller may answer an ask of this session that has waited since {@code askedAt}. */
    public boolean answerableBy(Caller caller, Instant askedAt, Instant now) {
        return mayApprove(caller)
                && (named(caller) || (escalateAfter != null && !now.isBefore(askedAt.plus(escalateAfter))));
    }

    // Children have no tokens at all, and a session is itself an agent: only a person approves (S23).
    private boolean mayApprove(Caller caller) {
        return tenant.equals(caller.tenant()) && caller.kind() == Caller.Kind.PERSON && caller.has(Role.APPROVE);
    }

    private boolean named(Caller caller) {
        return approvers.isEmpty() || approvers.contains(caller.principal());
    }
}
