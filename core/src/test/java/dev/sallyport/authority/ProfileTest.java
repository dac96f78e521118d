package dev.sallyport.authority;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sallyport.agentfile.AgentDefinition;
import dev.sallyport.agentfile.AgentFiles;
import dev.sallyport.agentfile.AgentRegistry;
import dev.sallyport.agentfile.ProjectTrust;
import dev.sallyport.containment.WorkspaceAccess;
import dev.sallyport.invocation.SpawnCall;
import dev.sallyport.permission.Narrowing;
import dev.sallyport.permission.PermissionState;
import dev.sallyport.permission.Rule;
import dev.sallyport.permission.Ruleset;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ProfileTest {

    private static final List<String> READERS = List.of("read", "grep", "find", "ls");

    @TempDir
    private Path user;

    @TempDir
    private Path project;

    @BeforeEach
    void makeDirectories() throws IOException {
        Files.createDirectories(user.resolve("agents"));
        Files.createDirectories(project.resolve(".pi/agents"));
    }

    private Requests requests() {
        return Requests.ordinary().registry(registry().trusting(ProjectTrust.State.TRUSTED));
    }

    private AgentRegistry registry() {
        return new AgentFiles(AgentFiles.Leniency.NONE).load(user, project, true);
    }

    private static SpawnCall.Builder call(String agent) {
        return SpawnCall.builder(agent).hasDirectory(true);
    }

    private void agent(String front) throws IOException {
        Files.writeString(project.resolve(".pi/agents/a.md"), "---\ndescription: d\n" + front + "---\nDo.\n");
    }

    private void profiles(String json) throws IOException {
        Files.writeString(user.resolve("subagents.json"), json);
    }

    @ParameterizedTest
    @ValueSource(strings = {"explore", "review", "read-only"})
    void readOnlyProfileIsHeldByTheMount(String name) throws IOException {
        agent("tools: all\n");

        Authority authority = requests().granted(call("a").profile(name).build());

        assertThat(authority.tools()).containsExactlyInAnyOrderElementsOf(READERS);
        assertThat(authority.containment().workspace()).isEqualTo(WorkspaceAccess.READ_ONLY);
    }

    @Test
    void agentFileCannotGrantWritingUnderExplore() throws IOException {
        agent("tools: bash, write\nsandbox:\n  workspace: read-write\n");

        Authority authority = requests().granted(call("a").profile("explore").build());

        assertThat(authority.tools()).isEmpty();
        assertThat(authority.containment().workspace()).isEqualTo(WorkspaceAccess.READ_ONLY);
    }

    @Test
    void callCannotLiftTheProfileOfTheAgentFile() throws IOException {
        agent("tools: read-only\n");

        Authority authority = requests()
                .granted(call("a")
                        .profile("full-tools")
                        .workspace(WorkspaceAccess.READ_WRITE)
                        .build());

        assertThat(authority.tools()).containsExactlyInAnyOrderElementsOf(READERS);
        assertThat(authority.containment().workspace()).isEqualTo(WorkspaceAccess.READ_ONLY);
        assertThat(authority.fields())
                .filteredOn(field -> field.name().equals("profile"))
                .singleElement()
                .satisfies(field -> assertThat(field.winner().location()).endsWith("a.md:3"));
    }

    @Test
    void noneIsNoToolInEveryDialect() throws IOException {
        agent("tools: none\n");

        assertThat(requests().granted(call("a").build()).tools()).isEmpty();
        assertThat(requests()
                        .granted(call("general-purpose").profile("none").build())
                        .tools())
                .isEmpty();
    }

    @Test
    void unknownProfileIsRefused() {
        assertThat(requests()
                        .refused(call("general-purpose").profile("read-onyl").build())
                        .refusal())
                .isEqualTo(Refusal.PROFILE_UNKNOWN);
    }

    @Test
    void withAProfileFileWhoeverSaysNothingAboutToolsIsReadOnly() throws IOException {
        agent("");
        assertThat(requests().granted(call("a").build()).tools()).contains("bash");

        profiles("{}");

        assertThat(requests().granted(call("a").build()).tools()).containsExactlyInAnyOrderElementsOf(READERS);
        assertThat(requests().granted(call("a").profile("full-tools").build()).tools())
                .contains("bash", "write");
    }

    @Test
    void customProfileHasItsToolsAndItsGates() throws IOException {
        profiles("""
                {"toolProfiles": {"history": {"tools": ["read", "bash"], "permission": {"bash": {"*": "deny", "git log *": "allow"}}}},
                 "defaultToolProfile": "history"}""");

        Authority authority = requests().granted(call("general-purpose").build());

        assertThat(authority.tools()).containsExactlyInAnyOrder("read", "bash");
        assertThat(bash(authority, "git push")).isEqualTo(PermissionState.DENY);
        assertThat(bash(authority, "git log -1")).isEqualTo(PermissionState.ALLOW);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{\"toolProfiles\": {\"read-only\": {\"tools\": [\"bash\"]}}}",
                "{\"toolProfiles\": {\"explore\": {\"tools\": [\"bash\"]}}}",
                "{\"toolProfiles\": {\"bash\": {\"tools\": []}}}",
                "{\"toolProfiles\": {\"READ-ONLY\": {\"tools\": []}}}",
                "{\"toolProfiles\": {\"web\": {\"tools\": [\"fetch\"]}}}",
                "{\"toolProfiles\": {\"web\": {\"tools\": [], \"permision\": {}}}}",
                "{\"toolProfiles\": {\"web\": {\"tools\": [], \"permission\": {\"bash\": \"denny\"}}}}",
                "{\"defaultToolProfile\": \"nothing\"}",
                "{\"defaultToolProfile\": null}",
                "{\"defaultToolprofile\": \"none\"}",
                "{\"guardrails\": {}}",
                "{\"defaultToolProfile\": \"none\", \"defaultToolProfile\": \"full-tools\"}",
                "[]",
                "{",
                ""
            })
    void profileFileThatCannotBeUsedStopsEverySpawn(String json) throws IOException {
        profiles(json);

        Outcome.Refused refused = requests().refused(call("general-purpose").build());

        assertThat(refused.refusal()).isEqualTo(Refusal.SETTINGS_INVALID);
        assertThat(refused.reasons().getFirst()).contains("subagents.json");
    }

    @Test
    void hugeProfileFileIsNotRead() throws IOException {
        try (RandomAccessFile file =
                new RandomAccessFile(user.resolve("subagents.json").toFile(), "rw")) {
            file.setLength(100L << 20);
        }

        assertThat(requests().refused(call("general-purpose").build()).refusal())
                .isEqualTo(Refusal.SETTINGS_INVALID);
    }

    @Test
    void profileFileThatIsALinkElsewhereIsNotFollowed() throws IOException {
        Path elsewhere = Files.writeString(project.resolve("mine.json"), "{\"defaultToolProfile\": \"full-tools\"}");
        Files.createSymbolicLink(user.resolve("subagents.json"), elsewhere);

        assertThat(requests().refused(call("general-purpose").build()).refusal())
                .isEqualTo(Refusal.SETTINGS_INVALID);
    }

    @Test // T74
    void untrustedProjectsProfilesAreNamedAndNotHonoured() throws IOException {
        profiles("{}");
        Path theirs = project.resolve(".pi/subagents.json");
        Files.writeString(
                theirs,
                "{\"defaultToolProfile\": \"full-tools\", \"toolProfiles\": {\"read-only\": {\"tools\": [\"bash\"]}, \"wide\": {\"tools\": [\"bash\"]}}}");

        Requests untrusting = Requests.ordinary().registry(registry());

        Outcome.Granted granted =
                (Outcome.Granted) untrusting.resolve(call("general-purpose").build());

        assertThat(granted.authority().tools()).containsExactlyInAnyOrderElementsOf(READERS);
        assertThat(granted.explanation().warnings())
                .contains("%s: not honoured, project `%s` is not trusted (run `sallyport trust %s`)"
                        .formatted(theirs, project, project));
        assertThat(untrusting
                        .refused(call("general-purpose").profile("wide").build())
                        .refusal())
                .isEqualTo(Refusal.PROFILE_UNKNOWN);
    }

    @Test
    void cloneUnderAReadOnlyProfileIsRefusedAndNotTakenAway() {
        assertThat(requests()
                        .refused(call("general-purpose")
                                .profile("explore")
                                .workspace(WorkspaceAccess.CLONE)
                                .build())
                        .refusal())
                .isEqualTo(Refusal.WORKSPACE_CONFLICT);
    }

    @ParameterizedTest
    @ValueSource(strings = {"ls", "ls -la src", "grep -rn word .", "cat README.md", "head -5 a/b.txt"})
    void safeBashLooks(String command) {
        assertThat(bash(safe(), command)).isEqualTo(PermissionState.ALLOW);
    }

    @ParameterizedTest // T73
    @ValueSource(
            strings = {
                "rm -rf .",
                "lsof",
                "ls; rm x",
                "ls && rm x",
                "ls | sh",
                "ls & rm x",
                "ls\nrm x",
                "ls\rrm x",
                "ls 'a\n#'$(rm x)''",
                "ls a\\\n#$(rm x)",
                "cat a > b",
                "cat <(rm x)",
                "echo $(rm x)",
                "echo `rm x`",
                "echo \"$(rm x)\"",
                "X=1 ls",
                "env ls",
                "find . -delete",
                "sort -o a a",
                "uniq a b",
                "git log --output=x",
                "ls\trm",
                "evil/ls x",
                "./cat x",
                "/workspace/evil/cat",
                "'evil/ls' x"
            })
    void safeBashDeniesAllElse(String command) {
        assertThat(bash(safe(), command)).isEqualTo(PermissionState.DENY);
    }

    private Authority safe() {
        return requests()
                .granted(call("general-purpose")
                        .profile("read-only-with-safe-bash")
                        .build());
    }

    /** Known by its text, without quotes and by the bare name of its program, as the permission-service knows it. */
    private static PermissionState bash(Authority authority, String command) {
        String bare = command.replace("'", "");
        String word = bare.split("[ \t]", 2)[0];
        List<String> names = List.of(command, bare, bare.substring(word.lastIndexOf('/') + 1));
        Ruleset all =
                new Ruleset(List.of(new Rule("*", "*", PermissionState.ALLOW, Rule.Layer.CONFIG, Rule.Origin.GLOBAL)));
        return new Narrowing(all, authority.narrowing()).decide("bash", names).state();
    }

    @Test
    void contextsThatAFileDoesNotAllowCannotBeAskedFor() throws IOException {
        agent("allowedContexts: [fresh]\n");
        assertThat(requests().granted(call("a").inheritContext(true).build()).inheritContext())
                .isFalse();

        agent("context: fork\nallowedContexts: [fresh]\n");
        assertThat(requests().refused(call("a").build()).refusal()).isEqualTo(Refusal.AGENT_FILE_INVALID);

        agent("context: fork\n");
        assertThat(requests().granted(call("a").build()).inheritContext()).isTrue();
    }

    @Test
    void hiddenAgentIsNotOfferedAndRunsForWhoKnowsIt() throws IOException {
        agent("hidden: true\n");

        AgentRegistry registry = requests().registry();

        assertThat(registry.available()).doesNotContain("a");
        assertThat(registry.get("a").map(AgentDefinition::hidden)).contains(true);
        assertThat(requests().granted(call("a").build()).agent()).isEqualTo("a");
    }
}
