package dev.sallyport.authority;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import dev.sallyport.agentfile.AgentDefinition;
import dev.sallyport.agentfile.AgentRegistry;
import dev.sallyport.agentfile.ProjectTrust;
import dev.sallyport.containment.Budgets;
import dev.sallyport.containment.CredentialScope;
import dev.sallyport.containment.Limits;
import dev.sallyport.containment.NetworkPolicy;
import dev.sallyport.containment.RuntimeClass;
import dev.sallyport.containment.WorkspaceAccess;
import dev.sallyport.invocation.Settings;
import dev.sallyport.invocation.SpawnCall;
import dev.sallyport.json.StrictJson;
import dev.sallyport.permission.PermissionConfig;
import dev.sallyport.testing.Golden;
import java.io.IOException;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class AuthorityTest {

    @Test
    void isTheSameAfterItWasStored() {
        Authority authority = full(SpawnCall.builder("full").build());

        Authority stored = Authority.fromJson(authority.toJson());

        assertThat(stored).isEqualTo(authority);
        assertThat(stored.digest()).isEqualTo(authority.digest());
        assertThat(stored.toJson()).isEqualTo(authority.toJson());
    }

    @Test
    void hasAnotherDigestForEveryOtherGrant() {
        List<SpawnCall> calls = List.of(
                call().build(),
                call().model("acme/x").build(),
                call().thinking("low").build(),
                call().maxTurns(4.0).build(),
                call().inheritContext(true).build(),
                call().runInBackground(false).build(),
                call().isolated(true).build(),
                call().workspace(WorkspaceAccess.READ_WRITE).build(),
                call().workspace(WorkspaceAccess.NONE).build(),
                call().network(NetworkPolicy.parse(List.of("a.test"))).build(),
                call().network(NetworkPolicy.parse(List.of("a.test:80"))).build(),
                call().credentials(CredentialScope.of(List.of("github"))).build(),
                call().runtime(RuntimeClass.GVISOR).build(),
                call().limits(new Limits.Partial(1, null, null, null, null)).build(),
                call().limits(new Limits.Partial(null, 1L, null, null, null)).build(),
                call().limits(new Limits.Partial(null, null, 1, null, null)).build(),
                call().limits(new Limits.Partial(null, null, null, Duration.ofSeconds(1), null))
                        .build(),
                call().limits(new Limits.Partial(null, null, null, null, 1L)).build(),
                call().budgets(Budgets.parse(Map.of("tokens", "1"))).build(),
                SpawnCall.builder("Plan").hasDirectory(true).build(),
                SpawnCall.builder("Plann").hasDirectory(true).build());

        Requests requests = Requests.ordinary()
                .operator(Requests.policy().fallbackAgent("general-purpose").build());
        List<String> digests =
                calls.stream().map(call -> requests.granted(call).digest()).toList();

        assertThat(new HashSet<>(digests)).hasSameSizeAs(calls);
    }

    @Test
    void hasAnotherDigestForOtherRulesOrAnotherOrderOfThem() {
        String one = rules("{\"bash\":{\"*\":\"ask\",\"git *\":\"allow\"}}");

        assertThat(one).isNotEqualTo(rules("{\"bash\":{\"git *\":\"allow\",\"*\":\"ask\"}}"));
        assertThat(one).isEqualTo(rules("{\"bash\":{\"*\":\"ask\",\"git *\":\"allow\"}}"));
    }

    @Test
    void hasTheSameDigestHoweverItCameAbout() {
        Authority byDefault = Requests.ordinary().granted(SpawnCall.of(null));
        Authority byCall = Requests.ordinary()
                .granted(SpawnCall.builder(null).network(NetworkPolicy.none()).build());

        assertThat(byCall.fields()).isNotEqualTo(byDefault.fields());
        assertThat(byCall.digest()).isEqualTo(byDefault.digest());
    }

    // A digest that another JVM, another day or another order of maps would change is no proof of anything.
    @Test
    void hasTheDigestThatItAlwaysHad() throws IOException {
        Golden.assertMatches(
                getClass(), "digest.txt", full(SpawnCall.of("full")).digest() + "\n");
    }

    @Test
    void refusesAStoredAuthorityThatItDoesNotUnderstandWhole() {
        String json = full(SpawnCall.of("full")).toJson();

        for (String changed : List.of(
                json.replace("\"version\":2", "\"version\":1"),
                json.replace("\"agent\":", "\"aggent\":"),
                json.replace("\"isolated\":false", "\"isolated\":\"no\""),
                json.replaceFirst("\\{", "{\"extra\":1,"),
                json.replace("\"read-only\"", "\"all\""),
                json.replace("\"pids\":256", "\"pids\":-1"),
                json.replace("\"pids\":256", "\"pids\":256,\"cpus\":1"),
                json.substring(1))) {
            assertThat(changed).isNotEqualTo(json);
            assertThatIllegalArgumentException().isThrownBy(() -> Authority.fromJson(changed));
        }
    }

    private static SpawnCall.Builder call() {
        return SpawnCall.builder(null).hasDirectory(true);
    }

    private static Authority full(SpawnCall call) {
        AgentDefinition definition = AgentDefinition.named("full")
                .tools(List.of("read", "grep"))
                .thinking("high")
                .maxTurns(2.5)
                .systemPrompt("Body with \"quotes\", \u001b and ünïcode.")
                .permission(config(
                        "{\"bash\":{\"rm *\":{\"action\":\"deny\",\"reason\":\"no\"},\"*\":\"ask\"},\"*\":\"ask\"}"))
                .readFrom(AgentDefinition.Source.PROJECT, "/p/.pi/agents/full.md", "abc", Map.of("tools", 3))
                .build();
        SpawnCall asked = SpawnCall.builder(call.agent())
                .hasDirectory(true)
                .model("acme/m/1")
                .network(NetworkPolicy.parse(List.of("b.test", "a.test:80")))
                .credentials(CredentialScope.of(List.of("npm")))
                .build();
        return Requests.ordinary()
                .registry(AgentRegistry.of(List.of(definition)).trusting(ProjectTrust.State.TRUSTED))
                .settings(Settings.DEFAULT)
                .granted(asked);
    }

    private static String rules(String json) {
        AgentDefinition definition =
                AgentDefinition.named("r").permission(config(json)).build();
        return Requests.ordinary()
                .registry(AgentRegistry.of(List.of(definition)).trusting(ProjectTrust.State.TRUSTED))
                .granted(SpawnCall.of("r"))
                .digest();
    }

    private static PermissionConfig config(String json) {
        return PermissionConfig.parse(StrictJson.parse(json)).config();
    }
}
