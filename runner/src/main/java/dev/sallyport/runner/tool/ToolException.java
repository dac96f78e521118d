package dev.sallyport.runner.tool;

/** A call could not do what it was asked. The message is for the model and says what would work. */
public final class ToolException extends Exception {

    private static final long serialVersionUID = 1L;

    ToolException(String message) {
        super(message);
    }
}
