package dev.sallyport.runner;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sallyport.runner.door.FakeDoor;
import dev.sallyport.runner.door.Json;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

@Timeout(60)
class RunnerTest {

    @TempDir
    Path directory;

    private FakeDoor gateway;

    @BeforeEach
    void open() throws IOException {
        gateway = new FakeDoor(directory);
    }

    @AfterEach
    void close() throws IOException {
        gateway.close();
    }

    @Test
    void rehearses() throws Exception {
        assertThat(Rehearsal.run()).isZero();
    }

    @ParameterizedTest
    @CsvSource({"exit 0,0", "exit 3,3", "kill -15 $$,143", "kill -9 0,137"})
    void endsAsItsCommandDoes(String script, int code) throws Exception {
        command("sh", "-c", script).command("task", "{}");

        assertThat(run()).isEqualTo(code);
    }

    @Test
    void saysSoWhenThereIsNoSuchCommand() throws Exception {
        command("/no/such/program").command("task", "{}");

        assertThat(run()).isEqualTo(127);
        assertThat(output("stderr")).contains("No such file");
    }

    @Test // P3
    void givesTheTaskToStandardInputOnlyAndTheDoorToTheEnvironment() throws Exception {
        command("sh", "-c", "cat; echo; env; tr '\\0' ' ' < /proc/$$/cmdline >&2")
                .command("task", "{\"prompt\":\"the säcret task\"}");

        assertThat(run()).isZero();

        assertThat(output("stdout"))
                .startsWith("the säcret task\n")
                .containsPattern("(?m)^http_proxy=http://127.0.0.1:\\d+$")
                .containsPattern("(?m)^HTTPS_PROXY=http://127.0.0.1:\\d+$")
                .containsPattern("(?m)^ANTHROPIC_BASE_URL=http://127.0.0.1:\\d+/model/anthropic$")
                .containsPattern("(?m)^OPENAI_BASE_URL=http://127.0.0.1:\\d+/model/openai/v1$")
                .containsPattern("(?m)^NO_PROXY=127.0.0.1,localhost,::1$")
                .containsPattern("(?m)^no_proxy=127.0.0.1,localhost,::1$")
                .containsPattern("(?m)^ANTHROPIC_API_KEY=added-at-the-door$")
                .containsPattern("(?m)^OPENAI_API_KEY=added-at-the-door$");
        assertThat(output("stdout").substring(20)).doesNotContain("säcret");
        assertThat(output("stderr")).doesNotContain("säcret");
    }

    @Test
    void reportsOutputWithoutBreakingCharactersAndCapsIt() throws Exception {
        command("sh", "-c", "yes ääääääääääääääääää | head -c 12000000; echo end >&2")
                .command("task", "{}");

        assertThat(run()).isZero();

        assertThat(output("stdout")).doesNotContain("\uFFFD");
        assertThat(output("stderr")).contains("bytes of output not reported]");
    }

    /** The gateway gives the task to nobody who does not say exactly what it may be. */
    @Test
    void saysWhichToolsAndModelItHasAndNotWhichItWasGiven() throws Exception {
        ObjectNode assignment = assignment(directory).put("harness", "builtin");
        assignment
                .putObject("model")
                .put("provider", "scripted")
                .put("id", "demo")
                .put("shape", "messages");
        assignment.putArray("tools").add("read").add("teleport").add("bash");
        gateway.command("assignment", assignment.toString());
        CompletableFuture<Integer> code = start();
        gateway.await(() -> !gateway.events("started").isEmpty());

        JsonNode started = gateway.events("started").getFirst();
        gateway.command("cancel", "{}");

        assertThat(started.path("model").asString()).isEqualTo("scripted/demo");
        assertThat(started.path("tools").valueStream().map(JsonNode::asString))
                .containsExactlyInAnyOrder("read", "bash");
        assertThat(code.get()).isNotZero();
    }

    @Test
    void saysWhatItIsBeforeItGetsItsTask() throws Exception {
        command("true");
        CompletableFuture<Integer> code = start();
        gateway.await(() -> !gateway.events("started").isEmpty());

        JsonNode started = gateway.events("started").getFirst();
        assertThat(started.path("uid").asInt(-1)).isEqualTo((int) Files.getAttribute(directory, "unix:uid"));
        assertThat(started.path("nonce").asString()).isEqualTo("n-1");
        assertThat(started.path("tools")).isEmpty();
        assertThat(started.path("pid1").asString()).isNotEmpty();
        assertThat(code).isNotDone();
        gateway.command("task", "{}");
        assertThat(code.get()).isZero();
    }

    @Test
    void stopsItsProgramWhenCancelledAndSaysWhy() throws Exception {
        command("sh", "-c", "trap '' TERM; touch started; setsid sleep 1009 & sleep 1010")
                .command("task", "{}");
        CompletableFuture<Integer> code = start();
        gateway.await(() -> !gateway.events("started").isEmpty());
        awaitFile("started");

        gateway.command("cancel", "{\"reason\":\"alice said so\"}");

        assertThat(code.get()).isEqualTo(143);
        assertThat(gateway.events("error").getFirst())
                .isEqualTo(Json.read("{\"code\":\"cancelled\",\"message\":\"alice said so\"}"));
        assertThat(ProcessHandle.allProcesses()
                        .map(process -> process.info().commandLine().orElse(""))
                        .filter(line -> line.endsWith("sleep 1009") || line.endsWith("sleep 1010")))
                .isEmpty();
    }

    @Test
    void letsAProgramTidyUpThatIsToldToStop() throws Exception {
        command("sh", "-c", "trap 'sleep 0.3; echo tidied; exit' TERM; sleep 1009 & touch started; wait")
                .command("task", "{}");
        CompletableFuture<Integer> code = start();
        awaitFile("started");

        gateway.command("cancel", "{}");

        assertThat(code.get()).isEqualTo(143);
        assertThat(output("stdout")).isEqualTo("tidied\n");
    }

    @Test
    void isCancelledBeforeItBegins() throws Exception {
        gateway.command("cancel", "{\"reason\":\"changed my mind\"}");

        assertThat(run()).isEqualTo(143);
    }

    @Test // P14
    void refusesAnAssignmentThatItDoesNotUnderstand() throws Exception {
        gateway.command("assignment", "{\"version\":99}");

        assertThat(run()).isEqualTo(Runner.COULD_NOT);
        assertThat(gateway.events("error").getFirst().path("code").asString()).isEqualTo("version-skew");
    }

    @Test
    void finishesItsWorkThoughTheGatewayRestartsMeanwhile() throws Exception {
        Path go = directory.resolve("go");
        command("sh", "-c", "echo before; touch started; while [ ! -e go ]; do :; done; echo after; exit 5")
                .command("task", "{}");
        CompletableFuture<Integer> code = start();
        awaitFile("started");

        gateway.die();
        Files.createFile(go);
        gateway.comeBack();

        assertThat(code.get()).isEqualTo(5);
        assertThat(output("stdout")).isEqualTo("before\nafter\n");
    }

    @Test
    void couldNotDoItsPartWithoutADoor() throws Exception {
        gateway.die();

        assertThat(run(Duration.ofMillis(200))).isEqualTo(Runner.COULD_NOT);
    }

    @Test
    void isNoSuccessThatTheGatewayNeverHeardOf() throws Exception {
        command("sh", "-c", "touch started; while [ ! -e go ]; do :; done; echo unheard")
                .command("task", "{}");
        CompletableFuture<Integer> code = start(Duration.ofMillis(200));
        awaitFile("started");

        gateway.die();
        Files.createFile(directory.resolve("go"));

        assertThat(code.get()).isEqualTo(Runner.COULD_NOT);
    }

    @Test // S15
    void deliversAlsoWhatAFailedChildHasDone() throws Exception {
        String base = cloneAndRun("echo x > x; exit 3");

        assertThat(run()).isEqualTo(3);

        assertThat(gateway.events("workspace-ready"))
                .containsExactly(Json.object().put("head", base));
        assertThat(gateway.deliveries()).isEqualTo(1);
    }

    @Test // S15
    void deliversAlsoWhatACancelledChildHasDone() throws Exception {
        cloneAndRun("echo x > x; touch ../started; sleep 1009");
        CompletableFuture<Integer> code = start();
        awaitFile("started");

        gateway.command("cancel", "{}");

        assertThat(code.get()).isEqualTo(143);
        assertThat(gateway.deliveries()).isEqualTo(1);
    }

    @Test
    void hasFailedIfItsWorkIsNotTaken() throws Exception {
        cloneAndRun("echo x > x");
        gateway.delivery(422, "{\"code\":\"branch-exists\",\"detail\":\"in the way\"}");

        assertThat(run()).isEqualTo(Runner.COULD_NOT);

        assertThat(gateway.events("error"))
                .containsExactly(Json.read("{\"code\":\"branch-exists\",\"message\":\"in the way\"}"));
    }

    @Test
    void isNotCancelledAnyMoreWhenItDelivers() throws Exception {
        cloneAndRun("echo x > x");
        gateway.onDelivery(() -> {
            gateway.command("cancel", "{}");
            try {
                gateway.hangUp();
            } catch (InterruptedException e) {
                throw new AssertionError(e);
            }
        });

        assertThat(run()).isZero();

        assertThat(gateway.deliveries()).isEqualTo(1);
    }

    private String cloneAndRun(String script) throws Exception {
        String make = """
                git init -q -b main source && cd source
                git -c user.name=n -c user.email=e@example.com commit -q --allow-empty -m first
                git bundle create -q ../bundle main && git rev-parse HEAD""";
        Process git = new ProcessBuilder("bash", "-ec", make)
                .directory(directory.toFile())
                .start();
        String base = new String(git.getInputStream().readAllBytes(), StandardCharsets.UTF_8).strip();
        assertThat(git.waitFor()).isZero();
        gateway.source(Files.readAllBytes(directory.resolve("bundle")));
        ObjectNode assignment = assignment(Files.createDirectory(directory.resolve("work")), "sh", "-c", script);
        ((ObjectNode) assignment.path("workspace"))
                .put("mode", "clone")
                .put("branch", "pi-agent-abcdefghijklmnop")
                .put("base", base);
        gateway.command("assignment", assignment.toString()).command("task", "{}");
        return base;
    }

    private void awaitFile(String name) {
        while (!Files.exists(directory.resolve(name))) {
            Thread.onSpinWait();
        }
    }

    private FakeDoor command(String... command) {
        return gateway.command("assignment", assignment(directory, command).toString());
    }

    private static ObjectNode assignment(Path workspace, String... command) {
        ObjectNode assignment = Json.object()
                .put("version", 3)
                .put("child", "abcdefghijklmnop")
                .put("nonce", "n-1")
                .put("harness", "command");
        assignment.putObject("extensions").putNull("selectors");
        List.of(command).forEach(assignment.putArray("command")::add);
        assignment.putObject("workspace").put("mode", "none").put("directory", workspace.toString());
        return assignment;
    }

    private int run() throws IOException, InterruptedException {
        return run(Duration.ofSeconds(20));
    }

    private int run(Duration patience) throws IOException, InterruptedException {
        return new Runner(gateway.socket(), 0, patience).run();
    }

    private CompletableFuture<Integer> start() {
        return start(Duration.ofSeconds(20));
    }

    private CompletableFuture<Integer> start(Duration patience) {
        return CompletableFuture.supplyAsync(() -> {
            try {
                return run(patience);
            } catch (IOException | InterruptedException e) {
                throw new AssertionError(e);
            }
        });
    }

    private String output(String stream) {
        return gateway.events("output").stream()
                .filter(data -> data.path("stream").asString().equals(stream))
                .map(data -> data.path("text").asString())
                .collect(Collectors.joining());
    }
}
