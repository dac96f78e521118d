package dev.sallyport.gateway.error;

import dev.sallyport.service.Problem;
import org.springframework.http.HttpStatus;

/** The closed list of what the gateway refuses. Codes are API: never rename one. */
public enum GatewayProblem implements Problem {
    REQUEST_INVALID("request-invalid", HttpStatus.UNPROCESSABLE_CONTENT),
    AUTHORITY_REFUSED("authority-refused", HttpStatus.FORBIDDEN),
    AGENT_NOT_FOUND("agent-not-found", HttpStatus.NOT_FOUND),
    WORKSPACE_REFUSED("workspace-refused", HttpStatus.UNPROCESSABLE_CONTENT),
    PROJECT_CHANGED("project-changed", HttpStatus.CONFLICT),
    TRUST_NOT_FOUND("trust-not-found", HttpStatus.NOT_FOUND),
    SESSION_NOT_FOUND("session-not-found", HttpStatus.NOT_FOUND),
    CHILD_NOT_FOUND("child-not-found", HttpStatus.NOT_FOUND),
    CHILD_NOT_ENDED("child-not-ended", HttpStatus.CONFLICT),
    TRANSCRIPT_NOT_KEPT("transcript-not-kept", HttpStatus.GONE),
    CHILD_NOT_RUNNING("child-not-running", HttpStatus.CONFLICT),
    CHILD_RESUMED("child-resumed", HttpStatus.CONFLICT),
    NOT_RESUMABLE("not-resumable", HttpStatus.CONFLICT),
    STEERED_TOO_OFTEN("steered-too-often", HttpStatus.TOO_MANY_REQUESTS),
    CHILDREN_LIMIT("children-limit", HttpStatus.CONFLICT),
    BUDGET_CHILDREN("budget-children", HttpStatus.CONFLICT),
    BUDGET_TURNS("budget-turns", HttpStatus.CONFLICT),
    DELEGATION_NOT_ALLOWED("delegation-not-allowed", HttpStatus.FORBIDDEN),
    PARENT_ENDED("parent-ended", HttpStatus.CONFLICT),
    SHARED_WRITES("shared-writes", HttpStatus.CONFLICT),
    BATCH_REFUSED("batch-refused", HttpStatus.UNPROCESSABLE_CONTENT),
    NO_BRANCH("no-branch", HttpStatus.NOT_FOUND),
    CHANGES_TOO_LARGE("changes-too-large", HttpStatus.CONTENT_TOO_LARGE),
    IDEMPOTENCY_KEY_REUSED("idempotency-key-reused", HttpStatus.CONFLICT),
    CREDENTIAL_NOT_FOUND("credential-not-found", HttpStatus.NOT_FOUND),
    MEMORY_NOT_FOUND("memory-not-found", HttpStatus.NOT_FOUND),
    MEMORY_VERSION_NOT_FOUND("memory-version-not-found", HttpStatus.NOT_FOUND),
    MEMORY_NOT_YOURS("memory-not-yours", HttpStatus.FORBIDDEN),
    PERMISSION_SERVICE_UNAVAILABLE("permission-service-unavailable", HttpStatus.SERVICE_UNAVAILABLE),
    DATABASE_UNAVAILABLE("database-unavailable", HttpStatus.SERVICE_UNAVAILABLE);

    private final String code;
    private final HttpStatus status;

    GatewayProblem(String code, HttpStatus status) {
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
