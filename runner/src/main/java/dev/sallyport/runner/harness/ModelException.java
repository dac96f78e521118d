package dev.sallyport.runner.harness;

/** The model will not answer. */
final class ModelException extends Exception {

    private static final long serialVersionUID = 1L;

    private final String code;

    ModelException(String code, String message) {
        super(message);
        this.code = code;
    }

    String code() {
        return code;
    }
}
