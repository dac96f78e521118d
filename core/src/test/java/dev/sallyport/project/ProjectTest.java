package dev.sallyport.project;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sallyport.agentfile.AgentRegistry;
import dev.sallyport.skill.Skill;
import dev.sallyport.skill.Skills;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** P6: what a person trusts is exactly what counts. */
class ProjectTest {

    private static final String POLICY = ".pi/extensions/pi-permission-system/config.json";

    @TempDir
    private Path root;

    private Path project;

    @BeforeEach
    void everythingThatCounts() throws IOException {
        project = root.toRealPath().resolve("project");
        write(".pi/agents/fixer.md", "---\ntools: read, bash\nsandbox: {network: [a.test]}\n---\nMend.\n");
        write(".agents/agents/Explore.md", "---\ndescription: mine\n---\nLook.\n");
        write(".pi/subagents.json", "{\"toolProfiles\": {\"mine\": {\"tools\": [\"read\"]}}}");
        write(".pi/settings.json", "{\"enabledModels\": [\"a/b\"]}");
        write(POLICY, "{\"permission\": {\"bash\": \"deny\"}}");
        write(".pi/skills/lint.md", "Lint.");
        write(".agents/skills/deep/plan/SKILL.md", "Plan.");
        write(".pi/extensions/tickets/extension.json", "{\"command\": \"perl\", \"args\": [\"server.pl\"]}");
        write(".pi/extensions/tickets/server.pl", "print 1");
    }

    private void write(String path, String text) throws IOException {
        Path file = project.resolve(path);
        Files.createDirectories(file.getParent());
        Files.writeString(file, text);
    }

    private Project.Whole read() throws IOException {
        return Project.look(project, AgentRegistry.load(root.resolve("home"), project))
                .whole();
    }

    @Test
    void namesAllThatCountsAndWhatItDoes() throws IOException {
        assertThat(read().entries())
                .extracting(entry -> entry.path() + " " + entry.kind().wire() + ": " + entry.says())
                .containsExactly(
                        ".agents/agents/Explore.md agent: agent `Explore`; tools read, bash, edit, write, grep, find, ls; extensions all; hides that of built in",
                        ".agents/skills/deep/plan/SKILL.md skill: skill `plan`: goes into the prompt of agents that name it",
                        ".pi/agents/fixer.md agent: agent `fixer`; tools read, bash; network a.test:443; extensions all",
                        POLICY + " policy: may only narrow what is allowed, trusted or not",
                        ".pi/extensions/tickets extension: extension `tickets`: runs `perl server.pl` in children",
                        ".pi/settings.json settings: may only narrow which models are worked with",
                        ".pi/skills/lint.md skill: skill `lint`: goes into the prompt of agents that name it",
                        ".pi/subagents.json profiles: profiles mine; default profile read-only");
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '~', textBlock = """
            .pi/agents/fixer.md                           | Mend more.
            .pi/agents/another.md                         | More.
            .agents/agents/Explore.md                     | Look.
            .pi/subagents.json                            | {}
            .pi/settings.json                             | {}
            .pi/extensions/pi-permission-system/config.json | {}
            .pi/skills/lint.md                            | Lint, and send it away.
            .pi/skills/group/another/SKILL.md             | Another.
            .agents/skills/deep/plan/SKILL.md             | Plan otherwise.
            .agents/skills/more.md                        | More.
            .pi/extensions/tickets/extension.json         | {"command": "perl", "args": ["other.pl"]}
            .pi/extensions/tickets/server.pl              | print 2
            .pi/extensions/tickets/lib/more.pl            | print 3
            .pi/extensions/another/extension.json         | {"command": "perl"}
            """)
    void whateverCountsChangesTheDigest(String path, String text) throws IOException {
        String before = read().digest();

        write(path, text);

        assertThat(read().digest()).isNotEqualTo(before).hasSize(64);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                ".pi/agents/fixer.md",
                ".pi/subagents.json",
                ".pi/settings.json",
                POLICY,
                ".pi/skills/lint.md",
                ".pi/extensions/tickets/server.pl",
                ".pi/extensions/tickets/extension.json"
            })
    void whateverIsTakenAwayChangesTheDigest(String path) throws IOException {
        String before = read().digest();

        Files.delete(project.resolve(path));

        assertThat(read().digest()).isNotEqualTo(before);
    }

    @Test
    void whatCountsForNothingChangesNothing() throws IOException {
        String before = read().digest();

        write("src/main.c", "int main;");
        write(".pi/notes.txt", "x");
        write(".pi/agents/notes.txt", "x");
        write(".pi/extensions/no-manifest/x", "x");

        assertThat(read().digest()).isEqualTo(before);
    }

    @Test
    void aFileUnderAnotherNameIsAnotherProject() throws IOException {
        String before = read().digest();

        Files.move(project.resolve(".pi/skills/lint.md"), project.resolve(".pi/skills/lints.md"));

        assertThat(read().digest()).isNotEqualTo(before);
    }

    /** The moment between comparing and using. */
    @Test
    void whatIsUsedIsWhatWasDigested() throws IOException {
        Project look = Project.look(project, AgentRegistry.load(root.resolve("home"), project));
        Project.Whole whole = look.whole();

        write(".pi/skills/lint.md", "EVIL");
        write(".pi/extensions/tickets/server.pl", "EVIL");
        write(".pi/agents/fixer.md", "EVIL");
        write(".pi/settings.json", "EVIL");
        Files.delete(project.resolve(POLICY));

        assertThat(whole.skillsOver(Skills.NONE).find("lint").content()).isEqualTo("Lint.");
        assertThat(whole.skillsOver(Skills.NONE).find("gone").status()).isEqualTo(Skill.Status.MISSING);
        assertThat(look.registry().get("fixer").orElseThrow().systemPrompt()).isEqualTo("Mend.");
        assertThat(look.settings()).doesNotContain("EVIL");
        assertThat(look.policy()).isPresent();
        assertThat(whole.extensions().found().getFirst().pinned())
                .isNotEqualTo(read().extensions().found().getFirst().pinned());
    }

    @ParameterizedTest // T71
    @ValueSource(strings = {".pi/extensions", ".pi/skills", ".pi/agents", ".pi"})
    void aLinkOutOfTheProjectIsNotFollowed(String link) throws IOException {
        Path outside = root.resolve("outside");
        Files.move(project.resolve(link), outside);
        Files.createSymbolicLink(project.resolve(link), outside);

        assertThat(read().entries())
                // That something is there which cannot be used counts all the same: it may have been a restriction.
                .filteredOn(entry -> !entry.says().startsWith("can not be used") && entry.kind() != Project.Kind.POLICY)
                .extracting(Project.Entry::path)
                .noneMatch(path -> path.startsWith(link + "/"));
    }

    @Test
    void ofAnUntrustedOneItSaysWhatDoesNotCount() {
        Project look = Project.look(project, AgentRegistry.load(root.resolve("home"), project));

        assertThat(look.notHonoured())
                .extracting(line -> line.substring(project.toString().length() + 1, line.indexOf(':')))
                .isEqualTo(List.of(".pi/skills", ".agents/skills", ".pi/extensions/tickets"));
        assertThat(look.notHonoured().getFirst())
                .contains("not honoured", "is not trusted (run `sallyport trust " + project + "`)");
    }
}
