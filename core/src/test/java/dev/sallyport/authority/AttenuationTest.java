package dev.sallyport.authority;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sallyport.agentfile.AgentDefinition;
import dev.sallyport.agentfile.AgentRegistry;
import dev.sallyport.agentfile.Inclusion;
import dev.sallyport.agentfile.Isolation;
import dev.sallyport.agentfile.SandboxBlock;
import dev.sallyport.agentfile.SubagentPermission;
import dev.sallyport.containment.Budgets;
import dev.sallyport.containment.CredentialScope;
import dev.sallyport.containment.HostPort;
import dev.sallyport.containment.Limits;
import dev.sallyport.containment.NetworkPolicy;
import dev.sallyport.containment.RuntimeClass;
import dev.sallyport.containment.WorkspaceAccess;
import dev.sallyport.invocation.Settings;
import dev.sallyport.invocation.SpawnCall;
import dev.sallyport.model.Model;
import dev.sallyport.permission.PermissionConfig;
import dev.sallyport.toolscope.BuiltinTools;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** T60: whatever agent files and calls say, no descendant is above the operator or any ancestor. */
class AttenuationTest {

    private static final int TREES = 3_000;
    private static final int DEPTH = 4;
    private static final List<String> HOSTS = List.of("a.test", "b.test", "c.test");
    private static final List<String> NAMES = List.of("alpha", "beta", "gamma");
    private static final List<String> EXTENSIONS = List.of("Alpha", "beta", "*", "./gamma.ts");
    private static final List<String> SELECTORS =
            List.of("ext:alpha", "ext:alpha/search", "ext:beta/read", "ext:beta/write", "ext:");
    private static final List<String> AGENTS = List.of("x", "X", "y");
    private static final List<String> CREDENTIALS = List.of("github", "npm", "aws");

    private final long seed = Long.getLong("sallyport.seed", System.nanoTime());
    private final Random random = new Random(seed);

    @Test
    void aChildIsNeverAboveTheOperatorOrAnyAncestor() {
        int granted = 0;
        for (int tree = 0; tree < TREES; tree++) {
            OperatorPolicy operator = operator();
            List<Authority> ancestors = new ArrayList<>();
            for (int depth = 0; depth < DEPTH; depth++) {
                AuthorityRequest request = request(operator, ancestors.isEmpty() ? null : ancestors.getLast());
                if (!(AuthorityResolver.resolve(request)
                        instanceof Outcome.Granted(Authority child, Explanation explanation))) {
                    break;
                }
                granted++;
                assertWithin(operator, child);
                for (Authority ancestor : ancestors) {
                    assertAtMost(child, ancestor);
                }
                ancestors.add(child);
            }
        }
        // Refusing everything would pass too.
        assertThat(granted).isGreaterThan(TREES / 2);
    }

    private void assertAtMost(Authority child, Authority above) {
        assertThat(child.containment().atMost(above.containment()))
                .as("%s under %s, seed %d", child.containment(), above.containment(), seed)
                .isTrue();
        assertSubset(child.tools(), above.tools());
        assertSubset(above.deniedTools(), child.deniedTools());
        assertDisjoint(child.tools(), child.deniedTools());
        assertThat(child.extensions().atMost(above.extensions()))
                .as("%s under %s, seed %d", child.extensions(), above.extensions(), seed)
                .isTrue();
        assertThat(child.skills().atMost(above.skills())).as("seed %d", seed).isTrue();
        assertThat(child.delegation().atMost(above.delegation()))
                .as("%s under %s, seed %d", child.delegation(), above.delegation(), seed)
                .isTrue();
        assertThat(child.delegation().depth())
                .as("seed %d", seed)
                .isGreaterThan(above.delegation().depth())
                .isLessThanOrEqualTo(child.delegation().maxDepth());
        assertThat(child.budgets().atMost(above.budgets()))
                .as("%s under %s, seed %d", child.budgets(), above.budgets(), seed)
                .isTrue();
        // Layers only make an answer stricter (NarrowingTest), so none may be lost on the way down.
        assertSubset(above.narrowing(), child.narrowing());
    }

    private void assertSubset(Collection<?> part, Collection<?> whole) {
        assertThat(whole.containsAll(part))
                .as("%s within %s, seed %d", part, whole, seed)
                .isTrue();
    }

    private void assertDisjoint(Collection<?> one, Collection<?> other) {
        assertThat(Collections.disjoint(one, other))
                .as("%s without %s, seed %d", one, other, seed)
                .isTrue();
    }

    // The same child whichever way its limits are written down: rules have no order.
    @Test
    void theOrderOfRulesDoesNotMatter() {
        for (int round = 0; round < TREES; round++) {
            AuthorityRequest request = request(operator(), null);
            AuthorityRequest shuffled = new AuthorityRequest(
                    request.registry(), request.call(), request.settings(), shuffled(request.operator()), null);

            assertThat(digest(shuffled)).as("seed %d", seed).isEqualTo(digest(request));
        }
    }

    // Between a session and a child there may be any number of agents that take nothing away.
    @Test
    void thePathOfDelegationDoesNotMatter() {
        int compared = 0;
        for (int round = 0; round < TREES; round++) {
            OperatorPolicy operator = OperatorPolicy.builder()
                    .maxLimits(operator().maxLimits())
                    .budgets(budgets())
                    .lockedTools(random.nextBoolean() ? List.of() : tools())
                    .hosts(NetworkPolicy.of(HOSTS.stream().map(HostPort::parse).toList()))
                    .defaultModel(Model.parse("scripted/x"))
                    .delegation(new Delegation(SubagentPermission.all(), 0, 8, 3, false))
                    .build();
            AuthorityRequest direct = request(operator, null);
            if (!(AuthorityResolver.resolve(direct) instanceof Outcome.Granted(Authority child, Explanation _))) {
                continue;
            }
            AuthorityRequest through = new AuthorityRequest(
                    direct.registry(), direct.call(), direct.settings(), operator, open(operator, random.nextInt(4)));
            if (!(AuthorityResolver.resolve(through) instanceof Outcome.Granted(Authority same, Explanation _))) {
                continue;
            }
            compared++;
            assertThat(same.containment()).as("seed %d", seed).isEqualTo(child.containment());
            assertThat(same.tools()).as("seed %d", seed).isEqualTo(child.tools());
            assertThat(same.deniedTools()).as("seed %d", seed).isEqualTo(child.deniedTools());
            assertThat(same.extensions()).as("seed %d", seed).isEqualTo(child.extensions());
            assertThat(same.skills()).as("seed %d", seed).isEqualTo(child.skills());
            assertThat(same.budgets()).as("seed %d", seed).isEqualTo(child.budgets());
            assertThat(same.delegation().agents())
                    .as("seed %d", seed)
                    .isEqualTo(child.delegation().agents());
        }
        assertThat(compared).isGreaterThan(TREES / 10);
    }

    /** An agent with everything that the operator allows, so many steps below a session. */
    private static Authority open(OperatorPolicy operator, int steps) {
        Limits most = operator.maxLimits();
        AgentDefinition everything = AgentDefinition.named("open")
                .allowedSubagents(SubagentPermission.all())
                .extensions(new Inclusion.Only(List.of("*", "./gamma.ts")))
                .sandbox(new SandboxBlock(
                        WorkspaceAccess.READ_WRITE,
                        operator.hosts(),
                        operator.credentials(),
                        new Limits.Partial(
                                most.cpuMillis(), most.memoryBytes(), most.pids(), most.wall(), most.diskBytes()),
                        null,
                        null))
                .build();
        Authority above = null;
        for (int step = 0; step <= steps; step++) {
            above = ((Outcome.Granted) AuthorityResolver.resolve(new AuthorityRequest(
                            AgentRegistry.of(List.of(everything)),
                            SpawnCall.of("open"),
                            Settings.DEFAULT,
                            operator,
                            above)))
                    .authority();
        }
        return Objects.requireNonNull(above);
    }

    @Test
    void resolvingTwiceIsResolvingOnce() {
        for (int round = 0; round < TREES; round++) {
            AuthorityRequest request = request(operator(), null);

            Outcome first = AuthorityResolver.resolve(request);
            assertThat(AuthorityResolver.resolve(request)).as("seed %d", seed).isEqualTo(first);
            if (first instanceof Outcome.Granted(Authority child, Explanation _)) {
                Authority stored = Authority.fromJson(child.toJson());
                assertThat(stored).as("seed %d", seed).isEqualTo(child);
                assertThat(stored.digest()).as("seed %d", seed).isEqualTo(child.digest());
            }
        }
    }

    private String digest(AuthorityRequest request) {
        return switch (AuthorityResolver.resolve(request)) {
            case Outcome.Granted(Authority child, Explanation _) -> child.digest();
            case Outcome.Refused refused -> refused.code();
        };
    }

    private OperatorPolicy shuffled(OperatorPolicy o) {
        return OperatorPolicy.builder()
                .maxLimits(o.maxLimits())
                .workspace(o.workspace())
                .tools(o.tools() == null ? null : o.tools().reversed())
                .lockedTools(o.lockedTools().reversed())
                .lockedExtensions(o.lockedExtensions().reversed())
                .extensions(o.extensions())
                .skills(o.skills())
                .hosts(
                        o.hosts() == null
                                ? null
                                : NetworkPolicy.of(o.hosts().allowed().reversed()))
                .credentials(CredentialScope.of(o.credentials().names().reversed()))
                // The first is the default, so that only the others have no order.
                .runtimes(o.runtimes())
                .delegation(o.delegation())
                .spawns(o.spawns())
                .grants(o.grants().reversed())
                .budgets(o.budgets())
                .defaultModel(o.defaultModel())
                .build();
    }

    // The agent file is a bound for the call as the call is for it.
    @Test
    void aChildIsNeverAboveItsOwnAgentFileOrCall() {
        for (int round = 0; round < TREES; round++) {
            AuthorityRequest request = request(operator(), null);
            if (!(AuthorityResolver.resolve(request)
                    instanceof Outcome.Granted(Authority child, Explanation explanation))) {
                continue;
            }
            SandboxBlock file = request.registry().get("x").orElseThrow().sandbox();
            for (NetworkPolicy asked : present(file.network(), request.call().network())) {
                assertThat(child.containment().network().atMost(asked))
                        .as("seed %d", seed)
                        .isTrue();
            }
            for (CredentialScope asked :
                    present(file.credentials(), request.call().credentials())) {
                assertThat(child.containment().credentials().atMost(asked))
                        .as("seed %d", seed)
                        .isTrue();
            }
            for (WorkspaceAccess asked :
                    present(file.workspace(), request.call().workspace())) {
                assertThat(child.containment().workspace().atMost(asked))
                        .as("seed %d", seed)
                        .isTrue();
            }
            for (RuntimeClass asked : present(file.runtime(), request.call().runtime())) {
                assertThat(child.containment().runtime().atLeastAsStrictAs(asked))
                        .as("seed %d", seed)
                        .isTrue();
            }
            for (Limits.Partial asked : List.of(file.limits(), request.call().limits())) {
                assertThat(child.containment().limits().cpuMillis())
                        .as("seed %d", seed)
                        .isLessThanOrEqualTo(asked.cpuMillis() == null ? Integer.MAX_VALUE : asked.cpuMillis());
                assertThat(child.containment().limits().memoryBytes())
                        .as("seed %d", seed)
                        .isLessThanOrEqualTo(asked.memoryBytes() == null ? Long.MAX_VALUE : asked.memoryBytes());
            }
        }
    }

    private void assertWithin(OperatorPolicy operator, Authority child) {
        assertThat(child.containment().limits().atMost(operator.maxLimits()))
                .as("seed %d", seed)
                .isTrue();
        assertThat(child.containment().workspace().atMost(operator.workspace()))
                .as("seed %d", seed)
                .isTrue();
        if (operator.tools() != null) {
            assertSubset(child.tools(), operator.tools());
        }
        assertDisjoint(child.tools(), operator.lockedTools());
        assertSubset(operator.lockedTools(), child.deniedTools());
        if (operator.extensions() != null) {
            assertThat(child.extensions().atMost(operator.extensions()))
                    .as("seed %d", seed)
                    .isTrue();
        }
        if (!child.extensions().isNone()) {
            assertSubset(operator.lockedExtensions(), child.extensions().excluded());
        }
        assertThat(child.skills().atMost(operator.skills())).as("seed %d", seed).isTrue();
        assertThat(child.delegation().atMost(operator.delegation()))
                .as("seed %d", seed)
                .isTrue();
        assertThat(child.delegation().agents().atMost(operator.spawns("x")))
                .as("seed %d", seed)
                .isTrue();
        assertThat(child.budgets().atMost(operator.budgets()))
                .as("seed %d", seed)
                .isTrue();
        assertThat(child.containment().credentials().atMost(operator.credentials()))
                .as("seed %d", seed)
                .isTrue();
        assertThat(operator.runtimes())
                .as("seed %d", seed)
                .contains(child.containment().runtime());
        if (operator.hosts() != null) {
            assertThat(child.containment().network().atMost(operator.hosts()))
                    .as("seed %d", seed)
                    .isTrue();
        }
    }

    @SafeVarargs
    private static <T> List<T> present(@Nullable T... values) {
        return Stream.of(values).filter(value -> value != null).toList();
    }

    private AuthorityRequest request(OperatorPolicy operator, @Nullable Authority parent) {
        AgentDefinition definition = AgentDefinition.named("x")
                .tools(maybe(tools()))
                .disallowedTools(maybe(tools()))
                .isolation(maybe(pick(List.of(Isolation.values()))))
                .isolated(maybe(random.nextInt(4) == 0))
                .extensions(inclusion(EXTENSIONS))
                .excludeExtensions(maybe(some(NAMES)))
                .extSelectors(maybe(some(SELECTORS)))
                .skills(inclusion(NAMES))
                .allowedSubagents(maybe(subagents()))
                .budgets(budgets())
                .sandbox(new SandboxBlock(
                        maybe(workspace()), maybe(network()), maybe(credentials()), limits(), maybe(runtime()), null))
                .permission(
                        random.nextBoolean()
                                ? PermissionConfig.EMPTY
                                : PermissionConfig.parse(Map.of("bash", "allow"))
                                        .config())
                .build();
        SpawnCall call = SpawnCall.builder("x")
                .hasDirectory(random.nextBoolean())
                .workspace(maybe(workspace()))
                .network(maybe(network()))
                .credentials(maybe(credentials()))
                .limits(limits())
                .runtime(maybe(runtime()))
                .isolation(maybe("worktree"))
                .budgets(budgets())
                .build();
        Settings settings = Settings.DEFAULT.with("worktreeIsolation", random.nextInt(4) > 0);
        return new AuthorityRequest(AgentRegistry.of(List.of(definition)), call, settings, operator, parent);
    }

    private OperatorPolicy operator() {
        List<RuntimeClass> runtimes =
                random.nextBoolean() ? List.of(RuntimeClass.RUNC, RuntimeClass.GVISOR) : List.of(RuntimeClass.values());
        return OperatorPolicy.builder()
                .maxLimits(new Limits(
                        1 + random.nextInt(2000),
                        1 + random.nextInt(2000),
                        1 + random.nextInt(2000),
                        Duration.ofSeconds(1 + random.nextInt(2000)),
                        1 + random.nextInt(2000)))
                .workspace(random.nextInt(3) == 0 ? workspace() : WorkspaceAccess.READ_WRITE)
                .tools(maybe(tools()))
                .lockedTools(random.nextInt(3) == 0 ? some(BuiltinTools.NAMES) : List.of())
                .extensions(maybe(ExtensionRights.of(inclusion(EXTENSIONS), some(NAMES), maybe(some(SELECTORS)))))
                .lockedExtensions(some(NAMES))
                .skills(random.nextBoolean() ? new Inclusion.All() : inclusion(NAMES))
                .hosts(maybe(network()))
                .credentials(credentials())
                .runtimes(runtimes)
                .delegation(new Delegation(
                        SubagentPermission.all(),
                        0,
                        1 + random.nextInt(DEPTH),
                        1 + random.nextInt(5),
                        random.nextBoolean()))
                .spawns(random.nextInt(3) == 0 ? Map.of("x", subagents(), "*", SubagentPermission.all()) : Map.of())
                .budgets(budgets())
                .defaultModel(Model.parse("scripted/x"))
                .build();
    }

    private Inclusion inclusion(List<String> names) {
        return switch (random.nextInt(3)) {
            case 0 -> new Inclusion.None();
            case 1 -> new Inclusion.All();
            default -> {
                List<String> some = some(names);
                yield some.isEmpty() ? new Inclusion.None() : new Inclusion.Only(some);
            }
        };
    }

    private SubagentPermission subagents() {
        return random.nextInt(3) == 0 ? new SubagentPermission.Only(some(AGENTS)) : SubagentPermission.all();
    }

    private Budgets budgets() {
        return Budgets.of(_ -> maybe((long) random.nextInt(100)));
    }

    private <T> List<T> some(List<T> values) {
        return values.stream().filter(_ -> random.nextBoolean()).toList();
    }

    private <T> @Nullable T maybe(T value) {
        return random.nextBoolean() ? value : null;
    }

    private <T> T pick(List<T> values) {
        return values.get(random.nextInt(values.size()));
    }

    private List<String> tools() {
        return BuiltinTools.NAMES.stream().filter(_ -> random.nextInt(3) > 0).toList();
    }

    private WorkspaceAccess workspace() {
        return pick(List.of(WorkspaceAccess.values()));
    }

    private NetworkPolicy network() {
        return NetworkPolicy.of(HOSTS.stream()
                .filter(_ -> random.nextBoolean())
                .map(HostPort::parse)
                .toList());
    }

    private CredentialScope credentials() {
        return CredentialScope.of(
                CREDENTIALS.stream().filter(_ -> random.nextBoolean()).toList());
    }

    private RuntimeClass runtime() {
        return pick(List.of(RuntimeClass.values()));
    }

    private Limits.Partial limits() {
        return new Limits.Partial(
                maybe(1 + random.nextInt(2000)),
                maybe(1L + random.nextInt(2000)),
                maybe(1 + random.nextInt(2000)),
                maybe(Duration.ofSeconds(1 + random.nextInt(2000))),
                maybe(1L + random.nextInt(2000)));
    }
}
