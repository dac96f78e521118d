package dev.sallyport.invocation;

import org.jspecify.annotations.Nullable;

/**
 * What a user or a project has set for every spawn (authority.md 12).
 *
 * @param fallbackSubagent null falls back to general-purpose, {@code none} refuses unknown agents
 * @param defaultMaxTurns null or 0 is no limit
 * @param graceTurns turns between the order to wrap up and the end, at least 1
 */
public record Settings(
        @Nullable String fallbackSubagent,
        boolean backgroundByDefault,
        boolean worktreeIsolation,
        @Nullable Double defaultMaxTurns,
        int graceTurns) {

    public static final Settings DEFAULT = new Settings(null, true, true, null, 5);

    public Settings {
        if (graceTurns < 1) {
            throw new IllegalArgumentException("graceTurns: %d (expected: >= 1)".formatted(graceTurns));
        }
    }
}
