package dev.sallyport.runner.tool;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sallyport.runner.door.Json;
import dev.sallyport.runner.tool.ToolResult.Outcome;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@Timeout(60)
class BashToolTest {

    @TempDir
    Path directory;

    @Test
    void runsInTheWorkspaceWithTheDoorInItsEnvironment() throws Exception {
        ToolResult result = bash("pwd; echo $http_proxy; echo problem >&2; read -r x || echo no input");

        assertThat(result)
                .isEqualTo(
                        new ToolResult(Outcome.OK, directory.toRealPath() + "\nhttp://door\nproblem\nno input\n", 0));
    }

    @Test
    void reportsExitCodesAndSignals() throws Exception {
        assertThat(bash("echo a; exit 3")).isEqualTo(new ToolResult(Outcome.ERROR, "a\n\n[exit code 3]", 3));
        assertThat(bash("kill -9 $$").exitCode()).isEqualTo(137);
    }

    @Test
    void keepsTheEndOfAHugeOutput() throws Exception {
        ToolResult result = bash("seq 1 200000");

        assertThat(result.output()).startsWith("[").contains(" cut here]\n").endsWith("\n199999\n200000\n");
        assertThat(result.output().lines().count()).isEqualTo(2001);
    }

    @Test
    void keepsTheEndOfOneEndlessLineWithoutBreakingACharacter() throws Exception {
        ToolResult result = bash("printf x; for i in $(seq 1 40000); do printf ä; done; printf x");

        assertThat(result.output())
                .startsWith("[28 KiB cut here]\nä")
                .endsWith("äx")
                .doesNotContain("\uFFFD");
        assertThat(result.output().getBytes(StandardCharsets.UTF_8)).hasSizeLessThan(51 * 1024);
    }

    @Test
    void survivesOutputThatIsNoText() throws Exception {
        assertThat(bash("head -c 3000000 /dev/urandom").outcome()).isEqualTo(Outcome.OK);
    }

    @Test
    void killsEverythingAtItsTime() throws Exception {
        String command = """
                sleep 1001 &
                setsid sleep 1002 &
                (setsid bash -c 'sleep 1003 & sleep 1004' 2> /dev/null &) &
                trap '' TERM INT HUP
                echo started
                sleep 1005
                """;

        ToolResult result = bash(command, 1);

        assertThat(result.outcome()).isEqualTo(Outcome.TIMED_OUT);
        assertThat(result.output()).isEqualTo("started\n\n[killed after 1 seconds]");
        assertThat(sleepers()).isEmpty();
    }

    @ParameterizedTest // an empty environment has no mark, an orphan no parent of ours, a session of its own not ours
    @ValueSource(strings = {"(env -i sleep 1001 &)", "env -i setsid sleep 1002 &", "(setsid sleep 1003 &)"})
    void neitherMarkNorParentNorSessionIsNeededToFindAProcess(String command) throws Exception {
        bash(command + "\nsleep 1004", 1);

        assertThat(sleepers()).isEmpty();
    }

    @Test
    void killsWhatGrowsAgainWhileItIsKilled() throws Exception {
        // Whoever waits for the first to die starts another.
        bash("mkfifo f; sleep 1001 > f & for i in $(seq 200); do { read -r < f; sleep 1002; } & done; wait", 1);

        assertThat(sleepers()).isEmpty();
    }

    @Test
    void doesNotWaitForWhatStaysInTheBackground() throws Exception {
        long start = System.nanoTime();

        ToolResult result = bash("sleep 1006 & echo $!");

        assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(Duration.ofSeconds(20));
        ProcessHandle sleeper =
                ProcessHandle.of(Long.parseLong(result.output().strip())).orElseThrow();
        assertThat(sleeper.isAlive()).isTrue();
        sleeper.destroyForcibly();
    }

    @Test
    void isNotReachedByACommandThatKillsItsGroup() throws Exception {
        assertThat(bash("kill -9 0").exitCode()).isEqualTo(137);
    }

    @Test
    void killsTheCommandOfAnInterruptedCaller() throws Exception {
        Thread caller = new Thread(() -> {
            try {
                bash("touch started; trap '' TERM; setsid sleep 1007 & sleep 1008");
            } catch (InterruptedException e) {
                // what this is about
            } catch (Exception e) {
                throw new AssertionError(e);
            }
        });
        caller.start();
        while (!Files.exists(directory.resolve("started"))) {
            Thread.onSpinWait();
        }

        caller.interrupt();
        caller.join();

        assertThat(sleepers()).isEmpty();
    }

    @Test
    void saysSoWhenACommandIsTooLongForTheKernel() throws Exception {
        ToolResult result = bash("# " + "x".repeat(3 << 20));

        assertThat(result.outcome()).isEqualTo(Outcome.ERROR);
        assertThat(result.output()).contains("argument list too long");
    }

    private ToolResult bash(String command) throws ToolException, InterruptedException {
        return bash(command, 30);
    }

    private ToolResult bash(String command, int seconds) throws ToolException, InterruptedException {
        Tool tool = new BashTool(
                new Workspace(directory, directory),
                OutputLimit.DEFAULT,
                Duration.ofMinutes(1),
                Map.of("http_proxy", "http://door"));
        return Toolbox.run(tool.prepare(Json.object().put("command", command).put("timeout", seconds)));
    }

    /** Processes of this test that still run, by their command line. */
    private static java.util.List<String> sleepers() throws IOException {
        try (var processes = Files.newDirectoryStream(Path.of("/proc"), "[0-9]*")) {
            java.util.List<String> found = new java.util.ArrayList<>();
            for (Path process : processes) {
                try {
                    String line = Files.readString(process.resolve("cmdline"), StandardCharsets.ISO_8859_1);
                    if (line.matches("sleep\\x00100\\d\\x00")) {
                        found.add(line);
                    }
                } catch (IOException e) {
                    // ended meanwhile
                }
            }
            return found;
        }
    }
}
