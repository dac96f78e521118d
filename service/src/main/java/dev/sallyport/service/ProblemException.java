package dev.sallyport.service;

import java.net.URI;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.http.HttpHeaders;
import org.springframework.http.ProblemDetail;
import org.springframework.http.ResponseEntity;

/** A failure the caller should hear about. The message and the remedy reach the caller: no secrets, no Java names. */
public abstract class ProblemException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    private final transient Problem problem;
    private final @Nullable String remedy;
    private @Nullable Duration retryAfter;
    private final transient Map<String, Object> properties = new LinkedHashMap<>();

    protected ProblemException(Problem problem, String message, @Nullable String remedy) {
        super(message);
        this.problem = problem;
        this.remedy = remedy;
    }

    protected ProblemException(Problem problem, String message, @Nullable String remedy, Throwable cause) {
        super(message, cause);
        this.problem = problem;
        this.remedy = remedy;
    }

    /** A further member of the body, such as who won. */
    protected final void with(String name, Object value) {
        properties.put(name, value);
    }

    /** From when the same request may do better. */
    protected final void retryAfter(Duration wait) {
        retryAfter = wait;
    }

    public final Problem problem() {
        return problem;
    }

    /** The RFC 9457 body. */
    public final ProblemDetail body() {
        ProblemDetail body = bodyOf(problem, String.valueOf(getMessage()));
        if (remedy != null) {
            body.setProperty("remedy", remedy);
        }
        properties.forEach(body::setProperty);
        return body;
    }

    /** The whole answer. */
    public final ResponseEntity<ProblemDetail> response() {
        ResponseEntity.BodyBuilder response = ResponseEntity.status(problem.status());
        if (retryAfter != null) {
            // In whole seconds, and never too early.
            response.header(
                    HttpHeaders.RETRY_AFTER,
                    String.valueOf(retryAfter.plusNanos(999_999_999).toSeconds()));
        }
        return response.body(body());
    }

    static ProblemDetail bodyOf(Problem problem, String detail) {
        ProblemDetail body = ProblemDetail.forStatusAndDetail(problem.status(), detail);
        body.setType(URI.create("urn:sallyport:problem:" + problem.code()));
        body.setTitle(problem.status().getReasonPhrase());
        body.setProperty("code", problem.code());
        return body;
    }
}
