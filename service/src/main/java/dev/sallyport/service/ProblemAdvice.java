package dev.sallyport.service;

import org.jspecify.annotations.Nullable;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpStatusCode;
import org.springframework.http.ProblemDetail;
import org.springframework.http.ResponseEntity;
import org.springframework.http.converter.HttpMessageNotReadableException;
import org.springframework.web.bind.annotation.ExceptionHandler;
import org.springframework.web.bind.annotation.RestControllerAdvice;
import org.springframework.web.context.request.WebRequest;
import org.springframework.web.servlet.mvc.method.annotation.ResponseEntityExceptionHandler;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.exc.UnrecognizedPropertyException;

/** Turns failures into RFC 9457 bodies. Anything not named here is a bug and stays a bare 500. */
@RestControllerAdvice
class ProblemAdvice extends ResponseEntityExceptionHandler {

    @ExceptionHandler
    ResponseEntity<ProblemDetail> handle(ProblemException e) {
        return e.response();
    }

    /** Says which field is wrong and where, in the caller's words and not in Java's. */
    @Override
    protected @Nullable ResponseEntity<Object> handleHttpMessageNotReadable(
            HttpMessageNotReadableException e, HttpHeaders headers, HttpStatusCode status, WebRequest request) {
        ProblemDetail body = ProblemException.bodyOf(RequestProblem.MALFORMED, said(e.getCause()));
        return handleExceptionInternal(e, body, headers, RequestProblem.MALFORMED.status(), request);
    }

    private static String said(@Nullable Throwable cause) {
        return switch (cause) {
            case UnrecognizedPropertyException unknown ->
                "unknown field `%s` (expected: one of %s)".formatted(unknown.getPropertyName(), known(unknown));
            case JacksonException json
            when json.getCause() instanceof IllegalArgumentException refused && refused.getMessage() != null ->
                refused.getMessage();
            case JacksonException json ->
                "the body is not what is expected here: line %d, column %d"
                        .formatted(
                                json.getLocation().getLineNr(),
                                json.getLocation().getColumnNr());
            case null, default -> "the body is missing or is not JSON";
        };
    }

    private static String known(UnrecognizedPropertyException unknown) {
        return unknown.getKnownPropertyIds() == null
                ? "none"
                : String.join(
                        ", ",
                        unknown.getKnownPropertyIds().stream()
                                .map(String::valueOf)
                                .sorted()
                                .toList());
    }

    /** Ids and values are parsed into types that refuse nonsense; their words are meant for the caller. */
    @ExceptionHandler
    ResponseEntity<ProblemDetail> handle(IllegalValueException e) {
        return ResponseEntity.badRequest()
                .body(ProblemException.bodyOf(RequestProblem.MALFORMED, String.valueOf(e.getMessage())));
    }
}
