package dev.sallyport.gateway.budget;

import java.util.Locale;

/** What is counted; each is one of {@link dev.sallyport.containment.Budgets#KEYS}. */
public enum Kind {
    /** Model calls, those of a selector too (P12). */
    TURNS,
    /** Of input and output together. */
    TOKENS,
    /** In millionths of a USD. */
    COST,
    /** Bytes through tunnels, both ways. */
    EGRESS,
    /** Children below. */
    CHILDREN;

    /** {@code tokens}: the key. */
    public String key() {
        return name().toLowerCase(Locale.ROOT);
    }

    static Kind parse(String key) {
        return valueOf(key.toUpperCase(Locale.ROOT));
    }
}
