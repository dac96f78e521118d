package dev.sallyport.authority;

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
import dev.sallyport.json.StrictJson;
import dev.sallyport.model.Model;
import dev.sallyport.permission.PermissionConfig;
import dev.sallyport.toolscope.BuiltinTools;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Operators, agent files and calls of every kind; the same seed gives the same ones in every JVM. What has no order is written
 * in another one for another {@code order}.
 */
final class RandomRequests {

    static final int DEPTH = 4;
    static final List<String> HOSTS = List.of("a.test", "b.test", "c.test");
    private static final List<String> NAMES = List.of("alpha", "beta", "gamma");
    private static final List<String> EXTENSIONS = List.of("Alpha", "beta", "*", "./gamma.ts");
    private static final List<String> SELECTORS =
            List.of("ext:alpha", "ext:alpha/search", "ext:beta/read", "ext:beta/write", "ext:");
    private static final List<String> AGENTS = List.of("x", "X", "y");
    private static final List<String> PROFILES =
            List.of("explore", "general", "none", "read-only-with-safe-bash", "full-tools");
    // As text, because a map that Java makes has another order in every JVM, and the last rule that matches counts.
    private static final List<PermissionConfig> PERMISSIONS = Stream.of(
                    "{}",
                    "{\"bash\": \"allow\"}",
                    "{\"bash\": {\"git *\": \"ask\"}}",
                    "{\"*\": \"deny\", \"bash\": \"allow\"}",
                    "{\"network\": \"ask\"}")
            .map(json -> PermissionConfig.parse(StrictJson.parse(json)).config())
            .toList();
    private static final List<String> CREDENTIALS = List.of("github", "npm", "aws");

    private final Random random;
    private final Random order;

    RandomRequests(long seed) {
        this(seed, 0);
    }

    RandomRequests(long seed, long order) {
        this.random = new Random(seed);
        this.order = new Random(order);
    }

    boolean nextBoolean() {
        return random.nextBoolean();
    }

    int nextInt(int bound) {
        return random.nextInt(bound);
    }

    private <T> List<T> unordered(List<T> values) {
        List<T> shuffled = new ArrayList<>(values);
        Collections.shuffle(shuffled, order);
        return shuffled;
    }

    AuthorityRequest request(OperatorPolicy operator, @Nullable Authority parent) {
        AgentDefinition definition = AgentDefinition.named("x")
                .model(pick(Arrays.asList(null, "scripted/x", "scripted/y", "scripted/z")))
                .tools(maybe(tools()))
                .disallowedTools(maybe(tools()))
                .isolation(maybe(pick(List.of(Isolation.values()))))
                .isolated(maybe(random.nextInt(4) == 0))
                .extensions(inclusion(EXTENSIONS))
                .excludeExtensions(maybe(some(NAMES)))
                .extSelectors(maybe(some(SELECTORS)))
                // Their texts stand in the prompt in the order of the file.
                .skills(inclusion(NAMES).sorted())
                .allowedSubagents(maybe(subagents()))
                .budgets(budgets())
                .sandbox(new SandboxBlock(
                        maybe(workspace()), maybe(network()), maybe(credentials()), limits(), maybe(runtime()), null))
                .permission(pick(PERMISSIONS))
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
                .profile(random.nextInt(4) > 0 ? null : pick(PROFILES))
                .build();
        Settings settings = Settings.DEFAULT.with("worktreeIsolation", random.nextInt(4) > 0);
        return new AuthorityRequest(AgentRegistry.of(List.of(definition)), call, settings, operator, parent);
    }

    OperatorPolicy operator() {
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
                .models(maybe(unordered(List.of(Model.parse("scripted/x"), Model.parse("scripted/y")))))
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

    Budgets budgets() {
        return Budgets.of(_ -> maybe((long) random.nextInt(100)));
    }

    private <T> List<T> some(List<T> values) {
        return unordered(values.stream().filter(_ -> random.nextBoolean()).toList());
    }

    private <T> @Nullable T maybe(T value) {
        return random.nextBoolean() ? value : null;
    }

    private <T> T pick(List<T> values) {
        return values.get(random.nextInt(values.size()));
    }

    List<String> tools() {
        return unordered(
                BuiltinTools.NAMES.stream().filter(_ -> random.nextInt(3) > 0).toList());
    }

    private WorkspaceAccess workspace() {
        return pick(List.of(WorkspaceAccess.values()));
    }

    private NetworkPolicy network() {
        return NetworkPolicy.of(some(HOSTS).stream().map(HostPort::parse).toList());
    }

    private CredentialScope credentials() {
        return CredentialScope.of(some(CREDENTIALS));
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
