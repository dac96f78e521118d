package dev.sallyport.model;

import java.util.Arrays;
import java.util.Locale;
import java.util.Optional;
import java.util.stream.Collectors;

/** How much a model is to think before it answers (authority.md 5.2). What a model cannot do is the nearest that it can. */
public enum Thinking {
    OFF,
    MINIMAL,
    LOW,
    MEDIUM,
    HIGH,
    XHIGH,
    MAX;

    public String wire() {
        return name().toLowerCase(Locale.ROOT);
    }

    /** All levels, for messages. */
    public static String known() {
        return Arrays.stream(values()).map(Thinking::wire).collect(Collectors.joining(", "));
    }

    /** Empty for a word that is no level: agent files may say anything here. */
    public static Optional<Thinking> parse(String value) {
        return Arrays.stream(values())
                .filter(level -> level.wire().equals(value))
                .findFirst();
    }
}
