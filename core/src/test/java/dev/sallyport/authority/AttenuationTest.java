package dev.sallyport.authority;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sallyport.agentfile.AgentDefinition;
import dev.sallyport.agentfile.AgentRegistry;
import dev.sallyport.agentfile.Isolation;
import dev.sallyport.agentfile.SandboxBlock;
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
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** T60: whatever agent files and calls say, no descendant is above the operator or any ancestor. */
class AttenuationTest {

    private static final int TREES = 3_000;
    private static final int DEPTH = 4;
    private static final List<String> HOSTS = List.of("a.test", "b.test", "c.test");
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
                    assertThat(child.containment().atMost(ancestor.containment()))
                            .as("%s under %s, seed %d", child.containment(), ancestor.containment(), seed)
                            .isTrue();
                    assertThat(ancestor.tools()).as("seed %d", seed).containsAll(child.tools());
                    assertThat(child.narrowing()).as("seed %d", seed).containsAll(ancestor.narrowing());
                }
                ancestors.add(child);
            }
        }
        // Refusing everything would pass too.
        assertThat(granted).isGreaterThan(TREES);
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
                .build();
        Settings settings = Settings.DEFAULT.with("worktreeIsolation", random.nextInt(4) > 0);
        return new AuthorityRequest(AgentRegistry.of(List.of(definition)), call, settings, operator, parent);
    }

    private OperatorPolicy operator() {
        List<RuntimeClass> runtimes =
                random.nextBoolean() ? List.of(RuntimeClass.RUNC, RuntimeClass.GVISOR) : List.of(RuntimeClass.values());
        return new OperatorPolicy(
                new Limits(
                        1 + random.nextInt(2000),
                        1 + random.nextInt(2000),
                        1 + random.nextInt(2000),
                        Duration.ofSeconds(1 + random.nextInt(2000)),
                        1 + random.nextInt(2000)),
                maybe(network()),
                credentials(),
                runtimes,
                false,
                Model.parse("scripted/x"),
                null);
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
