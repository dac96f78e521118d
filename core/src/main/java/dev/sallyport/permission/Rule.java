package dev.sallyport.permission;

import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** One line of policy. Layer and origin never influence the outcome; they explain it. */
public record Rule(
        String surface,
        String pattern,
        PermissionState action,
        @Nullable String reason,
        Layer layer,
        Origin origin) {

    public enum Layer {
        DEFAULT,
        BASELINE,
        CONFIG,
        SESSION
    }

    public enum Origin {
        GLOBAL,
        PROJECT,
        AGENT,
        PROJECT_AGENT,
        BUILTIN,
        BASELINE,
        SESSION,
        YOLO;

        public String wire() {
            return name().toLowerCase(Locale.ROOT).replace('_', '-');
        }
    }

    public Rule(String surface, String pattern, PermissionState action, Layer layer, Origin origin) {
        this(surface, pattern, action, null, layer, origin);
    }

    public boolean matches(String surface, String value, HomeDirectory home) {
        return Wildcard.matches(home.expand(this.surface), surface) && Wildcard.matches(home.expand(pattern), value);
    }
}
