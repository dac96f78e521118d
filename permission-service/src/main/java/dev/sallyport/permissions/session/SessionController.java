package dev.sallyport.permissions.session;

import static dev.sallyport.service.IllegalValueException.parse;

import dev.sallyport.identity.SessionId;
import dev.sallyport.permissions.Durations;
import dev.sallyport.service.Caller;
import java.net.URI;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.http.ResponseEntity;
import org.springframework.security.access.prepost.PreAuthorize;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RestController;

@RestController
@RequestMapping("/v1/sessions")
class SessionController {

    private final Sessions sessions;

    SessionController(Sessions sessions) {
        this.sessions = sessions;
    }

    /** What a session can be given. A group is, for now, one principal. */
    record CreateSession(
            @Nullable List<String> approverGroups, @Nullable String escalateAfter) {

        private static final int MAX_GROUPS = 50;
        private static final int MAX_NAME = 200;

        CreateSession {
            approverGroups = approverGroups == null ? List.of() : List.copyOf(approverGroups);
            if (approverGroups.size() > MAX_GROUPS
                    || approverGroups.stream().anyMatch(name -> name.isBlank() || name.length() > MAX_NAME)) {
                throw new IllegalArgumentException("approverGroups (expected: up to 50 names of 1 to 200 characters)");
            }
            if (escalateAfter != null && approverGroups.isEmpty()) {
                throw new IllegalArgumentException("escalateAfter (expected: only together with approverGroups)");
            }
        }

        @Nullable Duration escalation() {
            return escalateAfter == null ? null : parse(escalateAfter, Durations::parse);
        }
    }

    record SessionResponse(
            String id,
            String tenant,
            String owner,
            Instant createdAt,
            @Nullable List<String> approverGroups,
            @Nullable String escalateAfter) {

        static SessionResponse of(Session session) {
            return new SessionResponse(
                    session.id().value(),
                    session.tenant().value(),
                    session.owner(),
                    session.createdAt(),
                    session.approvers().isEmpty() ? null : session.approvers(),
                    session.escalateAfter() == null
                            ? null
                            : session.escalateAfter().toString());
        }
    }

    record SessionList(List<SessionResponse> sessions) {}

    @PostMapping
    @PreAuthorize("hasRole('SPAWN')")
    ResponseEntity<SessionResponse> create(Caller caller, @RequestBody(required = false) @Nullable CreateSession body) {
        CreateSession wanted = body == null ? new CreateSession(null, null) : body;
        Session session = sessions.create(
                caller.tenant(),
                caller.principal(),
                wanted.approverGroups() == null ? List.of() : wanted.approverGroups(),
                wanted.escalation());
        return ResponseEntity.created(URI.create("/v1/sessions/" + session.id()))
                .body(SessionResponse.of(session));
    }

    @GetMapping
    @PreAuthorize("hasRole('OBSERVE')")
    SessionList list(Caller caller) {
        return new SessionList(
                sessions.list(caller).stream().map(SessionResponse::of).toList());
    }

    @GetMapping("/{id}")
    @PreAuthorize("hasAnyRole('OBSERVE', 'SERVICE')")
    SessionResponse show(Caller caller, @PathVariable String id) {
        return SessionResponse.of(sessions.get(parse(id, SessionId::new), caller));
    }
}
