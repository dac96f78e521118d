package dev.sallyport.gateway.memory;

/** What a child wants to be remembered is not taken. The message holds nothing of its text but names, made visible. */
public final class MemoryRefusedException extends Exception {

    private static final long serialVersionUID = 1L;

    private final String code;

    MemoryRefusedException(String code, String message) {
        super(message);
        this.code = code;
    }

    /** Which rule it is, for machines. */
    public String code() {
        return code;
    }
}
