package dev.sallyport.runner.extension;

/** A provider answered with an error, with nonsense, or not in time. */
final class McpException extends Exception {

    private static final long serialVersionUID = 1L;

    McpException(String message) {
        super(message);
    }
}
