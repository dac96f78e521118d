package dev.sallyport.invocation;

import dev.sallyport.containment.Budgets;
import dev.sallyport.containment.CredentialScope;
import dev.sallyport.containment.Harness;
import dev.sallyport.containment.Limits;
import dev.sallyport.containment.NetworkPolicy;
import dev.sallyport.containment.RuntimeClass;
import dev.sallyport.containment.WorkspaceAccess;
import org.jspecify.annotations.Nullable;

/**
 * What the parent asked for, but for the task itself. Null means that it did not say.
 *
 * @param agent null for an ad hoc child (P4)
 * @param hasDirectory whether a directory to work on was given: without one the workspace is none unless asked for
 * @param profile the name of a ceiling that the caller wants kept
 * @param isolation {@code worktree}; any other word asks for nothing
 */
public record SpawnCall(
        @Nullable String agent,
        boolean hasDirectory,
        @Nullable Harness harness,
        @Nullable WorkspaceAccess workspace,
        @Nullable NetworkPolicy network,
        Limits.Partial limits,
        @Nullable CredentialScope credentials,
        @Nullable RuntimeClass runtime,
        Budgets budgets,
        @Nullable String model,
        @Nullable String thinking,
        @Nullable Double maxTurns,
        @Nullable Boolean inheritContext,
        @Nullable Boolean runInBackground,
        @Nullable Boolean isolated,
        @Nullable String isolation,
        @Nullable String profile) {

    /** A call that says nothing but, perhaps, which agent. */
    public static SpawnCall of(@Nullable String agent) {
        return new Builder(agent).build();
    }

    public static Builder builder(@Nullable String agent) {
        return new Builder(agent);
    }

    /** Collects the fields of a call. */
    public static final class Builder {

        private final @Nullable String agent;
        private boolean hasDirectory;
        private @Nullable Harness harness;
        private @Nullable WorkspaceAccess workspace;
        private @Nullable NetworkPolicy network;
        private Limits.Partial limits = Limits.Partial.NOTHING;
        private @Nullable CredentialScope credentials;
        private @Nullable RuntimeClass runtime;
        private Budgets budgets = Budgets.UNLIMITED;
        private @Nullable String model;
        private @Nullable String thinking;
        private @Nullable Double maxTurns;
        private @Nullable Boolean inheritContext;
        private @Nullable Boolean runInBackground;
        private @Nullable Boolean isolated;
        private @Nullable String isolation;
        private @Nullable String profile;

        private Builder(@Nullable String agent) {
            this.agent = agent;
        }

        public Builder hasDirectory(boolean hasDirectory) {
            this.hasDirectory = hasDirectory;
            return this;
        }

        public Builder harness(@Nullable Harness harness) {
            this.harness = harness;
            return this;
        }

        public Builder workspace(@Nullable WorkspaceAccess workspace) {
            this.workspace = workspace;
            return this;
        }

        public Builder network(@Nullable NetworkPolicy network) {
            this.network = network;
            return this;
        }

        public Builder limits(Limits.Partial limits) {
            this.limits = limits;
            return this;
        }

        public Builder credentials(@Nullable CredentialScope credentials) {
            this.credentials = credentials;
            return this;
        }

        public Builder runtime(@Nullable RuntimeClass runtime) {
            this.runtime = runtime;
            return this;
        }

        public Builder budgets(Budgets budgets) {
            this.budgets = budgets;
            return this;
        }

        public Builder model(@Nullable String model) {
            this.model = model;
            return this;
        }

        public Builder thinking(@Nullable String thinking) {
            this.thinking = thinking;
            return this;
        }

        public Builder maxTurns(@Nullable Double maxTurns) {
            this.maxTurns = maxTurns;
            return this;
        }

        public Builder inheritContext(@Nullable Boolean inheritContext) {
            this.inheritContext = inheritContext;
            return this;
        }

        public Builder runInBackground(@Nullable Boolean runInBackground) {
            this.runInBackground = runInBackground;
            return this;
        }

        public Builder isolated(@Nullable Boolean isolated) {
            this.isolated = isolated;
            return this;
        }

        public Builder isolation(@Nullable String isolation) {
            this.isolation = isolation;
            return this;
        }

        public Builder profile(@Nullable String profile) {
            this.profile = profile;
            return this;
        }

        public SpawnCall build() {
            return new SpawnCall(
                    agent,
                    hasDirectory,
                    harness,
                    workspace,
                    network,
                    limits,
                    credentials,
                    runtime,
                    budgets,
                    model,
                    thinking,
                    maxTurns,
                    inheritContext,
                    runInBackground,
                    isolated,
                    isolation,
                    profile);
        }
    }
}
