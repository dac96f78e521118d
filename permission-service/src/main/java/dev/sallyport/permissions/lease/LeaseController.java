package dev.sallyport.permissions.lease;

import static dev.sallyport.service.IllegalValueException.parse;

import dev.sallyport.identity.SessionId;
import dev.sallyport.permissions.PermissionException;
import dev.sallyport.permissions.PermissionProblem;
import dev.sallyport.permissions.session.Session;
import dev.sallyport.permissions.session.Sessions;
import dev.sallyport.service.Caller;
import org.jspecify.annotations.Nullable;
import org.springframework.http.HttpStatus;
import org.springframework.security.access.prepost.PreAuthorize;
import org.springframework.web.bind.annotation.DeleteMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PutMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.ResponseStatus;
import org.springframework.web.bind.annotation.RestController;

/** Leases for those who poll; an open inbox holds its own. */
@RestController
@RequestMapping("/v1/sessions/{id}/lease")
@PreAuthorize("hasRole('APPROVE')")
class LeaseController {

    private final Leases leases;
    private final Sessions sessions;

    LeaseController(Leases leases, Sessions sessions) {
        this.leases = leases;
        this.sessions = sessions;
    }

    /** Without an epoch a lease begins, with the epoch of the last answer it is refreshed. */
    record PutLease(String holder, @Nullable Long epoch) {

        PutLease {
            if (holder == null) {
                throw new IllegalArgumentException("holder (expected: a name)");
            }
        }
    }

    @PutMapping
    Lease put(Caller caller, @PathVariable String id, @RequestBody PutLease body) {
        Session session = drainable(caller, id);
        Leases.Holder holder = holder(caller, body.holder());
        if (body.epoch() == null) {
            return leases.acquire(holder, java.util.List.of(session.id().value()))
                    .getFirst();
        }
        return leases.refresh(holder, session.id().value(), body.epoch()).orElseThrow(() -> lost(session));
    }

    @DeleteMapping
    @ResponseStatus(HttpStatus.NO_CONTENT)
    void release(Caller caller, @PathVariable String id, @RequestParam String holder, @RequestParam String epoch) {
        Session session = drainable(caller, id);
        if (!leases.release(holder(caller, holder), session.id().value(), parse(epoch, LeaseController::number))) {
            throw lost(session);
        }
    }

    private Session drainable(Caller caller, String id) {
        Session session = sessions.get(parse(id, SessionId::new), caller);
        if (!session.drainableBy(caller)) {
            throw new PermissionException(
                    PermissionProblem.NOT_AN_APPROVER,
                    "session `%s` names its approvers, and this caller is none of them".formatted(session.id()));
        }
        return session;
    }

    private static Leases.Holder holder(Caller caller, String name) {
        return parse(name, text -> new Leases.Holder(caller.tenant(), caller.principal(), text));
    }

    private static long number(String text) {
        try {
            return Long.parseLong(text);
        } catch (NumberFormatException e) {
            throw new IllegalArgumentException("epoch: `%s` (expected: a number)".formatted(text), e);
        }
    }

    private static PermissionException lost(Session session) {
        return new PermissionException(
                PermissionProblem.LEASE_LOST,
                "this epoch of the lease of session `%s` is over".formatted(session.id()),
                "put a lease without an epoch to begin a new one");
    }
}
