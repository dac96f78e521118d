package dev.sallyport.runner;

import java.io.IOException;

/** Git failed in the child's clone; the message is its own last words. */
final class GitException extends IOException {

    private static final long serialVersionUID = 1L;

    GitException(String message) {
        super(message);
    }
}
