package dev.sallyport.permissions;

import org.springframework.core.annotation.Order;
import org.springframework.dao.DataAccessResourceFailureException;
import org.springframework.dao.TransientDataAccessException;
import org.springframework.http.HttpHeaders;
import org.springframework.http.ProblemDetail;
import org.springframework.http.ResponseEntity;
import org.springframework.transaction.CannotCreateTransactionException;
import org.springframework.transaction.TransactionSystemException;
import org.springframework.web.bind.annotation.ExceptionHandler;
import org.springframework.web.bind.annotation.RestControllerAdvice;

/** Without the database nothing is decided: the same request may be sent again, and finds what was decided before. */
@RestControllerAdvice
@Order(0)
class DatabaseAdvice {

    // The same as in Outages.
    @ExceptionHandler({
        DataAccessResourceFailureException.class,
        TransientDataAccessException.class,
        CannotCreateTransactionException.class,
        TransactionSystemException.class
    })
    ResponseEntity<ProblemDetail> handle(RuntimeException e) {
        ProblemDetail body = new PermissionException(
                        PermissionProblem.DATABASE_UNAVAILABLE, "the database can not be reached", "send it again")
                .body();
        return ResponseEntity.status(PermissionProblem.DATABASE_UNAVAILABLE.status())
                .header(HttpHeaders.RETRY_AFTER, "1")
                .body(body);
    }
}
