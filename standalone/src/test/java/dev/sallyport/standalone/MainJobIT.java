package dev.sallyport.standalone;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;

/** The main job from outside: both services, a real database, a real engine, real children. */
class MainJobIT {

    @TempDir
    private static Path temporary;

    private static Installation sallyport;

    private Path workspace;

    @BeforeAll
    static void start() throws IOException {
        sallyport = Installation.in(temporary, Map.of());
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
        Files.writeString(workspace.resolve("file.txt"), "content");
    }

    @Test
    void aReadOnlyChildChangesNothingAndFindsNoSecret() throws Exception {
        String child = sallyport.spawn(
                Map.of(
                        "harness",
                        "command",
                        "directory",
                        workspace.toString(),
                        "workspace",
                        "read-only",
                        "command",
                        List.of(
                                "sh",
                                "-c",
                                "touch x; id; tr '\\0' '\\n' < /proc/1/environ; ls -a /var/run /run; ls /sys/class/net; cat file.txt")));

        sallyport.awaitEnd(child);

        assertThat(sallyport.events(child))
                .contains("Read-only file system")
                .doesNotContain("uid=0", "gid=0")
                .doesNotContain("docker.sock")
                .doesNotContain(sallyport.sessionToken(), "SALLYPORT", "KEY=")
                .doesNotContain("eth0")
                .contains("content");
        assertThat(workspace.resolve("x")).doesNotExist();
    }

    @Test
    void theExitCodeOfACommandIsTheChilds() throws Exception {
        String child = sallyport.spawn(
                Map.of("harness", "command", "command", List.of("sh", "-c", "echo out; echo err >&2; exit 7")));

        JsonNode ended = sallyport.awaitEnd(child);

        assertThat(ended.path("exitCode").asInt()).isEqualTo(7);
        assertThat(ended.path("state").asString()).isEqualTo("failed");
        assertThat(sallyport
                        .gateway("GET", "/v1/children/" + child + "/result", null)
                        .text("outcome"))
                .isEqualTo("failed");
    }

    /** P3: what a child is asked to do is nobody else's business on this machine. */
    @Test
    void taskTextIsInNoArgumentNoEnvironmentAndNoLabel() throws Exception {
        String secret = "the-task-" + System.nanoTime();
        String child = sallyport.spawn(
                Map.of("harness", "command", "prompt", secret, "command", List.of("sh", "-c", "cat; sleep 60")));
        sallyport.awaitChild(child, c -> events(child).contains(secret));

        try (var processes = Files.list(Path.of("/proc"))) {
            assertThat(processes
                            .filter(process -> process.getFileName().toString().matches("\\d+"))
                            .map(process ->
                                    readable(process.resolve("cmdline")) + readable(process.resolve("environ"))))
                    .noneMatch(text -> text.contains(secret));
        }
        assertThat(Engine.inspectAll(child)).isNotEmpty().noneMatch(json -> json.contains(secret));
        sallyport.gateway("POST", "/v1/children/" + child + "/cancel", Map.of());
        sallyport.awaitState(child, "cancelled");
    }

    @Test
    void whoeverLeavesSurvivorsBehindTakesThemAlong() throws Exception {
        String child = sallyport.spawn(
                Map.of(
                        "harness",
                        "command",
                        "command",
                        List.of(
                                "sh",
                                "-c",
                                "setsid sleep 1000 & setsid nohup sh -c 'sleep 1000 & sleep 1000' & echo up; wait; sleep 1000")));
        sallyport.awaitChild(child, c -> events(child).contains("up"));
        String container = Engine.idOf(child);
        List<Long> processes = Engine.processes(container);
        Path door = Path.of(Engine.doorOf(container));
        assertThat(processes).hasSizeGreaterThan(4);
        assertThat(door).exists();

        Instant cancelled = Instant.now();
        assertThat(sallyport
                        .gateway("POST", "/v1/children/" + child + "/cancel", Map.of())
                        .status())
                .isEqualTo(202);
        Installation.await(
                "nothing left of it",
                () -> Engine.inspectAll(child).isEmpty()
                        && processes.stream().noneMatch(pid -> Files.exists(Path.of("/proc/" + pid)))
                        && Files.notExists(door));

        assertThat(Duration.between(cancelled, Instant.now())).isLessThan(Duration.ofSeconds(5));
        assertThat(sallyport.awaitState(child, "cancelled").path("endedAt").asString())
                .isNotEmpty();
    }

    @Test
    void nobodyListeningIsToldApartFromARefusal() throws Exception {
        Repository repository = slugify();

        String child = sallyport.spawn(fixer(repository));
        sallyport.awaitEnd(child);

        assertThat(sallyport.events(child))
                .contains("is not answering permission requests")
                .contains("unavailable")
                .doesNotContain("\"denied\"");
    }

    @Test
    void aPersonsAnswerLetsTheJobFinish() throws Exception {
        Repository repository = slugify();
        String head = repository.git("rev-parse", "HEAD");

        try (Approver approver = Approver.listening(sallyport)) {
            String child = sallyport.spawn(fixer(repository));
            JsonNode first = sallyport.awaitAsk(child);
            assertThat(first.path("value").asString()).isEqualTo("sh test.sh");
            JsonNode ended = approver.approveUntilEnded(child);

            assertThat(ended.path("state").asString())
                    .as(sallyport.events(child))
                    .isEqualTo("completed");
            JsonNode result = sallyport
                    .gateway("GET", "/v1/children/" + child + "/result", null)
                    .json();
            assertThat(result.path("branch").asString()).isEqualTo("pi-agent-" + child);
            assertThat(result.path("base").asString()).isEqualTo(head);
            assertThat(result.path("scripted").asBoolean()).isTrue();
            assertThat(repository.git("rev-parse", "refs/heads/pi-agent-" + child))
                    .isEqualTo(result.path("tip").asString());
            assertThat(repository.git("rev-parse", "HEAD")).isEqualTo(head);
            assertThat(repository.git("status", "--porcelain")).isEmpty();
            assertThat(sallyport
                            .gateway("GET", "/v1/children/" + child + "/diff", null)
                            .body())
                    .contains("slugify.sh");
            assertThat(sallyport.events(child)).contains("Network is unreachable", "Read-only file system", "403");
        }
    }

    @Test
    void theSessionThatAsksCanNotAnswer() throws Exception {
        Repository repository = slugify();
        try (Approver approver = Approver.listening(sallyport)) {
            String child = sallyport.spawn(fixer(repository));
            JsonNode ask = sallyport.awaitAsk(child);

            assertThat(sallyport
                            .permissions(
                                    sallyport.sessionToken(),
                                    "POST",
                                    "/v1/asks/" + ask.path("id").asString() + "/answer",
                                    Map.of("answer", "approved"))
                            .status())
                    .isEqualTo(403);
            assertThat(approver.answer(ask, "denied").status()).isEqualTo(200);
            Installation.Answer late = approver.answer(ask, "approved");
            assertThat(late.status()).isEqualTo(409);
            assertThat(late.text("code")).isEqualTo("ask-already-answered");
            assertThat(late.json().path("winner").path("principal").asString())
                    .isEqualTo(System.getProperty("user.name"));
            sallyport.gateway("POST", "/v1/children/" + child + "/cancel", Map.of());
            sallyport.awaitEnd(child);
        }
    }

    @Test
    void refusesWhoeverComesWithoutAToken() throws Exception {
        for (String service : List.of("gateway", "permissions")) {
            assertThat(sallyport
                            .call(service, null, "GET", "/v1/sessions", null)
                            .status())
                    .isEqualTo(401);
            assertThat(sallyport
                            .call(service, "nonsense", "GET", "/v1/children", null)
                            .status())
                    .isEqualTo(401);
        }
    }

    private Map<String, Object> fixer(Repository repository) {
        return Map.of(
                "agent", "fixer", "directory", repository.directory().toString(), "prompt", "the test fails: mend it");
    }

    /** T74: what a cloned repository brings counts for nobody who has not looked at it. */
    @Test
    void aClonedRepositoryStartsNobodyBeforeAPersonTrustsIt() throws Exception {
        Repository repository = clonedSlugify();

        Installation.Answer refused = sallyport.gateway("POST", "/v1/children", fixer(repository));

        assertThat(refused.status()).as(refused.body()).isEqualTo(403);
        assertThat(refused.text("refusal")).isEqualTo("project-untrusted");
        assertThat(refused.text("remedy")).isEqualTo("`sallyport trust " + repository.directory() + "`");
        assertThat(sallyport
                        .gateway(
                                "POST",
                                "/v1/trust",
                                Map.of("directory", repository.directory().toString(), "digest", "0"))
                        .status())
                .isEqualTo(403);
    }

    private Repository slugify() throws IOException, InterruptedException {
        Repository repository = clonedSlugify();
        sallyport.trust(repository.directory());
        return repository;
    }

    private Repository clonedSlugify() throws IOException {
        return Repository.copyOf(
                Installation.EXAMPLES.resolve("slugify"), Files.createDirectory(workspace.resolve("repository")));
    }

    private static String events(String child) {
        try {
            return sallyport.events(child);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new AssertionError("interrupted", e);
        }
    }

    private static String readable(Path file) {
        try {
            return Files.readString(file, StandardCharsets.ISO_8859_1);
        } catch (IOException e) {
            // It ended while we looked.
            return "";
        }
    }
}
