package dev.sallyport.agentfile;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What an agent file may not do unless the operator has asked for the original's behaviour: T64, T67, T68, T71. */
class LeniencyTest {

    @TempDir
    private Path root;

    @ParameterizedTest // T67, T68; the second reviewer has a Cyrillic letter, the third a zero-width space
    @ValueSource(
            strings = {
                "../../x",
                "/etc/x",
                "a/b",
                ".",
                ".x",
                "-x",
                "rev\u0456ewer",
                "re\u200bviewer",
                "a b",
                "a\u202eb",
                "caf\u00e9",
                "x123456789x123456789x123456789x123456789x123456789x123456789x123"
            })
    void aNameThatIsNotWhatItLooksLikeIsNoName(String name) throws IOException {
        write(".pi/agents/one.md", "---\nname: \"" + name + "\"\n---\nB");

        AgentRegistry registry = load(AgentFiles.Leniency.NONE);

        assertThat(registry.keys()).doesNotContain(name);
        assertThat(registry.warnings())
                .singleElement()
                .satisfies(warning -> assertThat(warning.message()).contains("one.md:2: name `", "any-agent-name"));
    }

    @Test // T67
    void thirtyTwoTimesTwoCharactersAreOneTooMany() throws IOException {
        write(".pi/agents/one.md", "---\nname: " + "x".repeat(63) + "\n---\nB");
        write(".pi/agents/two.md", "---\nname: " + "y".repeat(64) + "\n---\nB");

        assertThat(load(AgentFiles.Leniency.NONE).keys())
                .contains("x".repeat(63))
                .doesNotContain("y".repeat(64));
    }

    @Test
    void theOldNamesAreThereForWhoeverAsksForThem() throws IOException {
        write(".pi/agents/one.md", "---\nname: Code Reviewer\n---\nB");

        assertThat(load(new AgentFiles.Leniency(true, false, false)).keys()).contains("Code Reviewer");
    }

    @Test // T68
    void ofTwoFilesThatDeclareOneAgentNeitherIsUsed() throws IOException {
        write(".pi/agents/a.md", "---\nname: rev\ntools: read\n---\nA");
        write(".pi/agents/b.md", "---\nname: rev\ntools: all\n---\nB");

        AgentRegistry registry = load(AgentFiles.Leniency.NONE);

        assertThat(registry.get("rev")).isEmpty();
        assertThat(registry.warnings()).hasSize(1);
        assertThat(registry.warnings().getFirst())
                .isEqualTo(new LoadWarning.Conflict("rev", path(".pi/agents/a.md"), path(".pi/agents/b.md")));
        assertThat(load(new AgentFiles.Leniency(false, true, false)).get("rev"))
                .hasValueSatisfying(
                        definition -> assertThat(definition.systemPrompt()).isEqualTo("B"));
    }

    @Test // T68
    void aThirdFileDoesNotWinEither() throws IOException {
        for (String file : List.of("a", "b", "c")) {
            write(".pi/agents/" + file + ".md", "---\nname: rev\n---\n" + file);
        }

        assertThat(load(AgentFiles.Leniency.NONE).get("rev")).isEmpty();
    }

    @Test
    void aFileOfAHigherDirectorySettlesAConflictBelow() throws IOException {
        write(".agents/agents/a.md", "---\nname: rev\n---\nA");
        write(".agents/agents/b.md", "---\nname: rev\n---\nB");
        write(".pi/agents/c.md", "---\nname: rev\n---\nC");

        assertThat(load(AgentFiles.Leniency.NONE).get("rev"))
                .hasValueSatisfying(
                        definition -> assertThat(definition.systemPrompt()).isEqualTo("C"));
    }

    @Test // T71
    void aLinkThatLeavesTheDirectoryIsNotFollowed() throws IOException {
        write("secret.md", "---\nname: outside\n---\nB");
        Files.createDirectories(root.resolve("project/.pi/agents"));
        Files.createSymbolicLink(root.resolve("project/.pi/agents/x.md"), root.resolve("project/secret.md"));

        AgentRegistry registry = load(AgentFiles.Leniency.NONE);

        assertThat(registry.keys()).doesNotContain("outside");
        assertThat(registry.warnings())
                .singleElement()
                .satisfies(warning -> assertThat(warning.message()).contains("a link that leads out", "follow-links"));
        assertThat(load(new AgentFiles.Leniency(false, false, true)).keys()).contains("outside");
    }

    @ParameterizedTest // T64
    @ValueSource(
            strings = {
                "isolated: yes | isolated: `yes` counts as false (expected: true or false)",
                "enabled: no | enabled: `no` counts as true (expected: true or false)",
                "max_turns: \"5\" | max_turns: `5` is ignored, so that there is no limit (expected: a number >= 0)",
                "isolation: docker | isolation: `docker` is ignored (expected: worktree or off)",
                "prompt_mode: appendd | prompt_mode: `appendd` counts as replace (expected: append or replace)",
                "model: 5 | model: `5` is ignored (expected: a word)",
                "disallowed_tools: Bash | disallowed_tools: `Bash` denies no built-in tool (nearest: `bash`)",
                "disalowedTools: bash | unknown field `disalowedTools` (nearest: `disallowed_tools`)"
            })
    void aValueThatMeansSomethingElseIsPointedOut(String line) throws IOException {
        String[] parts = line.split(" \\| ", 2);
        write(".pi/agents/one.md", "---\n" + parts[0] + "\n---\nB");

        assertThat(load(AgentFiles.Leniency.NONE).warnings())
                .extracting(LoadWarning::message)
                .containsExactly(path(".pi/agents/one.md") + ":2: " + parts[1]);
    }

    private AgentRegistry load(AgentFiles.Leniency leniency) {
        return new AgentFiles(leniency).load(root.resolve("home"), root.resolve("project"), true);
    }

    private String path(String file) {
        return root.resolve("project").resolve(file).toString();
    }

    private void write(String path, String content) throws IOException {
        Path file = root.resolve("project").resolve(path);
        Files.createDirectories(file.getParent());
        Files.writeString(file, content);
    }
}
