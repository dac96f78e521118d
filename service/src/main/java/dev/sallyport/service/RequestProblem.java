package dev.sallyport.service;

import org.springframework.http.HttpStatus;

/** What is wrong with a request whatever it asks for. */
enum RequestProblem implements Problem {
    UNAUTHENTICATED("unauthenticated", HttpStatus.UNAUTHORIZED),
    FORBIDDEN("forbidden", HttpStatus.FORBIDDEN),
    WRONG_HOST("wrong-host", HttpStatus.MISDIRECTED_REQUEST),
    WRONG_ORIGIN("wrong-origin", HttpStatus.FORBIDDEN),
    MALFORMED("malformed-request", HttpStatus.BAD_REQUEST),
    LENGTH_MISSING("length-missing", HttpStatus.LENGTH_REQUIRED),
    TOO_LARGE("request-too-large", HttpStatus.CONTENT_TOO_LARGE),
    TOO_MUCH_AT_ONCE("too-much-at-once", HttpStatus.TOO_MANY_REQUESTS);

    private final String code;
    private final HttpStatus status;

    RequestProblem(String code, HttpStatus status) {
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
