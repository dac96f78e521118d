package dev.sallyport.service;

import org.springframework.http.HttpStatus;

/** One thing that can go wrong from a caller's point of view. Each service has a closed enum of them; codes are API. */
public interface Problem {

    /** Lower case with hyphens; never renamed. */
    String code();

    HttpStatus status();
}
