package dev.sallyport.provenance;

import java.util.Locale;

/** Who said something about a field of an authority. */
public enum Layer {
    OPERATOR,
    PARENT,
    AGENT_FILE,
    CALL,
    SETTING,
    DEFAULT;

    public String wire() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    public static Layer parse(String value) {
        for (Layer layer : values()) {
            if (layer.wire().equals(value)) {
                return layer;
            }
        }
        throw new IllegalArgumentException(
                "layer: `%s` (expected: operator, parent, agent-file, call, setting or default)".formatted(value));
    }
}
