package dev.sallyport.permissions;

import dev.sallyport.service.Problem;
import org.springframework.http.HttpStatus;

/** The closed list of what can go wrong here from a caller's point of view. Codes are API: never rename one. */
public enum PermissionProblem implements Problem {
    SESSION_NOT_FOUND("session-not-found", HttpStatus.NOT_FOUND),
    NOT_AN_APPROVER("not-an-approver", HttpStatus.FORBIDDEN),
    CHILD_NOT_FOUND("child-not-found", HttpStatus.NOT_FOUND),
    CHILD_CHANGED("child-changed", HttpStatus.CONFLICT),
    CHILD_ENDED("child-ended", HttpStatus.GONE),
    STALE_INCARNATION("stale-incarnation", HttpStatus.CONFLICT),
    UNREADABLE_POLICY("unreadable-policy", HttpStatus.UNPROCESSABLE_CONTENT),
    CALL_ID_CONFLICT("call-id-conflict", HttpStatus.CONFLICT),
    INVALID_ACTION("invalid-action", HttpStatus.UNPROCESSABLE_CONTENT),
    ASK_NOT_FOUND("ask-not-found", HttpStatus.NOT_FOUND),
    ASK_ALREADY_ANSWERED("ask-already-answered", HttpStatus.CONFLICT),
    ASK_ENDED("ask-ended", HttpStatus.GONE),
    LEASE_LOST("lease-lost", HttpStatus.CONFLICT),
    DATABASE_UNAVAILABLE("database-unavailable", HttpStatus.SERVICE_UNAVAILABLE);

    private final String code;
    private final HttpStatus status;

    PermissionProblem(String code, HttpStatus status) {
        this.code = code;
        this.status = status;
    }

    @Override
    public String code() {
        return code;
    }

    @Override
    public HttpStatus status() {
        return status;
    }
}
