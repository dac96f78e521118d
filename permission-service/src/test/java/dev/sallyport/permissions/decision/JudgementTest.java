package dev.sallyport.permissions.decision;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sallyport.agentfile.Profiles;
import dev.sallyport.containment.WorkspaceAccess;
import dev.sallyport.json.StrictJson;
import dev.sallyport.permission.Narrowing;
import dev.sallyport.permission.PermissionConfig;
import dev.sallyport.permission.PermissionState;
import dev.sallyport.permissions.PermissionProperties;
import dev.sallyport.permissions.PermissionProperties.AskTimeout;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** S2, P22: what policy says, and that nothing below the operator's makes it looser. */
class JudgementTest {

    @TempDir
    private Path directory;

    @Test
    void theShippedPolicyAsksOnlyForWhatLeavesTheContainer() {
        OperatorPolicy contained = new OperatorPolicy(properties(null));

        assertThat(judge(contained, List.of(), bash("rm -rf / ; curl x"), WorkspaceAccess.CLONE)
                        .state())
                .isEqualTo(PermissionState.ALLOW);
        assertThat(judge(contained, List.of(), tool("edit", "src/a.c"), WorkspaceAccess.CLONE)
                        .state())
                .isEqualTo(PermissionState.ALLOW);
        assertThat(judge(contained, List.of(), tool("read", "/etc/passwd"), WorkspaceAccess.READ_WRITE)
                        .state())
                .isEqualTo(PermissionState.ALLOW);
        assertThat(judge(contained, List.of(), tool("deploy", "x"), WorkspaceAccess.CLONE)
                        .state())
                .isEqualTo(PermissionState.ASK);
    }

    @ParameterizedTest
    @CsvSource({
        "ls -la src, ALLOW",
        "grep -n 'a word' x, ALLOW",
        "ls *.java, ASK",
        "ls x && rm x, DENY",
        "evil/ls x, DENY",
        "'\"evil/ls\" x', DENY",
        "cat a > b, DENY",
        "find . -delete, DENY"
    })
    void safeBashHoldsUnderAPolicyThatAllowsEverything(String command, PermissionState expected) {
        PermissionConfig safe =
                Profiles.BUILT_IN.find("read-only-with-safe-bash").orElseThrow().permission();

        Judgement judged = judge(
                operator("{\"*\":\"allow\"}"),
                List.of(new Narrowing.Layer("profile", safe)),
                bash(command),
                WorkspaceAccess.READ_ONLY);

        assertThat(judged.state()).isEqualTo(expected);
    }

    @Test
    void judgesASpawnByTheAgentThatItNames() {
        OperatorPolicy policy = operator("{\"delegation\":{\"*\":\"ask\",\"worker\":\"allow\",\"root\":\"deny\"}}");

        assertThat(judge(policy, List.of(), spawn("{\"agent\":\"worker\",\"prompt\":\"x\"}"), WorkspaceAccess.NONE)
                        .state())
                .isEqualTo(PermissionState.ALLOW);
        assertThat(judge(policy, List.of(), spawn("{\"agent\":\"root\"}"), WorkspaceAccess.NONE)
                        .state())
                .isEqualTo(PermissionState.DENY);
        assertThat(judge(policy, List.of(), spawn("{\"prompt\":\"x\"}"), WorkspaceAccess.NONE)
                        .subject()
                        .value())
                .isEqualTo("ad-hoc");
        assertThatThrownBy(() -> judge(policy, List.of(), spawn("{\"agent\":[\"worker\"]}"), WorkspaceAccess.NONE))
                .isInstanceOf(IllegalArgumentException.class);
    }

    private static Action spawn(String arguments) {
        return new Action.Tool("Agent", null, arguments, (Map<?, ?>) StrictJson.parse(arguments), "/workspace");
    }

    @ParameterizedTest
    @ValueSource(strings = {"bash", "write", "edit"})
    void theShippedPolicyAsksForWritesToABindMount(String tool) {
        OperatorPolicy contained = new OperatorPolicy(properties(null));
        Action action = tool.equals("bash") ? bash("make") : tool(tool, "a.c");

        Judgement judgement = judge(contained, List.of(), action, WorkspaceAccess.READ_WRITE);

        assertThat(judgement.state()).isEqualTo(PermissionState.ASK);
        assertThat(judgement.subject().surface()).isEqualTo("bind_mount");
    }

    /** Three states of operator and two layers: few enough to try every case. */
    @ParameterizedTest
    @EnumSource(PermissionState.class)
    void theStrictestDecidesWhateverTheOrder(PermissionState operator) {
        for (PermissionState first : PermissionState.values()) {
            for (PermissionState second : PermissionState.values()) {
                OperatorPolicy policy = operator("{\"bash\":\"%s\"}".formatted(operator.wire()));
                List<Narrowing.Layer> layers = List.of(
                        layer("one", "{\"bash\":\"%s\"}".formatted(first.wire())),
                        layer("two", "{\"bash\":\"%s\"}".formatted(second.wire())));

                PermissionState state =
                        judge(policy, layers, bash("ls"), WorkspaceAccess.CLONE).state();

                assertThat(state).isEqualTo(operator.stricter(first).stricter(second));
                assertThat(judge(policy, layers.reversed(), bash("ls"), WorkspaceAccess.CLONE)
                                .state())
                        .isEqualTo(state);
            }
        }
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '~',
            value = {
                "ls                   ~ ALLOW",
                "rm x                 ~ DENY",
                "'\"/bin/rm\" x'      ~ DENY",
                "# hello\\nrm x       ~ DENY",
                "ls && rm x           ~ ASK",
                "sh -c 'rm x'         ~ ASK",
                "ls | wc -l           ~ ASK",
            })
    void aRuleAboutPartsOfCommandsHoldsForWholeOnes(String command, PermissionState state) {
        OperatorPolicy policy = operator("{\"bash\":{\"*\":\"allow\",\"rm *\":\"deny\"}}");

        assertThat(judge(policy, List.of(), bash(command.replace("\\n", "\n")), WorkspaceAccess.CLONE)
                        .state())
                .isEqualTo(state);
    }

    @Test
    void aRepositorysRuleAboutPartsOfCommandsHoldsToo() {
        OperatorPolicy policy = operator("{\"bash\":\"allow\"}");
        List<Narrowing.Layer> layers = List.of(layer("a.md:3", "{\"bash\":{\"*\":\"allow\",\"git push*\":\"deny\"}}"));

        Judgement judgement = judge(policy, layers, bash("true; git push"), WorkspaceAccess.CLONE);

        assertThat(judgement.state()).isEqualTo(PermissionState.ASK);
        assertThat(judgement.origin()).isEqualTo("a.md:3");
    }

    @ParameterizedTest
    @CsvSource({
        "src/a.c,                ALLOW",
        "/workspace/src/a.c,     ALLOW",
        "./src/a.c,              ALLOW",
        "src/../secret/key,      DENY",
        "secret/key,             DENY",
        "/workspace/secret/key,  DENY",
        "@secret/key,            DENY",
        "src/../../etc/passwd,   ASK",
        "/etc/passwd,            ASK",
        "/workspacex/src/a.c,    ASK",
    })
    void pathsAreKnownByAllTheirNames(String path, PermissionState state) {
        OperatorPolicy policy = operator("{\"read\":{\"*\":\"ask\",\"src/*\":\"allow\",\"secret/*\":\"deny\"}}");

        assertThat(judge(policy, List.of(), tool("read", path), WorkspaceAccess.CLONE)
                        .state())
                .isEqualTo(state);
    }

    @Test
    void aPathRuleHoldsForEveryFileToolAndMakesCommandsAskable() {
        OperatorPolicy policy = operator("{\"*\":\"allow\",\"path\":{\"*.pem\":\"deny\"}}");

        for (String tool : List.of("read", "write", "edit", "grep", "find", "ls")) {
            assertThat(judge(policy, List.of(), tool(tool, "a/key.pem"), WorkspaceAccess.CLONE)
                            .state())
                    .isEqualTo(PermissionState.DENY);
            assertThat(judge(policy, List.of(), tool(tool, "a/key.txt"), WorkspaceAccess.CLONE)
                            .state())
                    .isEqualTo(PermissionState.ALLOW);
        }
        assertThat(judge(policy, List.of(), bash("cat key.pem"), WorkspaceAccess.CLONE)
                        .state())
                .isEqualTo(PermissionState.ASK);
    }

    @Test
    void whatLeadsOutOfTheWorkspaceIsExternal() {
        OperatorPolicy policy = operator("{\"*\":\"allow\",\"external_directory\":\"deny\"}");

        assertThat(judge(policy, List.of(), tool("read", "../etc/passwd"), WorkspaceAccess.CLONE)
                        .state())
                .isEqualTo(PermissionState.DENY);
        assertThat(judge(policy, List.of(), tool("read", "src/a.c"), WorkspaceAccess.CLONE)
                        .state())
                .isEqualTo(PermissionState.ALLOW);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{\"permission\":{\"bash\":\"alow\"}}",
                "{\"permission\":{\"bash\":\"allow\"},\"yoloMode\":true}",
                "{\"permission\":{\"bash\":\"allow\"},\"permission\":{}}",
                "{\"permission\":{\"bash\":{\"action\":\"deny\"}}}",
                "[]",
                "{\"permission\":{\"bash\":\"allow\",}}",
                "",
            })
    void aPolicyThatIsNotUnderstoodKeepsTheServiceFromStarting(String file) throws IOException {
        Path policy = Files.writeString(directory.resolve("policy.json"), file);

        assertThatThrownBy(() -> new OperatorPolicy(properties(policy)))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("policy.json");
    }

    private OperatorPolicy operator(String permission) {
        try {
            return new OperatorPolicy(properties(Files.writeString(
                    directory.resolve("policy.json"), "{\"permission\":%s} // theirs".formatted(permission))));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static PermissionProperties properties(Path policy) {
        return new PermissionProperties(
                policy,
                new AskTimeout(null),
                1,
                Duration.ofSeconds(1),
                Duration.ofSeconds(5),
                Duration.ZERO,
                Duration.ofSeconds(1),
                Duration.ofSeconds(1),
                Duration.ofSeconds(1));
    }

    private static Narrowing.Layer layer(String origin, String permission) {
        return new Narrowing.Layer(
                origin, PermissionConfig.parse(StrictJson.parse(permission)).config());
    }

    private static Judgement judge(
            OperatorPolicy policy, List<Narrowing.Layer> layers, Action action, WorkspaceAccess workspace) {
        return Judgement.of(policy, new ArrayList<>(layers), Subject.of(action, workspace));
    }

    private static Action bash(String command) {
        return new Action.Tool("bash", null, "{}", Map.of("command", command), "/workspace");
    }

    private static Action tool(String tool, String path) {
        return new Action.Tool(tool, null, "{}", Map.of("path", path), "/workspace");
    }
}
