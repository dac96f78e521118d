package dev.sallyport.gateway.child;

import dev.sallyport.gateway.door.Verdict;
import dev.sallyport.gateway.permission.PermissionService;
import dev.sallyport.gateway.permission.PermissionService.DecisionRequest;
import dev.sallyport.gateway.permission.PermissionService.Outcome;
import dev.sallyport.gateway.permission.PermissionService.PermissionDecision;
import dev.sallyport.gateway.permission.PermissionService.Subject;
import dev.sallyport.gateway.permission.PermissionServiceException;
import dev.sallyport.identity.CallId;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;

/**
 * Brings what one child wants to do before the permission-service. INVARIANT: only its word {@code allowed} allows; no
 * answer, a broken answer and an unknown answer do not.
 */
final class Authorizer {

    private static final Duration AT_ONCE = Duration.ZERO;
    private static final Duration RETRY = Duration.ofMillis(200);

    /** A call is held for at most 25 s, and the runner asks again at once. */
    private static final Duration ASKS_AGAIN_WITHIN = Duration.ofSeconds(35);

    private final LiveChild live;
    private final PermissionService permissions;
    private final Timeline timeline;
    private final ChildMetrics metrics;
    private final Duration patience;
    private final Clock clock;
    private final JsonMapper json;

    /** Calls that the permission-service has not answered at all, and since when. */
    private final Map<CallId, Instant> unanswered = new ConcurrentHashMap<>();

    Authorizer(
            LiveChild live,
            PermissionService permissions,
            Timeline timeline,
            ChildMetrics metrics,
            Duration patience,
            Clock clock,
            JsonMapper json) {
        this.live = live;
        this.permissions = permissions;
        this.timeline = timeline;
        this.metrics = metrics;
        this.patience = patience;
        this.clock = clock;
        this.json = json;
    }

    /** @param what shown in the timeline, such as the tool's name */
    Verdict authorize(CallId call, String what, Subject subject, Duration wait) throws InterruptedException {
        long start = System.nanoTime();
        Child child = live.child();
        var request =
                new DecisionRequest(child.tenant(), child.session(), child.id(), child.incarnation(), call, subject);
        Verdict verdict;
        try {
            verdict = decided(request, what, start + wait.toNanos());
        } catch (PermissionServiceException.Refused e) {
            // Such as one call id for two calls: nobody was asked, and nobody will be.
            verdict = new Verdict(Verdict.Decision.DENIED, "not a question that can be asked: " + e.code(), null);
            record(call, what, new PermissionDecision(Outcome.DENIED, null, verdict.reason(), false));
        }
        metrics.authorized(verdict.decision(), System.nanoTime() - start);
        return verdict;
    }

    private Verdict decided(DecisionRequest request, String what, long until) throws InterruptedException {
        // Asked without waiting first, so that a person who is asked is seen to be asked.
        Duration hold = AT_ONCE;
        while (true) {
            PermissionDecision decision = null;
            try {
                decision = permissions.decide(request, hold);
                unanswered.remove(request.callId());
            } catch (PermissionServiceException.Unreachable e) {
                if (longUnanswered(request.callId())) {
                    return settled(request.callId(), what, unavailable());
                }
                live.news().await(live.news().version(), RETRY);
            }
            if (decision != null && decision.outcome() != Outcome.PENDING) {
                return settled(request.callId(), what, decision);
            }
            hold = Duration.ofNanos(until - System.nanoTime());
            if (decision != null) {
                pending(request.callId(), what, decision);
            }
            if (hold.isNegative() || hold.isZero()) {
                return new Verdict(Verdict.Decision.PENDING, null, decision == null ? null : decision.askId());
            }
            if (decision == null) {
                hold = AT_ONCE;
            }
        }
    }

    private boolean longUnanswered(CallId call) {
        Instant now = clock.instant();
        Instant since = unanswered.computeIfAbsent(call, _ -> now);
        return !now.isBefore(since.plus(patience));
    }

    private static PermissionDecision unavailable() {
        return new PermissionDecision(Outcome.UNAVAILABLE, null, "the permission-service does not answer", false);
    }

    private void pending(CallId call, String what, PermissionDecision decision) {
        if (live.asking(call, clock.instant().plus(ASKS_AGAIN_WITHIN))) {
            timeline.fact(live.child().id(), "ask", fact(call, what).put("askId", decision.askId()));
            live.news().raise();
        }
    }

    private Verdict settled(CallId call, String what, PermissionDecision decision) {
        unanswered.remove(call);
        if (!live.doorServes()) {
            return new Verdict(Verdict.Decision.CANCELLED, "the child has ended", decision.askId());
        }
        live.answered(call);
        record(call, what, decision);
        return new Verdict(verdictOf(decision.outcome()), decision.reason(), decision.askId());
    }

    private static Verdict.Decision verdictOf(Outcome outcome) {
        return switch (outcome) {
            case ALLOWED -> Verdict.Decision.ALLOWED;
            case DENIED -> Verdict.Decision.DENIED;
            case UNAVAILABLE -> Verdict.Decision.UNAVAILABLE;
            case EXPIRED -> Verdict.Decision.EXPIRED;
            case CANCELLED, SUPERSEDED -> Verdict.Decision.CANCELLED;
            case PENDING -> throw new IllegalArgumentException("pending is not final");
        };
    }

    void record(CallId call, String what, PermissionDecision decision) {
        ObjectNode data = fact(call, what)
                .put("decision", verdictOf(decision.outcome()).wire())
                .put("reason", decision.reason())
                .put("askId", decision.askId())
                .put("human", decision.human());
        boolean first = timeline.decided(
                live.child().sandbox(),
                call,
                verdictOf(decision.outcome()).wire(),
                decision.asked(),
                decision.human(),
                data);
        if (first) {
            live.news().raise();
        }
    }

    private ObjectNode fact(CallId call, String what) {
        return json.createObjectNode().put("callId", call.value()).put("for", what);
    }
}
