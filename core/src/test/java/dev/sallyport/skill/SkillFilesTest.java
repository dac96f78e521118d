package dev.sallyport.skill;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A repository's skills are hostile. */
class SkillFilesTest {

    @TempDir
    private Path root;

    private Path project;
    private Skills skills;

    @BeforeEach
    void project() throws IOException {
        project = Files.createDirectories(root.resolve("project"));
        skills = SkillFiles.of(project, root.resolve("home/.pi/agent"), root.resolve("home"), false);
    }

    @Test
    void findsAndPinsAFile() throws IOException {
        write(project.resolve(".pi/skills/lint.md"), "\n---\nname: x\n---\nLint.\n");

        Skill skill = skills.find("lint");

        assertThat(skill.content()).isEqualTo("---\nname: x\n---\nLint.");
        assertThat(skill.path()).endsWith("/project/.pi/skills/lint.md");
        assertThat(skill.digest())
                .hasSize(64)
                .isNotEqualTo(Skill.found("lint", "", "Lint").digest());
    }

    @ParameterizedTest
    @ValueSource(strings = {"../secret", "a/b", "", ".hidden", "a\n", "-rf", "é"})
    void looksForNothingThatIsNoName(String name) throws IOException {
        write(project.resolve(".pi/secret.md"), "SECRET");

        assertThat(skills.find(name).status()).isEqualTo(Skill.Status.UNSAFE);
        assertThat(skills.find(name).content()).contains("skipped").doesNotContain("SECRET");
    }

    @Test
    void followsNoLink() throws IOException {
        Path secret = write(root.resolve("outside/secret.md"), "SECRET");
        write(root.resolve("outside/dir/SKILL.md"), "SECRET");
        Files.createDirectories(project.resolve(".pi/skills/deep"));
        Files.createSymbolicLink(project.resolve(".pi/skills/flat.md"), secret);
        Files.createSymbolicLink(project.resolve(".pi/skills/dir"), root.resolve("outside/dir"));
        Files.createDirectories(project.resolve(".pi/skills/deep/file"));
        Files.createSymbolicLink(project.resolve(".pi/skills/deep/file/SKILL.md"), secret);

        assertThat(skills.find("flat").status()).isEqualTo(Skill.Status.MISSING);
        assertThat(skills.find("dir").status()).isEqualTo(Skill.Status.MISSING);
        assertThat(skills.find("file").status()).isEqualTo(Skill.Status.MISSING);
    }

    @Test
    void readsNothingThroughADirectoryThatLeadsOutOfTheProject() throws IOException {
        write(root.resolve("private/skills/notes.md"), "SECRET");
        Files.createSymbolicLink(project.resolve(".pi"), root.resolve("private"));

        assertThat(skills.find("notes").status()).isEqualTo(Skill.Status.MISSING);
    }

    @Test
    void readsUpToALimit() throws IOException {
        write(project.resolve(".pi/skills/whole.md"), "x".repeat(SkillFiles.MAX_BYTES));
        write(project.resolve(".pi/skills/more.md"), "x".repeat(SkillFiles.MAX_BYTES + 1));

        assertThat(skills.find("whole").status()).isEqualTo(Skill.Status.FOUND);
        assertThat(skills.find("more").content()).isEqualTo("[skill more: larger than 65536 bytes]");
    }

    @Test
    void givesUpOnADirectoryWithoutEnd() throws IOException {
        Path wide = Files.createDirectories(project.resolve(".pi/skills/wide"));
        for (int i = 0; i <= 10_000; i++) {
            Files.createFile(wide.resolve("f" + i));
        }
        write(root.resolve("home/.pi/skills/late.md"), "LOWER");

        assertThat(skills.find("late").status()).isEqualTo(Skill.Status.MISSING);
    }

    @Test
    void waitsForNoFifo() throws IOException, InterruptedException {
        Files.createDirectories(project.resolve(".pi/skills"));
        int made = new ProcessBuilder(
                        "mkfifo", project.resolve(".pi/skills/pipe.md").toString())
                .start()
                .waitFor();

        assertThat(made).isZero();
        assertThat(skills.find("pipe").status()).isEqualTo(Skill.Status.MISSING);
    }

    private static Path write(Path file, String content) throws IOException {
        Files.createDirectories(file.getParent());
        return Files.writeString(file, content);
    }

    @Test
    void listsOfAProjectWhatItWouldFind() throws IOException {
        write(project.resolve(".pi/skills/flat.md"), "Flat.");
        write(project.resolve(".pi/skills/group/deep/SKILL.md"), "Deep.");
        write(project.resolve(".pi/skills/group/flat/SKILL.md"), "Hidden by the flat one.");
        write(project.resolve(".pi/skills/deep/SKILL.md"), "Nearer.");
        write(project.resolve(".pi/skills/deep/inner/SKILL.md"), "Below a skill.");
        write(project.resolve(".pi/skills/-odd.md"), "No name.");
        write(project.resolve(".agents/skills/flat.md"), "Lower.");
        write(project.resolve(".agents/skills/other.md"), "Other.");
        Files.createSymbolicLink(project.resolve(".agents/skills/link.md"), project.resolve(".pi/skills/flat.md"));

        Map<String, Skill> all = SkillFiles.ofProject(project, false);

        assertThat(all).containsOnlyKeys("flat", "deep", "other");
        all.forEach((name, skill) -> assertThat(skill).isEqualTo(skills.find(name)));
    }

    @Test
    void listsNoMoreThanAPersonCouldLookAt() throws IOException {
        for (int i = 0; i <= 500; i++) {
            write(project.resolve(".pi/skills/s%d.md".formatted(i)), "x");
        }

        assertThatThrownBy(() -> SkillFiles.ofProject(project, false)).hasMessageContaining("more than 500");
    }
}
