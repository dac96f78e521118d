package dev.sallyport.gateway.door;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** An answer to the child in place of what it asked for: an RFC 9457 body. Codes are API; the detail must hold no secret. */
public final class DoorProblem extends RuntimeException {

    private static final long serialVersionUID = 1L;

    private final int status;
    private final String code;
    private final String detail;
    private final @Nullable String remedy;
    private final @Nullable Duration retryAfter;

    public DoorProblem(int status, String code, String detail) {
        this(status, code, detail, null, null);
    }

    public DoorProblem(int status, String code, String detail, @Nullable String remedy, @Nullable Duration retryAfter) {
        // Part of normal traffic: no stack to walk, nothing suppressed.
        super(detail, null, false, false);
        this.status = status;
        this.code = code;
        this.detail = detail;
        this.remedy = remedy;
        this.retryAfter = retryAfter;
    }

    public int status() {
        return status;
    }

    public String code() {
        return code;
    }

    public String detail() {
        return detail;
    }

    public @Nullable String remedy() {
        return remedy;
    }

    public @Nullable Duration retryAfter() {
        return retryAfter;
    }
}
