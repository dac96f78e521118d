package dev.sallyport.invocation;

import org.jspecify.annotations.Nullable;

/**
 * The call after every field found its owner (authority.md 5).
 *
 * @param model as written, an empty text too; null if nobody says anything, like {@code thinking} and {@code maxTurns}
 * @param worktree whether a private copy of the repository is wanted
 * @param worktreeVetoed whether the agent file forbids one
 */
public record Invocation(
        @Nullable Resolved<String> model,
        @Nullable Resolved<String> thinking,
        @Nullable Resolved<Double> maxTurns,
        Resolved<Boolean> inheritContext,
        Resolved<Boolean> runInBackground,
        Resolved<Boolean> isolated,
        Resolved<Boolean> worktree,
        boolean worktreeVetoed) {}
