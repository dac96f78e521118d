package dev.sallyport.delegation;

import java.util.Locale;
import java.util.Optional;

/** How the results of background agents are told (authority.md 11.10). */
public enum JoinMode {
    ASYNC,
    GROUP,
    SMART;

    /** Agents in the foreground are waited for, so nothing is joined. */
    public static Optional<JoinMode> of(JoinMode setting, boolean background) {
        return background ? Optional.of(setting) : Optional.empty();
    }

    public static JoinMode parse(String word) {
        return valueOf(word.toUpperCase(Locale.ROOT));
    }

    public String wire() {
        return name().toLowerCase(Locale.ROOT);
    }
}
