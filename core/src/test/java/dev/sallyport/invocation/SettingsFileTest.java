package dev.sallyport.invocation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SettingsFileTest {

    @TempDir
    private Path directory;

    @Test
    void saysWhichFileWonAndWhere() {
        Settings settings = Settings.DEFAULT
                .with("graceTurns", 3)
                .overlaidBy(SettingsFile.parse("/home/a/subagents.json", "{\"graceTurns\": 7, \"maxConcurrent\": 4}"))
                .overlaidBy(SettingsFile.parse("/p/.pi/subagents.json", "{\"maxConcurrent\": 2}"));

        assertThat(settings.graceTurns()).isEqualTo(7);
        assertThat(settings.maxConcurrent()).isEqualTo(2);
        assertThat(settings.origin("maxConcurrent").location()).isEqualTo("/p/.pi/subagents.json maxConcurrent");
        assertThat(settings.origin("graceTurns").location()).isEqualTo("/home/a/subagents.json graceTurns");
        assertThat(settings.problems()).isEmpty();
    }

    @Test
    void namesFileFieldAndRemedyOfAMistake() {
        SettingsFile file = SettingsFile.parse(
                "s.json", "{\"graceTurns\": 0, \"worktreIsolation\": false, \"profiles\": {}, \"fleetView\": true}");

        assertThat(file.problems().stream().map(SettingsFile.Problem::toString))
                .containsExactly(
                        "s.json graceTurns: `0` (expected: a whole number from 1 to 1000)",
                        "s.json worktreIsolation: unknown setting (nearest: `worktreeIsolation`)",
                        "s.json profiles: unknown setting (remove it)");
        assertThat(file.problems().stream().map(SettingsFile.Problem::loses)).containsExactly(true, true, false);
        assertThat(file.values()).containsOnlyKeys("fleetView");
    }

    @Test
    void cannotBeMadeToHangOrToReadWithoutEnd() throws Exception {
        Path fifo = directory.resolve("fifo");
        assertThat(new ProcessBuilder("mkfifo", fifo.toString()).start().waitFor())
                .isZero();
        Path large = Files.writeString(directory.resolve("large"), " ".repeat(SettingsFile.MAX_BYTES + 1));
        Path link = Files.createSymbolicLink(directory.resolve("link"), Path.of("/dev/zero"));
        Path dangling = Files.createSymbolicLink(directory.resolve("dangling"), directory.resolve("nothing"));

        for (Path file : new Path[] {fifo, large, link, dangling, directory}) {
            assertThat(SettingsFile.read(file).problems())
                    .as(file.toString())
                    .extracting(SettingsFile.Problem::kind)
                    .containsExactly(SettingsFile.Kind.UNREADABLE);
        }
    }

    @Test
    void fileThatIsNotThereSaysNothing() throws IOException {
        assertThat(SettingsFile.read(directory.resolve("none.json")).problems()).isEmpty();
        assertThat(SettingsFile.read(Files.writeString(directory.resolve("s.json"), "{\"graceTurns\":2}"))
                        .values())
                .containsEntry("graceTurns", 2);
    }

    @Test
    void duplicateKeyMakesAFileUnusable() {
        assertThat(SettingsFile.parse("s.json", "{\"scopeModels\":true,\"scopeModels\":false}")
                        .problems())
                .singleElement()
                .extracting(SettingsFile.Problem::kind)
                .isEqualTo(SettingsFile.Kind.UNREADABLE);
    }

    @Test
    void operatorsOwnMistakeIsAnError() {
        assertThatThrownBy(() -> Settings.DEFAULT.with("graceTurns", 0)).hasMessageContaining("graceTurns: 0");
        assertThatThrownBy(() -> Settings.DEFAULT.with("grace", 1)).hasMessageContaining("unknown setting");
    }
}
