package dev.sallyport.authority;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sallyport.agentfile.AgentFiles;
import dev.sallyport.agentfile.AgentRegistry;
import dev.sallyport.agentfile.ProjectTrust;
import dev.sallyport.invocation.SpawnCall;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** P6, T74: a cloned repository brings agents and settings that nobody has looked at. */
class ProjectTrustTest {

    private static final String BASH = "{\"toolProfiles\": {\"mine\": {\"tools\": [\"bash\"]}}%s}";

    @TempDir
    private Path user;

    @TempDir
    private Path project;

    @BeforeEach
    void twoReviewers() throws IOException {
        write(user.resolve("agents/reviewer.md"), "---\ntools: read\n---\nThe user's.\n");
        write(project.resolve(".pi/agents/reviewer.md"), "---\ntools: all\n---\nThe project's.\n");
        write(project.resolve(".pi/agents/Explore.md"), "---\ntools: all\n---\nThe project's.\n");
        write(project.resolve(".agents/agents/helper.md"), "---\ntools: all\n---\nThe project's.\n");
    }

    private static void write(Path file, String text) throws IOException {
        Files.createDirectories(file.getParent());
        Files.writeString(file, text);
    }

    private AgentRegistry registry() {
        return new AgentFiles(AgentFiles.Leniency.NONE).load(user, project, true);
    }

    private Requests requests(ProjectTrust.State state) {
        return Requests.ordinary().registry(registry().trusting(state));
    }

    @ParameterizedTest
    @ValueSource(strings = {"reviewer", "Explore", "helper", "explore", " Helper "})
    void runsNeitherWhatNobodyLookedAtNorWhatItHides(String name) {
        Outcome.Refused refused = Requests.ordinary().registry(registry()).refused(SpawnCall.of(name));

        assertThat(refused.refusal()).isEqualTo(Refusal.PROJECT_UNTRUSTED);
        assertThat(refused.reasons().getFirst())
                .contains(project.toString(), "is not trusted", "run `sallyport trust " + project + "`");
    }

    @Test
    void whatNobodyLookedAtIsNoFallbackEither() {
        Requests requests = requests(ProjectTrust.State.UNTRUSTED)
                .operator(Requests.policy().fallbackAgent("helper").build());

        assertThat(requests.refused(SpawnCall.of("nobody")).refusal()).isEqualTo(Refusal.PROJECT_UNTRUSTED);
    }

    @Test
    void theCommandToRunIsOneWordWhateverTheDirectoryIsCalled() {
        assertThat(new ProjectTrust(Path.of("/tmp/it's; rm -rf ~"), ProjectTrust.State.UNTRUSTED).remedy())
                .isEqualTo("sallyport trust '/tmp/it'\\''s; rm -rf ~'");
    }

    @ParameterizedTest
    @EnumSource(
            value = ProjectTrust.State.class,
            names = {"UNTRUSTED", "CHANGED"})
    void whatIsNotTheProjectsRunsAsBefore(ProjectTrust.State state) {
        assertThat(requests(state).granted(SpawnCall.of("Plan")).agent()).isEqualTo("Plan");
        assertThat(requests(state).granted(SpawnCall.of(null)).agent()).isEqualTo("ad-hoc");
    }

    @Test
    void saysThatItWasChanged() {
        assertThat(requests(ProjectTrust.State.CHANGED)
                        .refused(SpawnCall.of("reviewer"))
                        .reasons()
                        .getFirst())
                .contains("was changed since it was trusted", "run `sallyport trust");
    }

    @Test
    void aTrustedProjectHasItsAgents() {
        Authority authority = requests(ProjectTrust.State.TRUSTED).granted(SpawnCall.of("reviewer"));

        assertThat(authority.definition()).startsWith(project.toString());
        assertThat(authority.tools()).contains("bash");
    }

    @Test
    void explainsWhatIsNotTrusted() {
        Explanation explanation = requests(ProjectTrust.State.UNTRUSTED)
                .resolve(SpawnCall.of("reviewer"))
                .explanation();

        assertThat(explanation.untrusted())
                .contains(new Explanation.Untrusted(
                        "reviewer", project.resolve(".pi/agents/reviewer.md").toString(), "sallyport trust " + project))
                .hasSize(3);
        assertThat(explanation.render()).contains("untrusted: reviewer of " + project);
        assertThat(requests(ProjectTrust.State.TRUSTED)
                        .resolve(SpawnCall.of("reviewer"))
                        .explanation()
                        .untrusted())
                .isEmpty();
    }

    @Test
    void offersNoneOfThem() {
        assertThat(registry().available())
                .doesNotContain("reviewer", "helper", "Explore")
                .contains("Plan");
    }

    /** The fourth of the original documents: a trusted project may loosen what the user says. */
    @Test
    void aTrustedProjectsProfilesGoOverTheUsers() throws IOException {
        write(user.resolve("subagents.json"), BASH.formatted(", \"defaultToolProfile\": \"none\""));
        write(
                project.resolve(".pi/subagents.json"),
                "{\"toolProfiles\": {\"mine\": {\"tools\": [\"read\", \"ls\"]}}, \"defaultToolProfile\": \"full-tools\"}");
        SpawnCall mine = SpawnCall.builder(null).profile("mine").build();

        assertThat(requests(ProjectTrust.State.UNTRUSTED).granted(mine).tools()).containsExactly("bash");
        assertThat(requests(ProjectTrust.State.UNTRUSTED)
                        .granted(SpawnCall.of(null))
                        .tools())
                .isEmpty();
        assertThat(requests(ProjectTrust.State.TRUSTED).granted(mine).tools()).containsExactlyInAnyOrder("read", "ls");
        assertThat(requests(ProjectTrust.State.TRUSTED)
                        .granted(SpawnCall.of(null))
                        .tools())
                .contains("bash", "write");
    }

    @Test
    void aTrustedProjectThatSaysNoDefaultLeavesTheUsers() throws IOException {
        write(user.resolve("subagents.json"), "{\"defaultToolProfile\": \"none\"}");
        write(project.resolve(".pi/subagents.json"), BASH.formatted(""));

        assertThat(requests(ProjectTrust.State.TRUSTED)
                        .granted(SpawnCall.of(null))
                        .tools())
                .isEmpty();
    }

    @Test
    void aTrustedProjectNeverLoosensWhatTheOperatorSays() throws IOException {
        write(project.resolve(".pi/subagents.json"), "{\"defaultToolProfile\": \"full-tools\"}");
        Requests requests = requests(ProjectTrust.State.TRUSTED)
                .operator(Requests.policy().lockedTools(List.of("bash")).build());

        assertThat(requests.granted(SpawnCall.of(null)).tools()).doesNotContain("bash");
    }

    @Test
    void aFileThatCannotBeUsedStopsATrustedProjectOnly() throws IOException {
        write(project.resolve(".pi/subagents.json"), "{\"guardrails\": {}}");

        assertThat(requests(ProjectTrust.State.TRUSTED)
                        .refused(SpawnCall.of(null))
                        .refusal())
                .isEqualTo(Refusal.SETTINGS_INVALID);
        assertThat(requests(ProjectTrust.State.UNTRUSTED)
                        .granted(SpawnCall.of(null))
                        .agent())
                .isEqualTo("ad-hoc");
    }
}
