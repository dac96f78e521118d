package dev.sallyport.memory;

import java.util.Locale;

/** Whom a memory belongs to: the user everywhere, or the user's work on one project, shared with it or not. */
public enum MemoryScope {
    USER,
    PROJECT,
    LOCAL;

    public String wire() {
        return name().toLowerCase(Locale.ROOT);
    }

    public static MemoryScope parse(String word) {
        return switch (word) {
            case "user" -> USER;
            case "project" -> PROJECT;
            case "local" -> LOCAL;
            default ->
                throw new IllegalArgumentException("memory: `%s` (expected: user, project or local)".formatted(word));
        };
    }
}
