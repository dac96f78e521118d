package dev.sallyport.authority;

import dev.sallyport.agentfile.AgentDefinition;
import dev.sallyport.containment.Containment;
import dev.sallyport.containment.CredentialScope;
import dev.sallyport.containment.Limits;
import dev.sallyport.containment.NetworkPolicy;
import dev.sallyport.containment.RuntimeClass;
import dev.sallyport.containment.WorkspaceAccess;
import dev.sallyport.invocation.Invocation;
import dev.sallyport.invocation.Resolved;
import dev.sallyport.invocation.SpawnCall;
import dev.sallyport.provenance.Grade;
import dev.sallyport.provenance.Origin;
import dev.sallyport.toolscope.BuiltinTools;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BinaryOperator;
import java.util.function.Function;
import java.util.function.ToLongFunction;
import org.jspecify.annotations.Nullable;

/** The capabilities that kernel and door hold: what operator, parent, agent file and call all allow. */
final class ContainmentResolver {

    private final SpawnCall call;
    private final OperatorPolicy operator;
    private final @Nullable Authority parent;
    private final boolean worktreeIsolation;
    private final AgentDefinition definition;
    private final Invocation invocation;
    private final List<String> tools;
    private final List<RightsResolver.Ceiling> ceilings;
    private final List<Field> fields;

    /** Every decision is added to {@code fields}. */
    ContainmentResolver(
            AuthorityRequest request,
            AgentDefinition definition,
            Invocation invocation,
            List<String> tools,
            List<RightsResolver.Ceiling> ceilings,
            List<Field> fields) {
        this.call = request.call();
        this.operator = request.operator();
        this.parent = request.parent();
        this.worktreeIsolation = request.settings().worktreeIsolation();
        this.definition = definition;
        this.invocation = invocation;
        this.tools = tools;
        this.ceilings = ceilings;
        this.fields = fields;
    }

    Containment resolve() throws RefusedException {
        return new Containment(workspace(), network(), credentials(), limits(), runtime());
    }

    private WorkspaceAccess workspace() throws RefusedException {
        Origin file = definition.origin("sandbox.workspace");
        Narrowed<WorkspaceAccess> access = null;
        WorkspaceAccess declared = definition.sandbox().workspace();
        if (declared != null) {
            access = narrowed(declared, file, WorkspaceAccess::meet, WorkspaceAccess::wire);
        }
        if (invocation.worktree().value()) {
            access = wish(access, invocation.worktree().origin(), WorkspaceAccess.CLONE);
        }
        WorkspaceAccess wished = call.workspace();
        if (wished != null) {
            if (wished == WorkspaceAccess.CLONE && !clonesAllowed()) {
                throw new RefusedException(
                        Refusal.WORKSPACE_CONFLICT, "workspace: the call asks for a clone, %s".formatted(whyNoClone()));
            }
            access = wish(access, Origin.call("workspace"), wished);
        }
        for (RightsResolver.Ceiling ceiling : ceilings) {
            WorkspaceAccess most = ceiling.profile().workspace();
            if (most != null && access == null && call.hasDirectory()) {
                access = narrowed(most, ceiling.origin(), WorkspaceAccess::meet, WorkspaceAccess::wire);
            } else if (most != null && access != null) {
                requireComparable(access.value(), most, access.winner(), ceiling.origin());
                access.cap(ceiling.origin(), most);
            }
        }
        if (access == null) {
            access = narrowed(defaultWorkspace(), Origin.DEFAULT, WorkspaceAccess::meet, WorkspaceAccess::wire);
        }
        for (Resolved.Outranked outranked : invocation.worktree().outranked()) {
            access.losers()
                    .add(new Field.Loser(outranked.origin(), "isolation " + outranked.value(), outranked.reason()));
        }
        requireComparable(access.value(), operator.workspace(), access.winner(), operator.origin("ceilings.workspace"));
        access.cap(operator.origin("ceilings.workspace"), operator.workspace());
        if (parent != null && !granted(access.value())) {
            WorkspaceAccess ceiling = parent.containment().workspace();
            requireComparable(access.value(), ceiling, access.winner(), Origin.parent(parent.agent()));
            access.cap(Origin.parent(parent.agent()), ceiling);
        }
        field("workspace", access, Grade.KERNEL);
        return access.value();
    }

    private static Narrowed<WorkspaceAccess> wish(
            @Nullable Narrowed<WorkspaceAccess> access, Origin origin, WorkspaceAccess wished) throws RefusedException {
        if (access == null) {
            return narrowed(wished, origin, WorkspaceAccess::meet, WorkspaceAccess::wire);
        }
        requireComparable(access.value(), wished, access.winner(), origin);
        access.wish(origin, wished);
        return access;
    }

    /** Read-only and clone have nothing in common; a child without the workspace it needs would only fail later. */
    private static void requireComparable(WorkspaceAccess one, WorkspaceAccess other, Origin from, Origin against)
            throws RefusedException {
        if (!one.atMost(other) && !other.atMost(one)) {
            throw new RefusedException(
                    Refusal.WORKSPACE_CONFLICT,
                    "workspace: %s from %s and %s from %s exclude each other"
                            .formatted(one.wire(), from, other.wire(), against));
        }
    }

    private boolean clonesAllowed() {
        return worktreeIsolation && !invocation.worktreeVetoed();
    }

    private String whyNoClone() {
        return invocation.worktreeVetoed()
                ? "%s forbids it".formatted(definition.origin("isolation"))
                : "setting worktreeIsolation forbids it";
    }

    private WorkspaceAccess defaultWorkspace() {
        if (!call.hasDirectory()) {
            return WorkspaceAccess.NONE;
        }
        WorkspaceAccess wanted =
                BuiltinTools.canWrite(tools) && clonesAllowed() ? WorkspaceAccess.CLONE : WorkspaceAccess.READ_ONLY;
        // Nobody asked for it, so what the parent or the operator has will do.
        if (parent != null
                && !granted(wanted)
                && wanted.meet(parent.containment().workspace()) == WorkspaceAccess.NONE) {
            wanted = parent.containment().workspace();
        }
        return wanted.meet(operator.workspace()) == WorkspaceAccess.NONE ? operator.workspace() : wanted;
    }

    /** Whether the operator lets this parent hand on more of the workspace than it has itself (T60). */
    private boolean granted(WorkspaceAccess access) {
        OperatorPolicy.Grant grant = parent == null ? null : operator.grant(parent.agent(), definition.name());
        return grant != null && grant.workspace() != null && access.atMost(grant.workspace());
    }

    private NetworkPolicy network() {
        Narrowed<NetworkPolicy> network = asked(
                definition.sandbox().network(),
                definition.origin("sandbox.network"),
                call.network(),
                "network",
                NetworkPolicy.none(),
                NetworkPolicy::meet,
                policy -> Field.words(policy.words()));
        if (operator.hosts() != null) {
            network.cap(operator.origin("ceilings.hosts"), operator.hosts());
        }
        if (parent != null) {
            network.cap(Origin.parent(parent.agent()), parent.containment().network());
        }
        field("network", network, network.value() instanceof NetworkPolicy.None ? Grade.KERNEL : Grade.DOOR);
        return network.value();
    }

    private CredentialScope credentials() {
        Narrowed<CredentialScope> credentials = asked(
                definition.sandbox().credentials(),
                definition.origin("sandbox.credentials"),
                call.credentials(),
                "credentials",
                CredentialScope.NONE,
                CredentialScope::meet,
                scope -> Field.words(scope.names()));
        credentials.cap(operator.origin("ceilings.credentials"), operator.credentials());
        if (parent != null) {
            credentials.cap(Origin.parent(parent.agent()), parent.containment().credentials());
        }
        field("credentials", credentials, Grade.DOOR);
        return credentials.value();
    }

    private Limits limits() {
        Limits.Partial file = definition.sandbox().limits();
        Limits.Partial wished = call.limits();
        return new Limits(
                (int) limit("cpu", file.cpuMillis(), wished.cpuMillis(), Limits::cpuMillis, Limits::showCpu),
                limit("memory", file.memoryBytes(), wished.memoryBytes(), Limits::memoryBytes, Limits::showBytes),
                (int) limit("pids", file.pids(), wished.pids(), Limits::pids, String::valueOf),
                Duration.ofMillis(limit(
                        "wall",
                        file.wall() == null ? null : (Long) file.wall().toMillis(),
                        wished.wall() == null ? null : (Long) wished.wall().toMillis(),
                        limits -> limits.wall().toMillis(),
                        millis -> Limits.showDuration(Duration.ofMillis(millis)))),
                limit("disk", file.diskBytes(), wished.diskBytes(), Limits::diskBytes, Limits::showBytes));
    }

    private long limit(
            String key,
            @Nullable Number file,
            @Nullable Number wished,
            ToLongFunction<Limits> of,
            Function<Long, String> show) {
        Narrowed<Long> limit = asked(
                file == null ? null : (Long) file.longValue(),
                definition.origin("sandbox.limits." + key),
                wished == null ? null : (Long) wished.longValue(),
                "limits." + key,
                of.applyAsLong(Limits.DEFAULT),
                Math::min,
                show);
        limit.cap(operator.origin("ceilings.limits." + key), of.applyAsLong(operator.maxLimits()));
        if (parent != null) {
            limit.cap(
                    Origin.parent(parent.agent()),
                    of.applyAsLong(parent.containment().limits()));
        }
        field("limits." + key, limit, key.equals("wall") ? Grade.DOOR : Grade.KERNEL);
        return limit.value();
    }

    private RuntimeClass runtime() throws RefusedException {
        Origin file = definition.origin("sandbox.runtime");
        RuntimeClass declared = definition.sandbox().runtime();
        RuntimeClass wished = call.runtime();
        RuntimeClass inherited = parent == null ? null : parent.containment().runtime();
        List<Field.Loser> losers = new ArrayList<>();
        RuntimeClass runtime = operator.runtimes().getFirst();
        Origin origin = operator.origin("ceilings.runtimes");
        if (inherited != null) {
            runtime = inherited;
            origin = Origin.parent(parent == null ? "" : parent.agent());
        }
        if (wished != null) {
            runtime = wished;
            origin = Origin.call("runtime");
        }
        if (declared != null && (wished == null || !wished.atLeastAsStrictAs(declared))) {
            if (wished != null && !declared.atLeastAsStrictAs(wished)) {
                throw new RefusedException(
                        Refusal.RUNTIME_NOT_ALLOWED,
                        "runtime: %s asks for %s, the call for %s".formatted(file, declared.wire(), wished.wire()));
            }
            if (wished != null) {
                losers.add(new Field.Loser(origin, wished.wire(), "%s asks for more isolation".formatted(file)));
            }
            runtime = declared;
            origin = file;
        } else if (declared != null && declared != wished) {
            losers.add(new Field.Loser(file, declared.wire(), "the call asks for more isolation"));
        }
        if (inherited != null && !runtime.atLeastAsStrictAs(inherited)) {
            throw new RefusedException(
                    Refusal.RUNTIME_NOT_ALLOWED,
                    "runtime: `%s` is weaker than the parent's `%s`".formatted(runtime.wire(), inherited.wire()));
        }
        if (!operator.runtimes().contains(runtime)) {
            throw new RefusedException(
                    Refusal.RUNTIME_NOT_ALLOWED,
                    "runtime: `%s` is not offered here (available: %s)"
                            .formatted(
                                    runtime.wire(),
                                    Field.words(operator.runtimes().stream()
                                            .map(RuntimeClass::wire)
                                            .toList())));
        }
        fields.add(new Field("runtime", runtime.wire(), Grade.KERNEL, origin, losers));
        return runtime;
    }

    /** What agent file and call ask for together; the default counts only where both are silent. */
    private static <T> Narrowed<T> asked(
            @Nullable T file,
            Origin fileOrigin,
            @Nullable T wished,
            String callField,
            T fallback,
            BinaryOperator<T> meet,
            Function<T, String> show) {
        if (file == null) {
            return wished == null
                    ? narrowed(fallback, Origin.DEFAULT, meet, show)
                    : narrowed(wished, Origin.call(callField), meet, show);
        }
        Narrowed<T> asked = narrowed(file, fileOrigin, meet, show);
        if (wished != null) {
            asked.wish(Origin.call(callField), wished);
        }
        return asked;
    }

    private static <T> Narrowed<T> narrowed(T value, Origin origin, BinaryOperator<T> meet, Function<T, String> show) {
        return new Narrowed<>(value, origin, meet, show);
    }

    private <T> void field(String name, Narrowed<T> narrowed, Grade grade) {
        fields.add(new Field(name, narrowed.shown(), grade, narrowed.winner(), narrowed.losers()));
    }
}
