package dev.sallyport.authority;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sallyport.agentfile.AgentDefinition;
import dev.sallyport.agentfile.AgentRegistry;
import dev.sallyport.agentfile.Inclusion;
import dev.sallyport.agentfile.Profiles;
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
import dev.sallyport.json.Digests;
import dev.sallyport.model.Model;
import dev.sallyport.permission.HomeDirectory;
import dev.sallyport.permission.Narrowing;
import dev.sallyport.permission.PermissionConfig;
import dev.sallyport.permission.PermissionState;
import dev.sallyport.permission.Policy;
import dev.sallyport.permission.Rule;
import dev.sallyport.permission.Ruleset;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** T60: whatever agent files and calls say, no descendant is above the operator or any ancestor. */
class AttenuationTest {

    private static final int TREES = Boolean.getBoolean("sallyport.soak") ? 10_000 : 1_000;
    private static final int DEPTH = RandomRequests.DEPTH;

    private static final List<Ruleset> RULES = Stream.of("allow", "ask", "deny")
            .map(word -> Policy.rules(
                    List.of(new Policy.Scope(
                            Rule.Origin.GLOBAL,
                            PermissionConfig.parse(Map.of("*", word)).config())),
                    HomeDirectory.NONE))
            .toList();

    private final long seed = Long.getLong("sallyport.seed", System.nanoTime());
    private final RandomRequests random = new RandomRequests(seed);

    @Test
    void aChildIsNeverAboveTheOperatorOrAnyAncestor() {
        int granted = 0;
        for (int tree = 0; tree < TREES; tree++) {
            OperatorPolicy operator = random.operator();
            List<Authority> ancestors = new ArrayList<>();
            for (int depth = 0; depth < DEPTH; depth++) {
                AuthorityRequest request = random.request(operator, ancestors.isEmpty() ? null : ancestors.getLast());
                if (!(AuthorityResolver.resolve(request)
                        instanceof Outcome.Granted(Authority child, Explanation explanation))) {
                    break;
                }
                granted++;
                assertWithin(operator, child);
                for (Authority ancestor : ancestors) {
                    assertAtMost(child, ancestor);
                }
                assertNoLooser(child, ancestors, request);
                // What it has used up by the time it starts a child of its own.
                ancestors.add(child.withBudgets(someOf(child.budgets(), random)));
            }
        }
        // Refusing everything would pass too.
        assertThat(granted).isGreaterThan(TREES / 2);
    }

    private static Budgets someOf(Budgets budgets, RandomRequests random) {
        return Budgets.of(key -> {
            Long most = budgets.get(key);
            return most == null ? null : (Long) Math.max(0, most - random.nextInt(50));
        });
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

    // Whatever a file says, an ask of anybody above stays an ask at least, and a denial a denial.
    private void assertNoLooser(Authority child, List<Authority> ancestors, AuthorityRequest request) {
        Ruleset rules = RULES.get(random.nextInt(RULES.size()));
        String surface = List.of("bash", "network", "edit").get(random.nextInt(3));
        String value = List.of("git push", "ls", "a.test:443").get(random.nextInt(3));
        PermissionConfig file = request.registry().get("x").orElseThrow().permission();
        PermissionState own =
                new Narrowing(rules, child.narrowing()).decide(surface, value).state();
        Stream<List<Narrowing.Layer>> above = Stream.concat(
                Stream.of(List.of(), List.of(new Narrowing.Layer("file", file))),
                ancestors.stream().map(Authority::narrowing));
        assertThat(above)
                .as("%s `%s`, seed %d", surface, value, seed)
                .noneMatch(layers -> own.looserThan(
                        new Narrowing(rules, layers).decide(surface, value).state()));
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

    // The same child whichever way its limits, lists and file are written down: rules have no order.
    @Test
    void theOrderOfRulesDoesNotMatter() {
        for (int round = 0; round < TREES; round++) {
            RandomRequests written = new RandomRequests(seed + round, 1);
            RandomRequests otherwise = new RandomRequests(seed + round, 2);

            AuthorityRequest one = written.request(written.operator(), null);
            AuthorityRequest other = otherwise.request(otherwise.operator(), null);

            assertThat(digest(other)).as("seed %d, round %d", seed, round).isEqualTo(digest(one));
        }
    }

    // Between a session and a child there may be any number of agents that take nothing away.
    @Test
    void thePathOfDelegationDoesNotMatter() {
        int compared = 0;
        for (int round = 0; round < TREES; round++) {
            OperatorPolicy operator = OperatorPolicy.builder()
                    .maxLimits(random.operator().maxLimits())
                    .budgets(random.budgets())
                    .lockedTools(random.nextBoolean() ? List.of() : random.tools())
                    .hosts(NetworkPolicy.of(
                            RandomRequests.HOSTS.stream().map(HostPort::parse).toList()))
                    .defaultModel(Model.parse("scripted/x"))
                    .delegation(new Delegation(SubagentPermission.all(), 0, 8, 3, false))
                    .build();
            AuthorityRequest direct = random.request(operator, null);
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
            AuthorityRequest request = random.request(random.operator(), null);

            Outcome first = AuthorityResolver.resolve(request);
            assertThat(AuthorityResolver.resolve(request)).as("seed %d", seed).isEqualTo(first);
            if (first instanceof Outcome.Granted(Authority child, Explanation _)) {
                Authority stored = Authority.fromJson(child.toJson());
                assertThat(stored).as("seed %d", seed).isEqualTo(child);
                assertThat(stored.digest()).as("seed %d", seed).isEqualTo(child.digest());
            }
        }
    }

    /** Sets and maps of another JVM have another order; its words may have other cases, its days other hours. */
    @Test
    void everyJvmResolvesToTheSameDigests() throws Exception {
        List<String> expected = Resolving.digests(seed, 300);
        for (String language : List.of("tr", "en")) {
            Process process = new ProcessBuilder(
                            ProcessHandle.current().info().command().orElseThrow(),
                            "-Duser.language=" + language,
                            "-Duser.country=TR",
                            "-Duser.timezone=Asia/Kathmandu",
                            "-Dfile.encoding=COMPAT",
                            "-XX:+UnlockExperimentalVMOptions",
                            "-XX:hashCode=2",
                            "-cp",
                            System.getProperty("java.class.path"),
                            Resolving.class.getName(),
                            Long.toString(seed),
                            "300")
                    .redirectErrorStream(true)
                    .start();
            List<String> digests =
                    process.inputReader(StandardCharsets.UTF_8).lines().toList();
            assertThat(process.waitFor()).as("seed %d: %s", seed, digests).isZero();
            assertThat(digests).as("seed %d", seed).isEqualTo(expected);
        }
    }

    /** A JVM of its own. */
    static final class Resolving {

        private Resolving() {}

        public static void main(String[] arguments) {
            digests(Long.parseLong(arguments[0]), Integer.parseInt(arguments[1]))
                    .forEach(System.out::println);
        }

        /** What each request comes to, and how that is explained. */
        static List<String> digests(long seed, int rounds) {
            RandomRequests random = new RandomRequests(seed);
            return Stream.generate(() -> AuthorityResolver.resolve(random.request(random.operator(), null)))
                    .limit(rounds)
                    .map(outcome -> "%s %s"
                            .formatted(
                                    outcome instanceof Outcome.Granted granted
                                            ? granted.authority().digest()
                                            : outcome,
                                    Digests.sha256(
                                            outcome.explanation().render().getBytes(StandardCharsets.UTF_8))))
                    .toList();
        }
    }

    private String digest(AuthorityRequest request) {
        return switch (AuthorityResolver.resolve(request)) {
            case Outcome.Granted(Authority child, Explanation _) -> child.digest();
            case Outcome.Refused refused -> refused.code();
        };
    }

    // The agent file is a bound for the call as the call is for it.
    @Test
    void aChildIsNeverAboveItsOwnAgentFileOrCall() {
        for (int round = 0; round < TREES; round++) {
            AuthorityRequest request = random.request(random.operator(), null);
            if (!(AuthorityResolver.resolve(request)
                    instanceof Outcome.Granted(Authority child, Explanation explanation))) {
                continue;
            }
            AgentDefinition definition = request.registry().get("x").orElseThrow();
            assertSubset(child.tools(), definition.toolNames());
            List<String> disallowed = definition.disallowedTools();
            if (disallowed != null) {
                assertDisjoint(child.tools(), disallowed);
                assertSubset(disallowed, child.deniedTools());
            }
            assertThat(child.extensions().atMost(ExtensionRights.of(definition)))
                    .as("seed %d", seed)
                    .isTrue();
            assertThat(child.skills().atMost(definition.skills()))
                    .as("seed %d", seed)
                    .isTrue();
            SubagentPermission agents = definition.allowedSubagents();
            assertThat(child.delegation().agents().atMost(agents == null ? SubagentPermission.none() : agents))
                    .as("seed %d", seed)
                    .isTrue();
            for (Budgets asked : List.of(definition.budgets(), request.call().budgets())) {
                assertThat(child.budgets().atMost(asked)).as("seed %d", seed).isTrue();
            }
            String profile = request.call().profile();
            if (profile != null) {
                assertSubset(
                        child.tools(),
                        Profiles.BUILT_IN.find(profile).orElseThrow().tools());
            }
            SandboxBlock file = definition.sandbox();
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
                assertThat(child.containment().limits().pids())
                        .as("seed %d", seed)
                        .isLessThanOrEqualTo(asked.pids() == null ? Integer.MAX_VALUE : asked.pids());
                assertThat(child.containment().limits().diskBytes())
                        .as("seed %d", seed)
                        .isLessThanOrEqualTo(asked.diskBytes() == null ? Long.MAX_VALUE : asked.diskBytes());
                if (asked.wall() != null) {
                    assertThat(child.containment().limits().wall())
                            .as("seed %d", seed)
                            .isLessThanOrEqualTo(asked.wall());
                }
            }
        }
    }

    private void assertWithin(OperatorPolicy operator, Authority child) {
        if (operator.models() != null) {
            assertThat(operator.models()).as("seed %d", seed).contains(child.model());
        }
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
        if (!child.extensions().loadsNothing()) {
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
}
