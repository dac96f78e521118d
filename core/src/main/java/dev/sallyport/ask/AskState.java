package dev.sallyport.ask;

import java.util.Locale;

/** What became of an ask. Every state but {@link #PENDING} is final. */
public enum AskState {
    PENDING,
    APPROVED,
    DENIED,
    /** Nobody answered in time. */
    EXPIRED,
    /** Its child ended. */
    CANCELLED,
    /** A newer ask took its place. */
    SUPERSEDED,
    /** Nobody was there to answer. Not a denial. */
    UNAVAILABLE;

    public boolean isFinal() {
        return this != PENDING;
    }

    public boolean canBecome(AskState next) {
        return this == PENDING && next != PENDING;
    }

    public String wire() {
        return name().toLowerCase(Locale.ROOT);
    }

    public static AskState parse(String value) {
        for (AskState state : values()) {
            if (state.wire().equals(value)) {
                return state;
            }
        }
        throw new IllegalArgumentException("ask state: `%s`".formatted(value));
    }
}
