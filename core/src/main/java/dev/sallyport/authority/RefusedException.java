package dev.sallyport.authority;

/** Ends a resolution; becomes an {@link Outcome.Refused} and never leaves this package. */
final class RefusedException extends Exception {

    private static final long serialVersionUID = 1;

    private final Refusal refusal;
    private final String reason;

    RefusedException(Refusal refusal, String reason) {
        super(reason);
        this.refusal = refusal;
        this.reason = reason;
    }

    Refusal refusal() {
        return refusal;
    }

    String reason() {
        return reason;
    }
}
