package dev.sallyport.gateway.error;

import dev.sallyport.gateway.error.GatewayException.DatabaseUnavailable;
import org.springframework.core.annotation.Order;
import org.springframework.dao.DataAccessResourceFailureException;
import org.springframework.dao.TransientDataAccessException;
import org.springframework.http.ProblemDetail;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.ExceptionHandler;
import org.springframework.web.bind.annotation.RestControllerAdvice;

/** A database that is away is not a bug: the same request may be sent again. */
@RestControllerAdvice
@Order(0)
class DatabaseAdvice {

    @ExceptionHandler({DataAccessResourceFailureException.class, TransientDataAccessException.class})
    ResponseEntity<ProblemDetail> handle(RuntimeException e) {
        return new DatabaseUnavailable(e).response();
    }
}
