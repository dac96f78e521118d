package dev.sallyport.prompt;

import java.util.Locale;

/** Whether an agent's text replaces its parent's system prompt or follows it (authority.md 6). */
public enum PromptMode {
    REPLACE,
    APPEND;

    public String wire() {
        return name().toLowerCase(Locale.ROOT);
    }

    public static PromptMode parse(String value) {
        return switch (value) {
            case "replace" -> REPLACE;
            case "append" -> APPEND;
            default ->
                throw new IllegalArgumentException("prompt mode: `%s` (expected: replace or append)".formatted(value));
        };
    }
}
