package dev.sallyport.permissions.ask;

import static dev.sallyport.service.IllegalValueException.parse;

import dev.sallyport.ask.AskState;
import dev.sallyport.ask.Decider;
import dev.sallyport.identity.SessionId;
import dev.sallyport.permissions.Durations;
import dev.sallyport.permissions.PermissionException;
import dev.sallyport.permissions.PermissionProblem;
import dev.sallyport.permissions.session.Sessions;
import dev.sallyport.service.Caller;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;
import org.springframework.security.access.prepost.PreAuthorize;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RequestHeader;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;

@RestController
@RequestMapping("/v1/asks")
class AskController {

    private static final String VIA = "api";

    private final Asks asks;
    private final AskWaits waits;
    private final Sessions sessions;

    AskController(Asks asks, AskWaits waits, Sessions sessions) {
        this.asks = asks;
        this.waits = waits;
        this.sessions = sessions;
    }

    record AskList(List<AskView> asks) {}

    @GetMapping
    @PreAuthorize("hasRole('OBSERVE')")
    AskList list(
            Caller caller,
            @RequestParam(required = false) @Nullable String session,
            @RequestParam(required = false) @Nullable String state) {
        SessionId wanted = session == null
                ? null
                : sessions.get(parse(session, SessionId::new), caller).id();
        AskState in = state == null ? null : parse(state, AskState::parse);
        return new AskList(
                asks.list(caller, wanted, in).stream().map(AskView::of).toList());
    }

    @GetMapping("/{id}")
    @PreAuthorize("hasRole('OBSERVE')")
    AskView show(Caller caller, @PathVariable String id, @RequestParam(defaultValue = "0s") String wait) {
        Duration longest = parse(wait, Durations::parseWait);
        Ask ask = visible(parse(id, AskId::new), caller);
        return AskView.of(waits.await(ask, longest, () -> visible(ask.id(), caller)));
    }

    private Ask visible(AskId id, Caller caller) {
        return asks.find(id, caller.tenant())
                .filter(ask -> sessions.find(ask.question().call().session())
                        .orElseThrow()
                        .visibleTo(caller))
                .orElseThrow(() -> Asks.notFound(id));
    }

    /** @param reason for the child; at most 500 characters */
    record PostAnswer(String answer, @Nullable String reason) {

        private static final int MAX_REASON = 500;

        PostAnswer {
            if (answer == null || !(answer.equals("approved") || answer.equals("denied"))) {
                throw new IllegalArgumentException("answer (expected: approved or denied)");
            }
            if (reason != null && reason.length() > MAX_REASON) {
                throw new IllegalArgumentException("reason (expected: up to 500 characters)");
            }
            reason = reason == null || reason.isBlank() ? null : reason.strip();
        }

        Asks.Answer parsed() {
            return Asks.Answer.valueOf(answer.toUpperCase(Locale.ROOT));
        }
    }

    @PostMapping("/{id}/answer")
    @PreAuthorize("hasRole('APPROVE')")
    AskView answer(
            Caller caller,
            @PathVariable String id,
            @RequestHeader(name = "Idempotency-Key", required = false) @Nullable String key,
            @RequestBody PostAnswer body) {
        String checked = key == null ? null : parse(key, AskController::key);
        Asks.Attempt attempt = asks.answer(parse(id, AskId::new), caller, body.parsed(), body.reason(), VIA, checked);
        if (!attempt.won()) {
            throw attempt.ask().isAnswered() ? new AlreadyAnswered(attempt.ask()) : ended(attempt.ask());
        }
        return AskView.of(attempt.ask());
    }

    private static String key(String text) {
        if (text.isEmpty() || text.length() > 200 || !text.chars().allMatch(c -> c > 0x20 && c < 0x7f)) {
            throw new IllegalArgumentException("Idempotency-Key (expected: 1 to 200 visible characters)");
        }
        return text;
    }

    private static PermissionException ended(Ask ask) {
        return new PermissionException(
                PermissionProblem.ASK_ENDED,
                "ask `%s` is %s".formatted(ask.id(), ask.state().wire()));
    }

    /** Names the answer that won. */
    static final class AlreadyAnswered extends PermissionException {

        private static final long serialVersionUID = 1L;

        /** Who answered, when, and what. */
        record Winner(
                String principal,
                String via,
                String answer,
                @Nullable Instant at) {}

        AlreadyAnswered(Ask ask) {
            super(
                    PermissionProblem.ASK_ALREADY_ANSWERED,
                    "ask `%s` was %s before".formatted(ask.id(), ask.state().wire()));
            if (ask.decider() instanceof Decider.Human(var principal, var via)) {
                with("winner", new Winner(principal, via, ask.state().wire(), ask.settledAt()));
            }
        }
    }
}
