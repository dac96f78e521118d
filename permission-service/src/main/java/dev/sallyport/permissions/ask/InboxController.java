package dev.sallyport.permissions.ask;

import static dev.sallyport.service.IllegalValueException.parse;

import dev.sallyport.identity.SessionId;
import dev.sallyport.permissions.Outages;
import dev.sallyport.permissions.PermissionException;
import dev.sallyport.permissions.PermissionProblem;
import dev.sallyport.permissions.PermissionProperties;
import dev.sallyport.permissions.lease.Leases;
import dev.sallyport.permissions.session.Session;
import dev.sallyport.permissions.session.Sessions;
import dev.sallyport.service.Caller;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.http.MediaType;
import org.springframework.security.access.prepost.PreAuthorize;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RequestHeader;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;
import tools.jackson.databind.json.JsonMapper;

/** The stream of a person who drains sessions. While it is open, and only then, its leases are refreshed. */
@RestController
class InboxController {

    private static final Logger log = LoggerFactory.getLogger(InboxController.class);

    private static final int MAX_SESSIONS = 100;

    private final Asks asks;
    private final AskChanges changes;
    private final Leases leases;
    private final Sessions sessions;
    private final JsonMapper json;
    private final PermissionProperties properties;

    InboxController(
            Asks asks,
            AskChanges changes,
            Leases leases,
            Sessions sessions,
            JsonMapper json,
            PermissionProperties properties) {
        this.asks = asks;
        this.changes = changes;
        this.leases = leases;
        this.sessions = sessions;
        this.json = json;
        this.properties = properties;
    }

    /** Without {@code Last-Event-ID} begins with what is pending; with it, with what changed since. */
    @GetMapping(path = "/v1/inbox", produces = MediaType.TEXT_EVENT_STREAM_VALUE)
    @PreAuthorize("hasRole('APPROVE')")
    void inbox(
            Caller caller,
            @RequestParam(name = "session", required = false) @Nullable List<String> named,
            @RequestParam(defaultValue = "false") String all,
            @RequestParam(required = false) @Nullable String holder,
            @RequestHeader(name = "Last-Event-ID", required = false) @Nullable String lastEventId,
            HttpServletResponse response)
            throws IOException, InterruptedException {
        List<SessionId> selected =
                selected(caller, named == null ? List.of() : named, parse(all, InboxController::flag));
        Long after = lastEventId == null ? null : parse(lastEventId, InboxController::position);
        Leases.Holder me = new Leases.Holder(
                caller.tenant(),
                caller.principal(),
                holder == null
                        ? "inbox-" + UUID.randomUUID()
                        : parse(holder, name -> new Leases.Holder(caller.tenant(), caller.principal(), name))
                                .name());
        new Stream(caller, selected, me, response).run(after);
    }

    private List<SessionId> selected(Caller caller, List<String> named, boolean all) {
        var _ = parse(String.join(",", named), text -> {
            if (all != named.isEmpty() || named.size() > MAX_SESSIONS) {
                throw new IllegalArgumentException("session (expected: 1 to %d, or all=true)".formatted(MAX_SESSIONS));
            }
            return text;
        });
        return named.stream()
                .map(name -> sessions.get(parse(name, SessionId::new), caller))
                .map(session -> drainable(session, caller))
                .distinct()
                .toList();
    }

    private static SessionId drainable(Session session, Caller caller) {
        if (!session.drainableBy(caller)) {
            throw new PermissionException(
                    PermissionProblem.NOT_AN_APPROVER,
                    "session `%s` names its approvers, and this caller is none of them".formatted(session.id()));
        }
        return session.id();
    }

    private static boolean flag(String text) {
        return switch (text) {
            case "true" -> true;
            case "false" -> false;
            default -> throw new IllegalArgumentException("all: `%s` (expected: true or false)".formatted(text));
        };
    }

    private static long position(String text) {
        try {
            return Long.parseLong(text);
        } catch (NumberFormatException e) {
            throw new IllegalArgumentException("Last-Event-ID: `%s` (expected: a number)".formatted(text), e);
        }
    }

    /** One open inbox. */
    private final class Stream {

        private final Caller caller;
        private final List<SessionId> selected;
        private final Leases.Holder me;
        private final HttpServletResponse response;
        private long epoch;
        private long seen;

        Stream(Caller caller, List<SessionId> selected, Leases.Holder me, HttpServletResponse response) {
            this.caller = caller;
            this.selected = selected;
            this.me = me;
            this.response = response;
        }

        void run(@Nullable Long after) throws IOException, InterruptedException {
            try (AskChanges.Waiter waiter = changes.waitFor(AskChanges.ANY)) {
                acquire();
                response.setContentType(MediaType.TEXT_EVENT_STREAM_VALUE);
                response.setHeader("Cache-Control", "no-store");
                write("retry: %d\n\n".formatted(properties.grace().toMillis() / 2));
                if (after == null) {
                    seen = asks.lastChange();
                    sendPending(seen);
                } else {
                    seen = after;
                }
                long beat = System.nanoTime();
                do {
                    if (System.nanoTime() - beat >= 0) {
                        beat = System.nanoTime() + properties.refresh().toNanos();
                        if (!refresh()) {
                            return;
                        }
                        // Jetty does not notice that a peer left until something is written to it.
                        write(":\n\n");
                    }
                    sendChanges();
                } while (waiter.await(Duration.ofNanos(Math.max(0, beat - System.nanoTime()))));
            } catch (IOException e) {
                // The reader left; its lease goes stale by itself (S24).
                log.debug("inbox of {} closed: {}", me.name(), e.getMessage());
            }
        }

        private void acquire() {
            List<String> names = selected.isEmpty()
                    ? List.of(Leases.EVERY_SESSION)
                    : selected.stream().map(SessionId::value).toList();
            epoch = leases.acquire(me, names).getFirst().epoch();
        }

        /** Whether this stream still is the one that drains for its holder. */
        private boolean refresh() {
            try {
                if (leases.refreshAll(epoch) == 0) {
                    if (leases.superseded(me, epoch)) {
                        log.info("inbox of {} was taken over by a later one", me.name());
                        return false;
                    }
                    acquire();
                }
            } catch (RuntimeException e) {
                Outages.require(e);
                log.info("leases of {} can not be refreshed: {}", me.name(), e.getMessage());
            }
            return true;
        }

        private void sendPending(long upTo) throws IOException {
            long after = 0;
            List<Ask> page;
            do {
                page = asks.changes(caller, selected, after, upTo);
                for (Ask ask : page) {
                    send(ask);
                    after = ask.change();
                }
            } while (!page.isEmpty());
        }

        private void sendChanges() throws IOException {
            List<Ask> page;
            try {
                do {
                    page = asks.changes(caller, selected, seen, null);
                    for (Ask ask : page) {
                        send(ask);
                        seen = ask.change();
                    }
                } while (!page.isEmpty());
            } catch (RuntimeException e) {
                Outages.require(e);
                log.info("inbox of {} has no news: {}", me.name(), e.getMessage());
            }
        }

        private void send(Ask ask) throws IOException {
            write("id: %d\nevent: ask\ndata: %s\n\n".formatted(ask.change(), json.writeValueAsString(AskView.of(ask))));
        }

        private void write(String text) throws IOException {
            response.getOutputStream().write(text.getBytes(StandardCharsets.UTF_8));
            response.flushBuffer();
        }
    }
}
