package dev.sallyport.gateway.permission;

import dev.sallyport.identity.CallId;
import dev.sallyport.identity.ChildId;
import dev.sallyport.identity.SessionId;
import dev.sallyport.identity.Tenant;
import dev.sallyport.service.Caller;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.node.ObjectNode;

/**
 * What the gateway asks the permission-service. Everything may throw {@link PermissionServiceException}: no answer is never
 * an answer.
 */
public interface PermissionService {

    /** A new session that belongs to the caller (P21). */
    Session createSession(Caller caller);

    /** Empty if there is none that the caller may see. */
    Optional<Session> session(Caller caller, SessionId id);

    /** Says who is about to ask. Registering the same child again with the same content changes nothing. */
    void register(Registration registration);

    /** The child's pending asks become {@code cancelled}. Ending a child that is unknown or has ended changes nothing. */
    void end(ChildId child, int incarnation);

    /** Held by the service until the decision is final, or {@code wait} has passed and it is {@code PENDING}. */
    PermissionDecision decide(DecisionRequest request, Duration wait) throws InterruptedException;

    /** Whose children these are. {@code owner} is a principal. */
    record Session(SessionId id, Tenant tenant, String owner) {}

    /**
     * Who a child is.
     *
     * @param workspace `none`, `read-only`, `read-write` or `clone`
     * @param narrowing policies that may only make the decision stricter (S2)
     */
    record Registration(
            ChildId child,
            Tenant tenant,
            SessionId session,
            @Nullable ChildId parent,
            int incarnation,
            String agent,
            @Nullable String definitionDigest,
            String authorityDigest,
            String workspace,
            List<Narrowing> narrowing) {

        public Registration {
            narrowing = List.copyOf(narrowing);
        }
    }

    /**
     * A policy that narrows.
     *
     * @param origin where the policy is written
     * @param permission permission.md §1.3, the value of {@code permission}
     */
    record Narrowing(String origin, ObjectNode permission) {}

    /** One thing a child wants to do. The call id makes asking again the same question. */
    record DecisionRequest(
            Tenant tenant, SessionId session, ChildId child, int incarnation, CallId callId, Subject subject) {}

    /** What is to be decided. */
    sealed interface Subject {

        /** A tool call; {@code directory} is what the child claims. */
        record Tool(String tool, ObjectNode arguments, String directory) implements Subject {}

        record Network(String host, int port) implements Subject {}
    }

    /**
     * What became of one request.
     *
     * @param reason for the child and for people
     * @param human true if a person, not a rule, settled it
     */
    record PermissionDecision(
            Outcome outcome,
            @Nullable String askId,
            @Nullable String reason,
            boolean human) {

        public boolean asked() {
            return askId != null;
        }
    }

    /** All are final but {@link #PENDING}. */
    enum Outcome {
        ALLOWED,
        DENIED,
        PENDING,
        UNAVAILABLE,
        EXPIRED,
        CANCELLED,
        SUPERSEDED;

        static Outcome parse(String wire) {
            return valueOf(wire.toUpperCase(Locale.ROOT));
        }
    }
}
