package dev.sallyport.permission;

import java.util.Locale;
import java.util.Optional;

/** What may be done, strictest first. {@link #stricter} relies on the order. */
public enum PermissionState {
    DENY,
    ASK,
    ALLOW;

    public PermissionState stricter(PermissionState other) {
        return looserThan(other) ? other : this;
    }

    public boolean looserThan(PermissionState other) {
        return compareTo(other) > 0;
    }

    public String wire() {
        return name().toLowerCase(Locale.ROOT);
    }

    /** Empty for anything but {@code allow}, {@code ask} and {@code deny} exactly. */
    public static Optional<PermissionState> parse(String value) {
        return switch (value) {
            case "allow" -> Optional.of(ALLOW);
            case "ask" -> Optional.of(ASK);
            case "deny" -> Optional.of(DENY);
            default -> Optional.empty();
        };
    }
}
