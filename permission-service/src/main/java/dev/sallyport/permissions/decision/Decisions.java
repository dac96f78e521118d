package dev.sallyport.permissions.decision;

import dev.sallyport.ask.AskDigest;
import dev.sallyport.ask.Decider;
import dev.sallyport.identity.CallId;
import dev.sallyport.identity.ChildId;
import dev.sallyport.identity.SessionId;
import dev.sallyport.identity.Tenant;
import dev.sallyport.permission.Narrowing;
import dev.sallyport.permission.PermissionState;
import dev.sallyport.permission.Rule;
import dev.sallyport.permission.Wildcard;
import dev.sallyport.permissions.PermissionException;
import dev.sallyport.permissions.PermissionMetrics;
import dev.sallyport.permissions.PermissionProblem;
import dev.sallyport.permissions.ask.Ask;
import dev.sallyport.permissions.ask.AskWaits;
import dev.sallyport.permissions.ask.Asks;
import dev.sallyport.permissions.ask.Question;
import dev.sallyport.permissions.child.Child;
import dev.sallyport.permissions.child.Children;
import dev.sallyport.permissions.review.Details;
import dev.sallyport.permissions.review.Event;
import dev.sallyport.permissions.review.ReviewLog;
import dev.sallyport.permissions.review.ReviewLog.Ancestor;
import dev.sallyport.permissions.review.ReviewLog.Call;
import dev.sallyport.permissions.review.ReviewLog.Opening;
import dev.sallyport.permissions.review.ReviewLog.Verdict;
import dev.sallyport.text.VisibleText;
import io.micrometer.core.instrument.MeterRegistry;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.springframework.stereotype.Component;

/**
 * Decides what a child may do. The first answer to a call stands: asked again, the same question gets the same answer,
 * whatever policy or replica answers then (S26).
 */
@Component
class Decisions {

    private static final String RUNS_CODE = "runs code from the workspace, which may change";

    private final OperatorPolicy operator;
    private final Children children;
    private final Asks asks;
    private final AskWaits waits;
    private final ReviewLog review;
    private final MeterRegistry meters;

    Decisions(
            OperatorPolicy operator,
            Children children,
            Asks asks,
            AskWaits waits,
            ReviewLog review,
            MeterRegistry meters) {
        this.operator = operator;
        this.children = children;
        this.asks = asks;
        this.waits = waits;
        this.review = review;
        this.meters = meters;
    }

    /** @param incarnation the one that asks; only the live one is heard */
    record Request(Tenant tenant, SessionId session, ChildId child, int incarnation, CallId call, Action action) {}

    /** @param outcome as it goes to the gateway */
    record Decision(
            String outcome,
            @Nullable String askId,
            @Nullable String reason,
            @Nullable Decider decider) {}

    /** @throws PermissionException if the call id was used for something else, or the child is not live in this incarnation */
    Decision decide(Request request, Duration wait) {
        return children.remembered(request.child(), request.incarnation())
                .flatMap(lineage -> byRule(judged(request, lineage)))
                .orElseGet(() -> decide(request, children.lineage(request.child()), wait));
    }

    private Decision decide(Request request, List<Children.Registered> lineage, Duration wait) {
        Judged judged = judged(request, lineage);
        return byRule(judged).orElseGet(() -> {
            if (judged.judgement().state() == PermissionState.ASK) {
                Question question = question(judged.call(), judged.child(), request.action(), judged.judgement());
                switch (asks.open(question, judged.ancestors(), judged.details())) {
                    case ASKED -> count("pending");
                    case REFUSED -> count("unavailable");
                    case BEFORE -> {}
                }
            }
            return recorded(judged.call(), wait);
        });
    }

    /** A call as policy judges it before anything is written. */
    private record Judged(Call call, Child child, List<Ancestor> ancestors, Judgement judgement, Details details) {}

    private Judged judged(Request request, List<Children.Registered> lineage) {
        Child child = live(request, lineage);
        List<Narrowing.Layer> layers = lineage.stream()
                .flatMap(registered -> registered.child().narrowing().stream())
                .toList();
        List<Subject> subjects = subjects(request.action(), child);
        Judgement judgement = Judgement.of(operator, layers, subjects);
        Call call = new Call(
                request.tenant(),
                request.session(),
                request.child(),
                request.incarnation(),
                request.call(),
                digest(request, child, subjects.getFirst()).value());
        List<Ancestor> ancestors = lineage.stream()
                .skip(1)
                .map(Children.Registered::child)
                .map(ancestor -> new Ancestor(ancestor.id(), ancestor.incarnation()))
                .toList();
        return new Judged(call, child, ancestors, judgement, details(request, child, judgement));
    }

    /** @return what a rule says, if this was the first to be said and nothing it was judged by has changed */
    private Optional<Decision> byRule(Judged judged) {
        return switch (judged.judgement().state()) {
            case ALLOW -> {
                Details allowed = judged.details().with("resolution", "policy_allow");
                yield opened(judged, Event.DECISION_ALLOWED, Verdict.ALLOWED, allowed, null);
            }
            case DENY -> {
                String reason = denial(judged.judgement());
                Details denied =
                        judged.details().with("resolution", "policy_denied").with("reason", reason);
                yield opened(judged, Event.DECISION_BLOCKED, Verdict.DENIED, denied, reason);
            }
            case ASK -> Optional.empty();
        };
    }

    private Optional<Decision> opened(
            Judged judged, Event event, Verdict verdict, Details details, @Nullable String reason) {
        if (!review.open(event, judged.call(), judged.ancestors(), verdict, details)) {
            return Optional.empty();
        }
        count(verdict.wire());
        return Optional.of(new Decision(verdict.wire(), null, reason, rule(judged.judgement())));
    }

    private static Child live(Request request, List<Children.Registered> lineage) {
        if (lineage.isEmpty()
                || !lineage.getFirst().child().tenant().equals(request.tenant())
                || !lineage.getFirst().child().session().equals(request.session())) {
            throw Children.notFound(request.child());
        }
        Child child = lineage.getFirst().child();
        if (child.incarnation() != request.incarnation()) {
            throw Children.stale(child.id(), request.incarnation());
        }
        if (lineage.getFirst().ended()) {
            throw Children.ended(child.id());
        }
        return child;
    }

    private static List<Subject> subjects(Action action, Child child) {
        List<Subject> subjects = parsed(() -> Subject.of(action, child.workspace()));
        if (subjects.stream().flatMap(subject -> subject.names().stream()).anyMatch(name -> name.indexOf('\0') >= 0)) {
            throw new PermissionException(PermissionProblem.INVALID_ACTION, "a NUL in what is asked for");
        }
        return subjects;
    }

    private static AskDigest digest(Request request, Child child, Subject subject) {
        Action.Tool tool = request.action() instanceof Action.Tool found ? found : null;
        Action.Network network = request.action() instanceof Action.Network found ? found : null;
        return parsed(() -> AskDigest.of(new AskDigest.Action(
                request.tenant(),
                request.session(),
                request.child(),
                String.valueOf(request.incarnation()),
                request.call(),
                0,
                subject.surface(),
                subject.names(),
                tool == null ? null : tool.name(),
                tool == null ? null : tool.definitionDigest(),
                tool == null ? null : tool.arguments(),
                tool == null ? null : tool.directory(),
                network == null ? null : network.target().toString(),
                child.authorityDigest())));
    }

    private static <T> T parsed(Supplier<T> parsing) {
        try {
            return parsing.get();
        } catch (IllegalArgumentException e) {
            throw new PermissionException(PermissionProblem.INVALID_ACTION, String.valueOf(e.getMessage()));
        }
    }

    /** What was said to this call before, by whoever was first. */
    private Decision recorded(Call call, Duration wait) {
        Opening opening = review.opening(call.child(), call.incarnation(), call.id())
                // Nothing was written, so the child ended while we judged.
                .orElseThrow(() -> Children.ended(call.child()));
        if (!opening.digest().equals(call.digest())) {
            throw new PermissionException(
                    PermissionProblem.CALL_ID_CONFLICT,
                    "call `%s` asked for something else before".formatted(call.id()),
                    "use a new call id for a new call");
        }
        Map<String, String> details = opening.details();
        return switch (opening.verdict()) {
            case ALLOWED -> new Decision("allowed", null, null, rule(details));
            case DENIED -> new Decision("denied", null, details.get("reason"), rule(details));
            case UNAVAILABLE ->
                new Decision("unavailable", null, details.get("reason"), new Decider.Policy("too-many-asks"));
            case PENDING -> asked(call, wait);
        };
    }

    private Decision asked(Call call, Duration wait) {
        Supplier<Ask> read =
                () -> asks.find(call.child(), call.incarnation(), call.id()).orElseThrow();
        Ask ask = waits.await(read.get(), wait, read);
        String outcome = switch (ask.state()) {
            case APPROVED -> "allowed";
            case PENDING, DENIED, EXPIRED, CANCELLED, SUPERSEDED, UNAVAILABLE ->
                ask.state().wire();
        };
        return new Decision(outcome, ask.id().value(), ask.reason(), ask.decider());
    }

    private void count(String decision) {
        meters.counter(PermissionMetrics.DECISIONS, PermissionMetrics.DECISION, decision)
                .increment();
    }

    private static Details details(Request request, Child child, Judgement judgement) {
        Details details = Details.none()
                .with("agentName", child.agent())
                .with("toolName", request.action() instanceof Action.Tool tool ? tool.name() : Subject.NETWORK)
                .with("surface", judgement.subject().surface())
                .with("value", judgement.subject().value())
                .with("ruleSurface", judgement.rule().surface())
                .with("rulePattern", judgement.rule().pattern())
                .with("ruleOrigin", judgement.origin());
        return request.action() instanceof Action.Tool tool ? details.with("directory", tool.directory()) : details;
    }

    private static Decider rule(Judgement judgement) {
        return new Decider.Rule(judgement.rule().surface(), judgement.rule().pattern(), judgement.origin());
    }

    private static Decider rule(Map<String, String> details) {
        return new Decider.Rule(
                details.getOrDefault("ruleSurface", ""),
                details.getOrDefault("rulePattern", ""),
                details.getOrDefault("ruleOrigin", ""));
    }

    private static String denial(Judgement judgement) {
        Rule rule = judgement.rule();
        return rule.reason() != null
                ? rule.reason()
                : "%s is denied by rule `%s` of %s"
                        .formatted(judgement.subject().surface(), rule.pattern(), judgement.origin());
    }

    private static Question question(Call call, Child child, Action action, Judgement judgement) {
        String pattern = judgement.rule().layer() == Rule.Layer.DEFAULT
                ? null
                : judgement.rule().pattern();
        String tool = action instanceof Action.Tool named ? named.name() : Subject.NETWORK;
        return new Question(
                call,
                child.agent(),
                tool,
                judgement.subject().surface(),
                judgement.subject().value(),
                switch (action) {
                    case Action.Tool named -> named.arguments();
                    case Action.Network(var target) ->
                        "{\"host\":\"%s\",\"port\":%d}".formatted(target.host(), target.port());
                },
                action instanceof Action.Tool named ? named.directory() : null,
                pattern,
                judgement.origin(),
                message(child, tool, judgement, pattern),
                action instanceof Action.Tool && !Subject.readsOrWritesOnly(tool) ? RUNS_CODE : null);
    }

    /** permission.md 7.2, in one line in which nothing hides. */
    private static String message(Child child, String tool, Judgement judgement, @Nullable String pattern) {
        String who = child.agent() == null ? "a child" : "agent `%s`".formatted(shown(child.agent()));
        String matched = pattern == null ? "" : " (%s `%s`)".formatted(because(judgement), shown(pattern));
        String value = shown(judgement.subject().value());
        return "%s asks for %s%s: `%s`%s".formatted(who, shown(tool), on(judgement, tool), value, matched);
    }

    /** A command that is not taken apart is asked about for a rule that need not match it (docs/adr/0005). */
    private static String because(Judgement judgement) {
        Subject subject = judgement.subject();
        boolean matched = !subject.surface().equals(Subject.BASH)
                || subject.names().stream()
                        .anyMatch(name -> Wildcard.matches(judgement.rule().pattern(), name));
        return matched ? "matched" : "not taken apart, so it might hide what is under rule";
    }

    private static String on(Judgement judgement, String tool) {
        String surface = judgement.subject().surface();
        return surface.equals(tool) ? "" : " on " + surface;
    }

    private static String shown(String text) {
        return text.length() <= 500
                ? VisibleText.line(text)
                : "%s… (%d characters)".formatted(VisibleText.line(text.substring(0, 500)), text.length());
    }
}
