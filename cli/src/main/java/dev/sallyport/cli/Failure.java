package dev.sallyport.cli;

import java.net.URI;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Why a verb cannot do what it was asked to: one sentence, perhaps a remedy, and the code that the process ends with. */
final class Failure extends RuntimeException {

    private static final long serialVersionUID = 1L;

    /** Refusals by what the child would be allowed to do, apart from errors of the request or of Sallyport. */
    private static final Set<String> BY_AUTHORITY = Set.of("authority-refused", "workspace-refused", "batch-refused");

    private final int exitCode;
    private final String code;
    private final @Nullable String remedy;

    /** The HTTP status that brought it; 0 where none did. */
    private final int status;

    private final transient Json body;

    private Failure(int exitCode, int status, String code, String detail, @Nullable String remedy, Json body) {
        super(detail);
        this.exitCode = exitCode;
        this.status = status;
        this.code = code;
        this.remedy = remedy;
        this.body = body;
    }

    static Failure of(String code, String detail) {
        return of(code, detail, null);
    }

    static Failure of(String code, String detail, @Nullable String remedy) {
        return new Failure(ExitCode.FAILED, 0, code, detail, remedy, Json.object());
    }

    static Failure notRunning() {
        return of("not-running", "sallyport is not running; run `sallyport up`");
    }

    static Failure unreachable(URI service, Exception cause) {
        return of("unreachable", "cannot reach %s: %s".formatted(service, reason(cause)));
    }

    static Failure connectionLost(URI service, Exception cause) {
        return of("connection-lost", "the connection to %s broke: %s".formatted(service, reason(cause)));
    }

    /** What a service answered instead of a result (RFC 9457). */
    static Failure problem(int status, Json body) {
        String code = body.text("code").isEmpty() ? "http-" + status : body.text("code");
        String detail = body.text("detail").isEmpty() ? "the service answered " + status : body.text("detail");
        return new Failure(
                BY_AUTHORITY.contains(code) ? ExitCode.REFUSED : ExitCode.FAILED,
                status,
                code,
                detail,
                body.get("remedy").isNothing() ? null : body.text("remedy"),
                body);
    }

    /** The same with more words. */
    Failure saying(String more) {
        return new Failure(exitCode, status, code, detail() + more, remedy, body);
    }

    int exitCode() {
        return exitCode;
    }

    int status() {
        return status;
    }

    String code() {
        return code;
    }

    String detail() {
        return String.valueOf(getMessage());
    }

    @Nullable String remedy() {
        return remedy;
    }

    /** Whether the same request may succeed when Sallyport is back. */
    boolean isTransient() {
        return status == 502
                || status == 503
                || status == 504
                || code.equals("not-running")
                || code.equals("unreachable")
                || code.equals("connection-lost");
    }

    /** The problem body; an empty object where no service sent one. */
    Json body() {
        return body;
    }

    Json toJson() {
        return Json.object(
                "outcome",
                exitCode == ExitCode.REFUSED ? "refused" : "error",
                "code",
                code,
                "detail",
                detail(),
                "remedy",
                remedy);
    }

    private static String reason(Exception cause) {
        return cause.getMessage() == null ? cause.getClass().getSimpleName() : cause.getMessage();
    }
}
