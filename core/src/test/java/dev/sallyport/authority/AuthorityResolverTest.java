package dev.sallyport.authority;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sallyport.agentfile.AgentDefinition;
import dev.sallyport.agentfile.AgentRegistry;
import dev.sallyport.agentfile.Isolation;
import dev.sallyport.agentfile.LoadWarning;
import dev.sallyport.agentfile.ProjectTrust;
import dev.sallyport.agentfile.SandboxBlock;
import dev.sallyport.agentfile.SubagentPermission;
import dev.sallyport.containment.CredentialScope;
import dev.sallyport.containment.Harness;
import dev.sallyport.containment.Limits;
import dev.sallyport.containment.NetworkPolicy;
import dev.sallyport.containment.RuntimeClass;
import dev.sallyport.containment.WorkspaceAccess;
import dev.sallyport.invocation.Settings;
import dev.sallyport.invocation.SettingsFile;
import dev.sallyport.invocation.SpawnCall;
import dev.sallyport.model.Model;
import dev.sallyport.permission.PermissionConfig;
import dev.sallyport.permission.PermissionState;
import dev.sallyport.provenance.Layer;
import dev.sallyport.toolscope.BuiltinTools;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class AuthorityResolverTest {

    private static final SandboxBlock NOTHING = SandboxBlock.EMPTY;

    @Test
    void anAdHocChildHasAllToolsAndOnlyTheDefaultsAround() {
        Authority authority = Requests.ordinary().granted(SpawnCall.of(null));

        assertThat(authority.agent()).isEqualTo("ad-hoc");
        assertThat(authority.tools()).isEqualTo(BuiltinTools.NAMES);
        assertThat(authority.containment().workspace()).isEqualTo(WorkspaceAccess.NONE);
        assertThat(authority.containment().network()).isEqualTo(NetworkPolicy.none());
        assertThat(authority.containment().credentials()).isEqualTo(CredentialScope.NONE);
        assertThat(authority.containment().limits()).isEqualTo(Limits.DEFAULT);
        assertThat(authority.containment().runtime()).isEqualTo(RuntimeClass.RUNC);
    }

    @Test
    void aDirectoryIsClonedForAnAgentThatCanWriteAndReadOnlyForOneThatCannot() {
        Requests requests = with(agent("reader").tools(List.of("read", "grep")).build());

        assertThat(workspace(
                        requests, SpawnCall.builder(null).hasDirectory(true).build()))
                .isEqualTo(WorkspaceAccess.CLONE);
        assertThat(workspace(
                        requests, SpawnCall.builder("reader").hasDirectory(true).build()))
                .isEqualTo(WorkspaceAccess.READ_ONLY);
    }

    @Test
    void isolationWorktreeMeansAClone() {
        Requests requests = with(agent("fixer").isolation(Isolation.WORKTREE).build());

        assertThat(workspace(
                        requests, SpawnCall.builder("fixer").hasDirectory(true).build()))
                .isEqualTo(WorkspaceAccess.CLONE);
        assertThat(workspace(
                        requests,
                        SpawnCall.builder("fixer")
                                .hasDirectory(true)
                                .workspace(WorkspaceAccess.READ_WRITE)
                                .build()))
                .isEqualTo(WorkspaceAccess.CLONE);
    }

    @Test
    void anIsolationVetoKeepsTheCallFromAClone() {
        Requests requests = with(agent("here").isolation(Isolation.OFF).build());

        Authority authority = requests.granted(SpawnCall.builder("here")
                .hasDirectory(true)
                .isolation("worktree")
                .build());
        assertThat(authority.containment().workspace()).isEqualTo(WorkspaceAccess.READ_ONLY);
        assertThat(requests.refused(SpawnCall.builder("here")
                                .hasDirectory(true)
                                .workspace(WorkspaceAccess.CLONE)
                                .build())
                        .code())
                .isEqualTo("workspace-conflict");
    }

    @Test
    void theCallCannotWidenTheAgentFilesWorkspace() {
        Requests requests = with(agent("looker")
                .sandbox(new SandboxBlock(WorkspaceAccess.READ_ONLY, null, null, Limits.Partial.NOTHING, null, null))
                .build());

        assertThat(workspace(
                        requests,
                        SpawnCall.builder("looker")
                                .workspace(WorkspaceAccess.READ_WRITE)
                                .build()))
                .isEqualTo(WorkspaceAccess.READ_ONLY);
        assertThat(requests.refused(SpawnCall.builder("looker")
                                .workspace(WorkspaceAccess.CLONE)
                                .build())
                        .reasons())
                .first()
                .asString()
                .contains("read-only", "clone", "exclude each other");
    }

    @Test
    void reachesOnlyHostsThatEverybodyAllows() {
        Requests requests = with(agent("net")
                        .sandbox(new SandboxBlock(
                                null, hosts("a.test", "b.test", "c.test"), null, Limits.Partial.NOTHING, null, null))
                        .build())
                .operator(hostsAllowed(hosts("b.test", "c.test", "d.test")));

        Authority authority = requests.granted(SpawnCall.builder("net")
                .network(hosts("a.test", "b.test", "d.test"))
                .build());

        assertThat(authority.containment().network()).isEqualTo(hosts("b.test"));
        Field field = field(authority, "network");
        assertThat(field.winner().layer()).isEqualTo(Layer.OPERATOR);
        assertThat(field.losers()).extracting(loser -> loser.origin().layer()).contains(Layer.CALL, Layer.AGENT_FILE);
    }

    @Test
    void takesTheSmallestLimitAndSaysWhoSetIt() {
        Requests requests = with(agent("small")
                .sandbox(new SandboxBlock(
                        null, null, null, new Limits.Partial(500, null, null, Duration.ofHours(5), null), null, null))
                .build());

        Authority authority = requests.granted(SpawnCall.builder("small")
                .limits(new Limits.Partial(2000, 512L << 20, null, null, null))
                .build());

        assertThat(authority.containment().limits())
                .isEqualTo(new Limits(500, 512L << 20, 256, Duration.ofHours(2), 1L << 30));
        assertThat(field(authority, "limits.cpu").losers())
                .singleElement()
                .extracting(Field.Loser::value)
                .isEqualTo("2");
        assertThat(field(authority, "limits.wall").winner().layer()).isEqualTo(Layer.OPERATOR);
    }

    @Test
    void dropsCredentialsThatTheOperatorDoesNotOffer() {
        Authority authority = Requests.ordinary()
                .granted(SpawnCall.builder(null)
                        .credentials(CredentialScope.of(List.of("github", "aws-root")))
                        .build());

        assertThat(authority.containment().credentials().names()).containsExactly("github");
    }

    @ParameterizedTest
    @CsvSource({
        // operator's default, agent file, call
        ",,runc",
        "gvisor,,gvisor",
        ",gvisor,gvisor",
        "gvisor,runc,gvisor",
        "runc,gvisor,gvisor"
    })
    void takesTheStricterRuntime(String file, String call, String runtime) {
        Requests requests = with(agent("r").sandbox(runtime(file)).build());

        Authority authority = requests.granted(SpawnCall.builder("r")
                .runtime(call == null ? null : RuntimeClass.parse(call))
                .build());

        assertThat(authority.containment().runtime().wire()).isEqualTo(runtime);
    }

    @Test
    void refusesARuntimeThatIsNotOfferedOrWeakerThanTheParents() {
        Authority parent = with(agent("above")
                        .allowedSubagents(SubagentPermission.all())
                        .build())
                .granted(SpawnCall.builder("above").runtime(RuntimeClass.GVISOR).build());

        assertThat(Requests.ordinary()
                        .refused(SpawnCall.builder(null)
                                .runtime(RuntimeClass.KATA)
                                .build())
                        .code())
                .isEqualTo("runtime-not-allowed");
        assertThat(Requests.ordinary()
                        .parent(parent)
                        .refused(SpawnCall.builder(null)
                                .runtime(RuntimeClass.RUNC)
                                .build())
                        .code())
                .isEqualTo("runtime-not-allowed");
        assertThat(Requests.ordinary()
                        .parent(parent)
                        .granted(SpawnCall.of(null))
                        .containment()
                        .runtime())
                .isEqualTo(RuntimeClass.GVISOR);
    }

    @Test
    void refusesAnUnknownAgentWhereTheFallbackIsNone() {
        Requests requests = Requests.ordinary().settings(Settings.DEFAULT.with("fallbackSubagent", "none"));

        for (String name : List.of("reviewr", "../../etc/passwd", "")) {
            Outcome.Refused refused = requests.refused(SpawnCall.of(name));
            assertThat(refused.code()).isEqualTo("unknown-agent");
            assertThat(refused.reasons()).first().asString().contains("general-purpose, Explore, Plan");
        }
    }

    @Test // authority.md 13.13
    void aMisspeltReviewerIsNotAnAgentWithEveryTool() {
        assertThat(Requests.ordinary().refused(SpawnCall.of("reviewr")).code()).isEqualTo("unknown-agent");
        assertThat(Requests.ordinary()
                        .operator(Requests.policy().fallbackAgent("Explore").build())
                        .granted(SpawnCall.of("reviewr"))
                        .agent())
                .isEqualTo("Explore");
    }

    @Test
    void refusesWhereASettingsFileSaysSomethingThatIsLost() {
        Settings mistaken = Settings.DEFAULT.overlaidBy(
                SettingsFile.parse("/p/.pi/subagents.json", "{\"scopeModel\": true, \"profiles\": {}}"));
        Settings foreign = Settings.DEFAULT.overlaidBy(SettingsFile.parse("s.json", "{\"profiles\": {}}"));

        Outcome.Refused refused = Requests.ordinary().settings(mistaken).refused(SpawnCall.of("Explore"));
        Outcome granted = Requests.ordinary().settings(foreign).resolve(SpawnCall.of("Explore"));

        assertThat(refused.code()).isEqualTo("settings-invalid");
        assertThat(refused.reasons())
                .containsExactly("/p/.pi/subagents.json scopeModel: unknown setting (nearest: `scopeModels`)");
        assertThat(granted).isInstanceOf(Outcome.Granted.class);
        assertThat(granted.explanation().warnings()).contains("s.json profiles: unknown setting (remove it)");
    }

    @Test
    void fallsBackToGeneralPurposeWhereTheOperatorWantsTheOldBehaviourAndSaysSo() {
        Outcome outcome = Requests.ordinary()
                .operator(Requests.policy()
                        .compatibility(Compatibility.parse(List.of("fall-back-to-general-purpose")))
                        .build())
                .resolve(SpawnCall.of("reviewr"));

        Authority authority = ((Outcome.Granted) outcome).authority();
        assertThat(authority.agent()).isEqualTo("general-purpose");
        assertThat(authority.fellBackFrom()).isEqualTo("reviewr");
        assertThat(outcome.explanation().warnings()).anyMatch(warning -> warning.contains("reviewr"));
    }

    @Test
    void doesNotFallBackFromAFileThatCannotBeUsed() {
        AgentRegistry registry = AgentRegistry.of(
                List.of(),
                true,
                List.of(),
                List.of(new LoadWarning.Skipped("/p/.pi/agents/reviewer.md", "/p/.pi/agents/reviewer.md:3: nonsense")));

        Outcome.Refused refused = Requests.ordinary().registry(registry).refused(SpawnCall.of("Reviewer"));

        assertThat(refused.code()).isEqualTo("agent-file-invalid");
        assertThat(refused.reasons()).first().asString().contains("reviewer.md:3");
    }

    @Test // T68
    void runsNothingForANameThatTwoFilesClaim() {
        AgentRegistry registry = AgentRegistry.of(
                List.of(), true, List.of(), List.of(new LoadWarning.Conflict("Explore", "/p/a.md", "/p/b.md")));

        Outcome.Refused refused = Requests.ordinary().registry(registry).refused(SpawnCall.of("explore"));

        assertThat(refused.code()).isEqualTo("agent-file-invalid");
        assertThat(refused.reasons()).first().asString().contains("/p/a.md", "/p/b.md");
    }

    // P1
    @Test
    void refusesAnAgentThatTheHarnessCannotHold() {
        PermissionConfig rules = PermissionConfig.parse(Map.of("bash", "ask")).config();
        Requests requests = with(
                agent("tools").tools(List.of("read")).build(),
                agent("denied").disallowedTools(List.of("bash")).build(),
                agent("turns").maxTurns(3.0).build(),
                agent("rules").permission(rules).build(),
                agent("free").build());

        for (String name : List.of("tools", "denied", "turns", "rules")) {
            assertThat(requests.refused(command(name)).code()).as(name).isEqualTo("unenforced");
        }
        assertThat(requests.granted(command("free")).unenforced()).isEmpty();
    }

    @Test
    void showsWhatTheOperatorAcceptedAsUnenforced() {
        Requests requests = with(agent("turns")
                        .maxTurns(3.0)
                        .tools(List.of("read"))
                        .build())
                .operator(acceptUnenforced());

        Authority authority = requests.granted(command("turns"));

        assertThat(authority.unenforced()).containsExactly("tools", "maxTurns");
        assertThat(field(authority, "unenforced").winner().location()).isEqualTo("harness.acceptUnenforced");
    }

    @Test
    void aCommandDoesNotEscapeARestrictedParent() {
        Authority parent = with(agent("reader")
                        .tools(List.of("read"))
                        .allowedSubagents(SubagentPermission.all())
                        .build())
                .granted(SpawnCall.of("reader"));

        assertThat(Requests.ordinary().parent(parent).refused(command(null)).code())
                .isEqualTo("unenforced");
    }

    @Test
    void refusesAHarnessThatTheAgentFileRulesOut() {
        Requests requests = with(agent("b")
                .sandbox(new SandboxBlock(null, null, null, Limits.Partial.NOTHING, null, Harness.BUILTIN))
                .build());

        assertThat(requests.refused(command("b")).code()).isEqualTo("harness-conflict");
    }

    @Test
    void aModelOfTheAgentFileThatIsNotThereGivesWayAndOneOfTheCallDoesNot() {
        OperatorPolicy listed =
                models(List.of(Model.parse("acme/one"), Model.parse("acme/two")), Model.parse("acme/two"));
        Requests requests = with(agent("pinned").model("acme/gone").build()).operator(listed);

        assertThat(requests.granted(SpawnCall.of("pinned")).model()).hasToString("acme/two");
        assertThat(requests.granted(SpawnCall.builder(null).model("ACME/one").build())
                        .model())
                .hasToString("acme/one");
        assertThat(requests.refused(SpawnCall.builder(null).model("acme/gone").build())
                        .reasons())
                .first()
                .asString()
                .contains("acme/one, acme/two");
        assertThat(Requests.ordinary()
                        .operator(models(null, null))
                        .refused(SpawnCall.of(null))
                        .code())
                .isEqualTo("model-missing");
    }

    @Test
    void aParentsRulesNarrowItsChildrenToo() {
        PermissionConfig rules = PermissionConfig.parse(Map.of("bash", "deny")).config();
        Authority parent = with(agent("strict")
                        .permission(rules)
                        .allowedSubagents(SubagentPermission.all())
                        .build())
                .granted(SpawnCall.of("strict"));

        Authority child = Requests.ordinary().parent(parent).granted(SpawnCall.of(null));

        assertThat(child.narrowing())
                .singleElement()
                .satisfies(layer -> assertThat(layer.config()).isEqualTo(rules));
        assertThat(PermissionState.DENY.looserThan(PermissionState.ASK)).isFalse();
    }

    @Test
    void anAgentFilesFieldsWithoutEffectAreNamed() {
        Outcome outcome = with(agent("rich")
                        .persistSession(true)
                        .sessionDir("/s")
                        .build())
                .resolve(SpawnCall.of("rich"));

        assertThat(outcome.explanation().warnings())
                .anyMatch(warning -> warning.contains("persist_session, session_dir"));
    }

    private static Requests with(AgentDefinition... definitions) {
        return Requests.ordinary()
                .registry(AgentRegistry.of(List.of(definitions)).trusting(ProjectTrust.State.TRUSTED));
    }

    private static AgentDefinition.Builder agent(String name) {
        return AgentDefinition.named(name)
                .readFrom(AgentDefinition.Source.PROJECT, "/p/.pi/agents/" + name + ".md", "0", Map.of());
    }

    private static SandboxBlock runtime(String runtime) {
        return runtime == null
                ? NOTHING
                : new SandboxBlock(null, null, null, Limits.Partial.NOTHING, RuntimeClass.parse(runtime), null);
    }

    private static SpawnCall command(String agent) {
        return SpawnCall.builder(agent).harness(Harness.COMMAND).build();
    }

    private static WorkspaceAccess workspace(Requests requests, SpawnCall call) {
        return requests.granted(call).containment().workspace();
    }

    private static NetworkPolicy hosts(String... names) {
        return NetworkPolicy.parse(List.of(names));
    }

    private static Field field(Authority authority, String name) {
        return authority.fields().stream()
                .filter(field -> field.name().equals(name))
                .findFirst()
                .orElseThrow();
    }

    private static OperatorPolicy hostsAllowed(NetworkPolicy hosts) {
        return Requests.policy().hosts(hosts).build();
    }

    private static OperatorPolicy acceptUnenforced() {
        return Requests.policy().acceptUnenforced(true).build();
    }

    private static OperatorPolicy models(List<Model> models, Model byDefault) {
        return Requests.policy().models(models).defaultModel(byDefault).build();
    }
}
