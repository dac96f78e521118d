package dev.sallyport.runner;

/** Git failed in the child's clone; the message is its own last words. */
final class GitException extends Exception {

    private static final long serialVersionUID = 1L;

    GitException(String message) {
        super(message);
    }
}
