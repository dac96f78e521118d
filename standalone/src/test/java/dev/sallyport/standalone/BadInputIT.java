package dev.sallyport.standalone;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;

/** What people get wrong, and what breaks: each is said clearly, and everything else goes on. */
class BadInputIT {

    @TempDir
    private static Path temporary;

    private static Installation sallyport;

    private Path workspace;

    @BeforeAll
    static void start() throws IOException {
        Files.createDirectories(temporary.resolve("scripts"));
        sallyport = Installation.in(
                temporary,
                Map.of("sallyport.gateway.scripts", temporary.resolve("scripts").toString()));
    }

    @AfterAll
    static void stop() {
        sallyport.close();
    }

    @BeforeEach
    void workspace() throws IOException {
        workspace = Files.createTempDirectory(
                temporary.resolve("work"),
                "w",
                PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwxr-xr-x")));
        agent("good.md", "---\ndescription: works\n---\nBe good.");
    }

    @AfterEach
    void everythingElseIsUnharmed() throws Exception {
        String child = sallyport.spawn(Map.of("harness", "command", "command", List.of("true")));

        assertThat(sallyport.awaitEnd(child).path("state").asString()).isEqualTo("completed");
    }

    @Test
    void anUnknownAgentIsRefusedWithTheNamesThatThereAre() throws Exception {
        sallyport.trust(workspace);

        Installation.Answer answer = spawn(Map.of("agent", "goood", "prompt", "x"));

        assertThat(answer.status()).isEqualTo(403);
        assertThat(answer.text("code")).isEqualTo("authority-refused");
        assertThat(answer.body()).contains("goood", ", good", "Explore");
    }

    @Test
    void aNameThatClimbsIsJustUnknown() throws Exception {
        Installation.Answer answer = spawn(Map.of("agent", "../good", "prompt", "x"));

        assertThat(answer.status()).isEqualTo(403);
        assertThat(answer.text("code")).isEqualTo("authority-refused");
    }

    @Test
    void yamlThatDoesNotParseIsNamedWithFileAndLine() throws Exception {
        agent("broken.md", "---\ndescription: x\ntools: [read\n---\n");

        Installation.Answer agents = sallyport.gateway("GET", "/v1/agents?directory=" + workspace, null);

        assertThat(agents.status()).isEqualTo(200);
        assertThat(agents.json().path("warnings").toString()).containsPattern("broken\\.md:\\d+");
        assertThat(agents.json().path("agents").toString()).contains("good");
    }

    @Test
    void anAgentFileOfAHundredMegabytesIsNotRead() throws Exception {
        agent("huge.md", "");
        try (RandomAccessFile file =
                new RandomAccessFile(workspace.resolve(".pi/agents/huge.md").toFile(), "rw")) {
            file.setLength(100L << 20);
        }

        Installation.Answer agents = sallyport.gateway("GET", "/v1/agents?directory=" + workspace, null);

        assertThat(agents.json().path("warnings").toString()).contains("huge.md", "65536");
        assertThat(agents.json().path("agents").toString()).contains("good").doesNotContain("huge\"");
    }

    @Test
    void aDirectoryOutsideTheRootsIsRefused() throws Exception {
        Path outside = Files.createDirectories(temporary.resolve("outside"));
        Files.createSymbolicLink(workspace.resolve("link"), outside);

        for (Path directory : List.of(outside, workspace.resolve("link"), workspace.resolve("../../outside"))) {
            Installation.Answer answer = spawn(Map.of(
                    "harness",
                    "command",
                    "command",
                    List.of("true"),
                    "directory",
                    directory.toString(),
                    "workspace",
                    "read-only"));

            assertThat(answer.status()).as(answer.body()).isBetween(400, 422);
            assertThat(answer.body()).contains("root");
        }
    }

    @Test
    void aFieldThatNobodyKnowsIsRefused() throws Exception {
        Installation.Answer answer = spawn(Map.of("prompt", "x", "privileged", true));

        assertThat(answer.status()).isEqualTo(400);
        assertThat(answer.body()).contains("unknown field `privileged`");
    }

    @Test
    void aScriptThatRunsOutEndsTheChildWithThatReason() throws Exception {
        Files.writeString(
                temporary.resolve("scripts/short.yaml"),
                "turns:\n  - toolCalls:\n      - name: ls\n        arguments: {}\n");

        String child = sallyport.spawn(Map.of("model", "scripted/short", "prompt", "x"));

        JsonNode ended = sallyport.awaitEnd(child);
        assertThat(ended.path("state").asString()).isEqualTo("failed");
        assertThat(ended.path("reason").asString()).isEqualTo("model_script_exhausted");
    }

    @Test
    void anImageThatDoesNotExistFailsItsChildrenAndNothingElse() throws Exception {
        String image = "sha256:" + "0".repeat(64);
        try (Installation other =
                Installation.in(temporary.resolve("other"), Map.of("sallyport.gateway.image", image))) {
            String child = other.spawn(Map.of("harness", "command", "command", List.of("true")));

            JsonNode ended = other.awaitEnd(child);
            assertThat(ended.path("state").asString()).isEqualTo("failed");
            assertThat(ended.path("reason").asString()).isEqualTo("image_not_found");
            assertThat(ended.path("message").asString()).contains(image);
            assertThat(other.gateway("GET", "/v1/agents", null).status()).isEqualTo(200);
            assertThat(Engine.inspectAll(child)).isEmpty();
        }
    }

    @Test
    void anImageByNameIsRefusedAtStart() {
        assertThatThrownBy(() -> Installation.in(
                                temporary.resolve("tagged"), Map.of("sallyport.gateway.image", "sallyport/runner:dev"))
                        .close())
                .hasMessageContaining("image id: `sallyport/runner:dev` (expected: sha256: and 64 hex digits)");
    }

    @Test
    void aFullDiskIsTheChildsProblemOnly() throws Exception {
        String child = sallyport.spawn(Map.of(
                "harness",
                "command",
                "command",
                List.of("sh", "-c", "head -c 4G /dev/zero > /tmp/x; rm -f /tmp/x; echo after; exit 9"),
                "limits",
                Map.of("memory", "256m")));

        JsonNode ended = sallyport.awaitEnd(child);
        assertThat(ended.path("exitCode").asInt()).as(sallyport.events(child)).isEqualTo(9);
        assertThat(sallyport.events(child)).contains("No space left on device", "after");
    }

    @Test
    void aDeadlineEndsAChild() throws Exception {
        String child = sallyport.spawn(Map.of(
                "harness",
                "command",
                "command",
                List.of("sh", "-c", "trap '' TERM; setsid nohup sleep 600 & sleep 600"),
                "limits",
                Map.of("wall", "3s")));
        sallyport.awaitState(child, "running");
        List<Long> processes = Engine.processes(Engine.idOf(child));

        JsonNode ended = sallyport.awaitEnd(child);

        assertThat(ended.path("state").asString()).isEqualTo("timed-out");
        assertThat(Duration.between(
                        Instant.parse(ended.path("startedAt").asString()),
                        Instant.parse(ended.path("endedAt").asString())))
                .isLessThan(Duration.ofSeconds(10));
        assertThat(Engine.inspectAll(child)).isEmpty();
        assertThat(processes).isNotEmpty().noneMatch(pid -> Files.exists(Path.of("/proc/" + pid)));
    }

    private Installation.Answer spawn(Map<String, ?> request) throws IOException, InterruptedException {
        Map<String, Object> body = new HashMap<>(request);
        body.putIfAbsent("directory", workspace.toString());
        return sallyport.gateway("POST", "/v1/children", body);
    }

    private void agent(String file, String content) throws IOException {
        Path agents = Files.createDirectories(workspace.resolve(".pi/agents"));
        Files.writeString(agents.resolve(file), content);
    }
}
