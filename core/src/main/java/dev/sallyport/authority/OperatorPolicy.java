package dev.sallyport.authority;

import dev.sallyport.agentfile.Inclusion;
import dev.sallyport.agentfile.SubagentPermission;
import dev.sallyport.containment.Budgets;
import dev.sallyport.containment.CredentialScope;
import dev.sallyport.containment.Limits;
import dev.sallyport.containment.NetworkPolicy;
import dev.sallyport.containment.RuntimeClass;
import dev.sallyport.containment.WorkspaceAccess;
import dev.sallyport.model.Model;
import dev.sallyport.model.Price;
import dev.sallyport.provenance.Origin;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * The most that an operator lets any child have, and what no child is without. Which directories may be worked on, and how,
 * is checked where directories are known; what a call asks permission for is the permission-service's policy.
 *
 * @param tools null for any; a tool that is not here is not granted
 * @param lockedTools denied to everybody, whatever else is granted
 * @param extensions null for any
 * @param hosts null for any public host
 * @param runtimes the first is the default; never empty
 * @param spawns whom an agent may start, by its name; {@code session} for a session, {@code *} for everybody else
 * @param prices of models; one that is not here has no known price, and no child under a cost budget (S19)
 * @param required containment measures without which no child gets its task (S11)
 * @param acceptUnenforced whether a harness may run an agent whose limits it cannot enforce (P1)
 * @param models null for any that is asked for
 * @param fallbackAgent what runs where an agent is unknown; null leaves it to settings, {@code none} refuses
 * @param origins where each field is written, by its name in the file
 */
public record OperatorPolicy(
        Limits maxLimits,
        WorkspaceAccess workspace,
        @Nullable List<String> tools,
        List<String> lockedTools,
        @Nullable ExtensionRights extensions,
        List<String> lockedExtensions,
        Inclusion skills,
        @Nullable NetworkPolicy hosts,
        CredentialScope credentials,
        List<RuntimeClass> runtimes,
        Delegation delegation,
        Map<String, SubagentPermission> spawns,
        List<Grant> grants,
        Budgets budgets,
        Map<Model, Price> prices,
        List<String> required,
        boolean acceptUnenforced,
        @Nullable Model defaultModel,
        @Nullable List<Model> models,
        @Nullable String fallbackAgent,
        Compatibility compatibility,
        Map<String, String> origins) {

    /** The name under which {@link #spawns} holds what a session itself may start. */
    public static final String SESSION = "session";

    public OperatorPolicy {
        tools = tools == null ? null : List.copyOf(tools);
        lockedTools = List.copyOf(new TreeSet<>(lockedTools));
        lockedExtensions = List.copyOf(new TreeSet<>(lockedExtensions));
        runtimes = List.copyOf(runtimes);
        spawns = Map.copyOf(spawns);
        grants = List.copyOf(grants);
        prices = Map.copyOf(prices);
        required = List.copyOf(new TreeSet<>(required));
        models = models == null ? null : List.copyOf(models);
        origins = Map.copyOf(origins);
        if (runtimes.isEmpty()) {
            throw new IllegalArgumentException("runtimes: none (expected: at least one)");
        }
    }

    /**
     * What one agent may hand on to another although it does not have it itself (T60): a coordinator that cannot write may
     * so have a writer. No lock is lifted by it.
     *
     * @param workspace null grants no more than the parent's
     */
    public record Grant(
            String parent,
            String child,
            List<String> tools,
            @Nullable WorkspaceAccess workspace) {

        public Grant {
            tools = List.copyOf(tools);
        }
    }

    /** The default limits as the most, one runtime, no credentials. */
    public static Builder builder() {
        return new Builder();
    }

    /** Whom this agent may start; null names a session. */
    SubagentPermission spawns(@Nullable String agent) {
        SubagentPermission own = spawns.get(agent == null ? SESSION : agent);
        return own != null ? own : spawns.getOrDefault("*", SubagentPermission.all());
    }

    @Nullable Grant grant(String parent, String child) {
        return grants.stream()
                .filter(grant -> grant.parent().equals(parent) && grant.child().equals(child))
                .findFirst()
                .orElse(null);
    }

    /** Where a field is written, or its name. */
    public Origin origin(String field) {
        return Origin.operator(origins.getOrDefault(field, field));
    }

    /** Collects the fields of a policy. */
    public static final class Builder {

        private Limits maxLimits = Limits.DEFAULT;
        private WorkspaceAccess workspace = WorkspaceAccess.READ_WRITE;
        private @Nullable List<String> tools;
        private List<String> lockedTools = List.of();
        private @Nullable ExtensionRights extensions;
        private List<String> lockedExtensions = List.of();
        private Inclusion skills = new Inclusion.All();
        private @Nullable NetworkPolicy hosts;
        private CredentialScope credentials = CredentialScope.NONE;
        private List<RuntimeClass> runtimes = List.of(RuntimeClass.RUNC);
        private Delegation delegation = Delegation.CEILING;
        private Map<String, SubagentPermission> spawns = Map.of();
        private List<Grant> grants = List.of();
        private Budgets budgets = Budgets.UNLIMITED;
        private Map<Model, Price> prices = Map.of();
        private List<String> required = List.of();
        private boolean acceptUnenforced;
        private @Nullable Model defaultModel;
        private @Nullable List<Model> models;
        private @Nullable String fallbackAgent;
        private Compatibility compatibility = Compatibility.NONE;
        private Map<String, String> origins = Map.of();

        private Builder() {}

        public Builder maxLimits(Limits maxLimits) {
            this.maxLimits = maxLimits;
            return this;
        }

        public Builder workspace(WorkspaceAccess workspace) {
            this.workspace = workspace;
            return this;
        }

        public Builder tools(@Nullable List<String> tools) {
            this.tools = tools;
            return this;
        }

        public Builder lockedTools(List<String> lockedTools) {
            this.lockedTools = lockedTools;
            return this;
        }

        public Builder extensions(@Nullable ExtensionRights extensions) {
            this.extensions = extensions;
            return this;
        }

        public Builder lockedExtensions(List<String> lockedExtensions) {
            this.lockedExtensions = lockedExtensions;
            return this;
        }

        public Builder skills(Inclusion skills) {
            this.skills = skills;
            return this;
        }

        public Builder hosts(@Nullable NetworkPolicy hosts) {
            this.hosts = hosts;
            return this;
        }

        public Builder credentials(CredentialScope credentials) {
            this.credentials = credentials;
            return this;
        }

        public Builder runtimes(List<RuntimeClass> runtimes) {
            this.runtimes = runtimes;
            return this;
        }

        public Builder delegation(Delegation delegation) {
            this.delegation = delegation;
            return this;
        }

        public Builder spawns(Map<String, SubagentPermission> spawns) {
            this.spawns = spawns;
            return this;
        }

        public Builder grants(List<Grant> grants) {
            this.grants = grants;
            return this;
        }

        public Builder budgets(Budgets budgets) {
            this.budgets = budgets;
            return this;
        }

        public Builder prices(Map<Model, Price> prices) {
            this.prices = prices;
            return this;
        }

        public Builder required(List<String> required) {
            this.required = required;
            return this;
        }

        public Builder acceptUnenforced(boolean acceptUnenforced) {
            this.acceptUnenforced = acceptUnenforced;
            return this;
        }

        public Builder defaultModel(@Nullable Model defaultModel) {
            this.defaultModel = defaultModel;
            return this;
        }

        public Builder models(@Nullable List<Model> models) {
            this.models = models;
            return this;
        }

        public Builder fallbackAgent(@Nullable String fallbackAgent) {
            this.fallbackAgent = fallbackAgent;
            return this;
        }

        public Builder compatibility(Compatibility compatibility) {
            this.compatibility = compatibility;
            return this;
        }

        public Builder origins(Map<String, String> origins) {
            this.origins = origins;
            return this;
        }

        public OperatorPolicy build() {
            return new OperatorPolicy(
                    maxLimits,
                    workspace,
                    tools,
                    lockedTools,
                    extensions,
                    lockedExtensions,
                    skills,
                    hosts,
                    credentials,
                    runtimes,
                    delegation,
                    spawns,
                    grants,
                    budgets,
                    prices,
                    required,
                    acceptUnenforced,
                    defaultModel,
                    models,
                    fallbackAgent,
                    compatibility,
                    origins);
        }
    }
}
