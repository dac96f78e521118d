package dev.sallyport.gateway;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.sallyport.gateway.child.FakeRunner;
import dev.sallyport.gateway.child.LifeSettings;
import dev.sallyport.gateway.child.Lives;
import dev.sallyport.gateway.memory.Memories;
import dev.sallyport.gateway.memory.MemoryFiles;
import dev.sallyport.gateway.memory.MemoryKey;
import dev.sallyport.gateway.memory.MemoryRefusedException;
import dev.sallyport.gateway.permission.FakePermissionService;
import dev.sallyport.gateway.sandbox.InMemorySandboxDriver;
import dev.sallyport.gateway.sandbox.SandboxDriver;
import dev.sallyport.gateway.sandbox.SandboxId;
import dev.sallyport.identity.ChildId;
import dev.sallyport.identity.Role;
import dev.sallyport.identity.Tenant;
import dev.sallyport.memory.MemoryScope;
import dev.sallyport.service.Caller;
import dev.sallyport.service.Tokens;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.test.context.TestConfiguration;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.boot.test.web.server.LocalServerPort;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Primary;
import org.springframework.test.context.DynamicPropertyRegistry;
import org.springframework.test.context.DynamicPropertySource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** The whole gateway over HTTP; only the engine and the permission-service are fakes. */
@SpringBootTest(
        classes = {GatewayApplication.class, GatewayHttpTest.Fakes.class},
        webEnvironment = SpringBootTest.WebEnvironment.RANDOM_PORT,
        properties = {"spring.config.name=gateway", "management.server.port=0"})
@ExtendWith(OutputCaptureExtension.class)
class GatewayHttpTest {

    private static final JsonMapper JSON = new JsonMapper();
    private static final Duration SOON = Duration.ofSeconds(20);
    private static final String KEY = Base64.getEncoder().encodeToString(new byte[32]);
    private static final String SPAWN = "{\"prompt\":\"look around\",\"model\":\"scripted/demo\"}";

    private static final Caller ALICE = new Caller(
            "alice",
            Tenant.DEFAULT,
            Caller.Kind.PERSON,
            Set.of(Role.SPAWN, Role.OBSERVE, Role.APPROVE, Role.OPERATE, Role.AUDIT));
    private static final Caller SESSION =
            new Caller("session-a", Tenant.DEFAULT, Caller.Kind.SESSION, Set.of(Role.SPAWN, Role.OBSERVE));
    private static final Caller ANOTHER_SESSION =
            new Caller("session-b", Tenant.DEFAULT, Caller.Kind.SESSION, Set.of(Role.SPAWN, Role.OBSERVE));
    private static final Caller ANOTHER_TENANT =
            new Caller("carol", new Tenant("other"), Caller.Kind.PERSON, Set.of(Role.SPAWN, Role.OBSERVE));

    @TempDir
    private static Path directory;

    private static FakePermissionService permissions;

    @TestConfiguration
    static class Fakes {

        @Bean
        @Primary
        InMemorySandboxDriver driver() {
            return new InMemorySandboxDriver(new InMemorySandboxDriver.Engine(), "ours");
        }
    }

    @DynamicPropertySource
    static void properties(DynamicPropertyRegistry registry) throws IOException {
        permissions = new FakePermissionService();
        Path real = directory.toRealPath();
        Files.createDirectories(real.resolve("work"));
        registry.add("spring.datasource.url", TestDatabase::url);
        registry.add("spring.datasource.username", () -> "postgres");
        registry.add("sallyport.auth.key", () -> KEY);
        registry.add("sallyport.gateway.image", InMemorySandboxDriver.IMAGE::value);
        registry.add("sallyport.gateway.data-directory", () -> real.resolve("data"));
        registry.add("sallyport.gateway.door-directory", () -> real.resolve("d"));
        registry.add("sallyport.gateway.agent-directory", () -> real.resolve("agent"));
        registry.add("sallyport.gateway.workspace-roots", () -> real.resolve("work"));
        registry.add("sallyport.gateway.credential-key", () -> KEY);
        registry.add("sallyport.gateway.steers-per-minute", () -> 3);
        Path policy = Files.writeString(
                real.resolve("sallyport.yaml"), "version: 1\ndelegation: { maxActivePerSession: 9 }\n");
        registry.add("sallyport.gateway.policy", () -> policy);
        registry.add("sallyport.gateway.permission-service", permissions::uri);
    }

    @Autowired
    private Tokens tokens;

    @Autowired
    private SandboxDriver driver;

    @Autowired
    private LifeSettings lives;

    @Autowired
    private Lives led;

    @Autowired
    private Memories memories;

    @LocalServerPort
    private int port;

    @BeforeEach
    void runners() {
        ((InMemorySandboxDriver) driver).runner(sandbox -> FakeRunner.start(led, sandbox));
    }

    /** So that no other test waits for a place. */
    @AfterEach
    void nobodyIsLeft() throws Exception {
        for (JsonNode child : get(ALICE, "/v1/children").json().path("children")) {
            if (child.path("endedAt").isMissingNode() || child.path("endedAt").isNull()) {
                post(ALICE, "/v1/children/" + child.path("id").asString() + "/cancel", "{}");
            }
        }
    }

    private final HttpClient http = HttpClient.newHttpClient();

    private record Reply(int status, String type, String body, HttpResponse<String> whole) {

        JsonNode json() {
            return JSON.readTree(body);
        }

        String code() {
            return json().path("code").asString();
        }
    }

    private HttpRequest.Builder request(Caller caller, String path) {
        return HttpRequest.newBuilder(URI.create("http://127.0.0.1:%d%s".formatted(port, path)))
                .timeout(Duration.ofSeconds(30))
                .header("Authorization", "Bearer " + tokens.issue(caller, Duration.ofMinutes(5)))
                .header("Content-Type", "application/json");
    }

    private Reply send(HttpRequest.Builder request) throws IOException, InterruptedException {
        HttpResponse<String> response = http.send(request.build(), HttpResponse.BodyHandlers.ofString());
        return new Reply(
                response.statusCode(),
                response.headers().firstValue("Content-Type").orElse(""),
                response.body(),
                response);
    }

    private Reply get(Caller caller, String path) throws IOException, InterruptedException {
        return send(request(caller, path).GET());
    }

    private Reply post(Caller caller, String path, String body) throws IOException, InterruptedException {
        return send(request(caller, path).POST(HttpRequest.BodyPublishers.ofString(body)));
    }

    /** As `sallyport trust` does: looks, and says yes to what was shown. */
    private void trust(Caller caller, Path project) throws IOException, InterruptedException {
        Reply answer = post(
                caller,
                "/v1/trust",
                trusting(project, shown(caller, project).path("digest").asString()));
        assertThat(answer.status()).as(answer.body()).isEqualTo(201);
    }

    private JsonNode shown(Caller caller, Path project) throws IOException, InterruptedException {
        return get(caller, "/v1/trust/project?directory=" + project).json();
    }

    private static String trusting(Path project, String digest) {
        return "{\"directory\":\"%s\",\"digest\":\"%s\"}".formatted(project, digest);
    }

    private String spawn(Caller caller) throws IOException, InterruptedException {
        return post(caller, "/v1/children", SPAWN).json().path("id").asString();
    }

    private String running(Caller caller) throws IOException, InterruptedException {
        String id = spawn(caller);
        awaitState(caller, id, "running");
        return id;
    }

    private void awaitState(Caller caller, String id, String state) {
        await().atMost(SOON)
                .until(() -> get(caller, "/v1/children/" + id)
                        .json()
                        .path("state")
                        .asString()
                        .equals(state));
    }

    private void exit(String id, int code) {
        ((InMemorySandboxDriver) driver).exit(new SandboxId(new ChildId(id), 1), code);
    }

    @Test
    void theOperatorsFileSaysHowManyOfOneSessionLive() {
        assertThat(lives.activePerSession()).isEqualTo(9);
    }

    @Test
    void acceptsAChildAndSaysWhereItIs() throws Exception {
        Reply reply = post(ALICE, "/v1/children", SPAWN);

        assertThat(reply.status()).isEqualTo(202);
        String id = reply.json().path("id").asString();
        assertThat(reply.whole().headers().firstValue("Location")).contains("/v1/children/" + id);
        assertThat(reply.json().path("scripted").asBoolean()).isTrue();
        assertThat(reply.json().path("agent").asString()).isEqualTo("ad-hoc");
    }

    @Test
    void answersWithAllFieldsOfAResult() throws Exception {
        String id = running(ALICE);
        assertThat(get(ALICE, "/v1/children/" + id + "/result").code()).isEqualTo("child-not-ended");

        CompletableFuture<Reply> waiting = CompletableFuture.supplyAsync(() -> {
            try {
                return get(ALICE, "/v1/children/" + id + "/result?wait=20s");
            } catch (IOException | InterruptedException e) {
                throw new IllegalStateException(e);
            }
        });
        exit(id, 0);

        Reply reply = waiting.get(20, TimeUnit.SECONDS);
        assertThat(reply.status()).isEqualTo(200);
        assertThat(reply.json().propertyNames())
                .containsExactly(
                        "outcome",
                        "reason",
                        "message",
                        "exitCode",
                        "output",
                        "branch",
                        "base",
                        "tip",
                        "changedFiles",
                        "usage",
                        "decisions",
                        "scripted",
                        "parentClaimed",
                        "salvage");
        assertThat(reply.json().path("outcome").asString()).isEqualTo("completed");
    }

    @Test
    void refusesWhatItDoesNotKnow() throws Exception {
        Reply unknown = post(ALICE, "/v1/children", "{\"prompt\":\"x\",\"privileged\":true}");

        assertThat(unknown.status()).isEqualTo(400);
        assertThat(unknown.type()).startsWith("application/problem+json");
        assertThat(unknown.code()).isEqualTo("malformed-request");
        assertThat(unknown.json().path("detail").asString()).contains("`privileged`");
        assertThat(post(ALICE, "/v1/children", "{\"prompt\":\"x\",\"limits\":{\"gpu\":1}}")
                        .status())
                .isEqualTo(400);
        assertThat(post(ALICE, "/v1/children", "{\"prompt\":\"x\",\"prompt\":\"y\"}")
                        .status())
                .isEqualTo(400);
        assertThat(post(ALICE, "/v1/children", "{\"prompt\":\"x\"} {}").status())
                .isEqualTo(400);
    }

    @Test
    void refusesARequestWithNothingToDoOrOfTheWrongKind() throws Exception {
        assertThat(post(ALICE, "/v1/children", "{}").code()).isEqualTo("request-invalid");
        assertThat(post(ALICE, "/v1/children", "{\"prompt\":\" \"}").code()).isEqualTo("request-invalid");
        assertThat(post(ALICE, "/v1/children", "{\"command\":[\"id\"],\"harness\":\"builtin\"}")
                        .code())
                .isEqualTo("request-invalid");
        assertThat(post(ALICE, "/v1/children", "{\"prompt\":\"x\",\"thinking\":\"turbo\"}")
                        .json()
                        .path("detail")
                        .asString())
                .isEqualTo("thinking: `turbo` (expected: one of off, minimal, low, medium, high, xhigh, max)");
    }

    @Test
    void refusesWhatIsTooLong() throws Exception {
        assertThat(post(ALICE, "/v1/children", SPAWN.replace("look around", "x".repeat((1 << 18) + 1)))
                        .code())
                .isEqualTo("request-invalid");
        assertThat(post(
                                ALICE,
                                "/v1/children",
                                SPAWN.replace("{", "{\"description\":\"%s\",".formatted("x".repeat(201))))
                        .code())
                .isEqualTo("request-invalid");
        assertThat(post(ALICE, "/v1/children", "{\"command\":[\"echo\",\"%s\"]}".formatted("x".repeat(1 << 17)))
                        .code())
                .isEqualTo("request-invalid");
        for (String key : List.of(" ", "x".repeat(129))) {
            HttpRequest.Builder keyed = request(ALICE, "/v1/children").header("Idempotency-Key", key);
            assertThat(send(keyed.POST(HttpRequest.BodyPublishers.ofString(SPAWN)))
                            .code())
                    .isEqualTo("request-invalid");
        }
        String id = spawn(ALICE);
        for (String wait : List.of("61s", "-1s", "soon")) {
            assertThat(get(ALICE, "/v1/children/%s/result?wait=%s".formatted(id, wait))
                            .code())
                    .as(wait)
                    .isEqualTo("malformed-request");
        }
    }

    @Test
    void refusesAPromptForAnAgentThatIsAProgram() throws Exception {
        Path agents = Files.createDirectories(directory.toRealPath().resolve("agent/agents"));
        Files.writeString(
                agents.resolve("program.md"), "---\ndescription: runs\nsandbox:\n  harness: command\n---\nRun.\n");

        assertThat(post(ALICE, "/v1/children", "{\"prompt\":\"x\",\"agent\":\"program\"}")
                        .code())
                .isEqualTo("request-invalid");
    }

    @Test
    void aProgramMayHaveAPromptToo() throws Exception {
        assertThat(post(ALICE, "/v1/children", "{\"prompt\":\"x\",\"command\":[\"id\"]}")
                        .status())
                .isEqualTo(202);
    }

    @Test
    void saysWhyAnAuthorityIsRefused() throws Exception {
        Reply reply =
                post(ALICE, "/v1/children", "{\"prompt\":\"x\",\"model\":\"scripted/demo\",\"runtime\":\"kata\"}");

        assertThat(reply.status()).isEqualTo(403);
        assertThat(reply.code()).isEqualTo("authority-refused");
        assertThat(reply.json().path("refusal").asString()).isEqualTo("runtime-not-allowed");
        assertThat(reply.json().path("reasons").get(0).asString()).contains("`kata`");
        assertThat(reply.json().path("type").asString()).isEqualTo("urn:sallyport:problem:authority-refused");
        assertThat(post(ALICE, "/v1/children", SPAWN.replace("scripted/demo", "nobody/demo"))
                        .json()
                        .path("refusal")
                        .asString())
                .isEqualTo("model-unavailable");
        assertThat(post(ALICE, "/v1/children", SPAWN.replace("{", "{\"workspace\":\"read-only\","))
                        .status())
                .isEqualTo(422);
    }

    @Test
    void refusesAWorkspaceOutsideTheRootsWithoutSayingWhetherItExists() throws Exception {
        String body = "{\"prompt\":\"x\",\"model\":\"scripted/demo\",\"directory\":\"%s\"}";

        Reply there = post(ALICE, "/v1/children", body.formatted("/etc"));
        Reply notThere = post(ALICE, "/v1/children", body.formatted("/no/such/place"));

        assertThat(there.code()).isEqualTo("workspace-refused");
        assertThat(notThere.code()).isEqualTo("workspace-refused");
        assertThat(there.json().path("refusal")).isEqualTo(notThere.json().path("refusal"));
        assertThat(there.json().path("detail").asString().replace("/etc", "X"))
                .isEqualTo(notThere.json().path("detail").asString().replace("/no/such/place", "X"));
    }

    @Test
    void theSameKeyWithTheSameBodyIsTheSameChild() throws Exception {
        HttpRequest.Builder first = request(ALICE, "/v1/children").header("Idempotency-Key", "k1");
        String id = send(first.POST(HttpRequest.BodyPublishers.ofString(SPAWN)))
                .json()
                .path("id")
                .asString();

        HttpRequest.Builder again = request(ALICE, "/v1/children").header("Idempotency-Key", "k1");
        HttpRequest.Builder other = request(ALICE, "/v1/children").header("Idempotency-Key", "k1");
        HttpRequest.Builder another = request(SESSION, "/v1/children").header("Idempotency-Key", "k1");

        // White space is not part of what was asked for.
        assertThat(send(again.POST(HttpRequest.BodyPublishers.ofString(SPAWN.replace(",", " , "))))
                        .json()
                        .path("id")
                        .asString())
                .isEqualTo(id);
        assertThat(send(other.POST(HttpRequest.BodyPublishers.ofString("{\"prompt\":\"y\"}")))
                        .code())
                .isEqualTo("idempotency-key-reused");
        assertThat(send(another.POST(HttpRequest.BodyPublishers.ofString(SPAWN)))
                        .json()
                        .path("id")
                        .asString())
                .isNotEqualTo(id);

        permissions.down(true);
        try {
            HttpRequest.Builder late = request(ALICE, "/v1/children").header("Idempotency-Key", "k1");
            assertThat(send(late.POST(HttpRequest.BodyPublishers.ofString(SPAWN)))
                            .json()
                            .path("id")
                            .asString())
                    .isEqualTo(id);
        } finally {
            permissions.down(false);
        }
    }

    @Test
    void twentyAtOnceWithOneKeyAreOneChild() throws Exception {
        List<CompletableFuture<Reply>> replies = new ArrayList<>();
        CountDownLatch together = new CountDownLatch(20);
        for (int i = 0; i < 20; i++) {
            CompletableFuture<Reply> reply = new CompletableFuture<>();
            replies.add(reply);
            Thread.ofVirtual().start(() -> {
                try {
                    together.countDown();
                    together.await();
                    HttpRequest.Builder request = request(ALICE, "/v1/children").header("Idempotency-Key", "race");
                    reply.complete(send(request.POST(HttpRequest.BodyPublishers.ofString(SPAWN))));
                } catch (IOException | InterruptedException e) {
                    reply.completeExceptionally(e);
                }
            });
        }

        assertThat(replies.stream()
                        .map(CompletableFuture::join)
                        .map(reply -> reply.json().path("id").asString()))
                .hasSize(20)
                .allMatch(id -> id.length() == 16)
                .satisfies(ids -> assertThat(Set.copyOf(ids)).hasSize(1));
    }

    @Test
    void aSessionSeesOnlyItsOwnChildren() throws Exception {
        String id = running(SESSION);
        String path = "/v1/children/" + id;

        for (String route :
                List.of("", "/result", "/authority", "/events?follow=false", "/transcript", "/diff", "/changes")) {
            assertThat(get(ANOTHER_SESSION, path + route).status()).as(route).isEqualTo(404);
            assertThat(get(ANOTHER_TENANT, path + route).status()).as(route).isEqualTo(404);
        }
        assertThat(post(ANOTHER_SESSION, path + "/cancel", "{}").code()).isEqualTo("child-not-found");
        assertThat(post(ANOTHER_SESSION, path + "/steer", "{\"message\":\"x\"}").code())
                .isEqualTo("child-not-found");
        assertThat(send(request(ANOTHER_SESSION, path).DELETE()).status()).isEqualTo(404);
        assertThat(get(ANOTHER_SESSION, "/v1/children").body()).doesNotContain(id);
        assertThat(get(ANOTHER_TENANT, "/v1/children").body()).doesNotContain(id);
        assertThat(get(SESSION, path).status()).isEqualTo(200);
        assertThat(get(ALICE, path).status()).isEqualTo(200);
        assertThat(get(SESSION, path).json().path("state").asString()).isEqualTo("running");
    }

    @Test
    void aSessionCannotSpawnIntoAnothersSession() throws Exception {
        String theirs = permissions.session("session-b").value();

        Reply reply = post(SESSION, "/v1/children", SPAWN.replace("{", "{\"session\":\"%s\",".formatted(theirs)));

        assertThat(reply.status()).isEqualTo(404);
        assertThat(reply.code()).isEqualTo("session-not-found");
        assertThat(post(ANOTHER_TENANT, "/v1/children", SPAWN.replace("{", "{\"session\":\"%s\",".formatted(theirs)))
                        .code())
                .isEqualTo("session-not-found");
    }

    @Test // S22
    void everyRouteNeedsATokenAndTheRightRole() throws Exception {
        for (String path :
                List.of("/v1/children", "/v1/agents", "/v1/memories", "/v1/credentials", "/v1/trust", "/v1/openapi")) {
            HttpRequest bare = HttpRequest.newBuilder(URI.create("http://127.0.0.1:%d%s".formatted(port, path)))
                    .build();
            assertThat(http.send(bare, HttpResponse.BodyHandlers.ofString()).statusCode())
                    .as(path)
                    .isEqualTo(401);
        }
        HttpRequest.Builder put = request(SESSION, "/v1/credentials/anthropic").setHeader("Content-Type", "text/plain");
        assertThat(send(put.PUT(HttpRequest.BodyPublishers.ofString("secret"))).status())
                .isEqualTo(403);

        String child = "/v1/children/" + running(ALICE);
        Caller spawner = new Caller("alice", Tenant.DEFAULT, Caller.Kind.PERSON, Set.of(Role.SPAWN));
        Caller observer = new Caller("alice", Tenant.DEFAULT, Caller.Kind.PERSON, Set.of(Role.OBSERVE));
        for (String route :
                List.of("", "/result", "/authority", "/events?follow=false", "/transcript", "/diff", "/changes")) {
            assertThat(get(spawner, child + route).status()).as(route).isEqualTo(403);
        }
        assertThat(get(spawner, "/v1/children").status()).isEqualTo(403);
        assertThat(send(request(spawner, child + "/authority").header("Accept", "text/plain"))
                        .status())
                .isEqualTo(403);
        assertThat(post(observer, "/v1/children", SPAWN).status()).isEqualTo(403);
        assertThat(post(observer, "/v1/authority:resolve", SPAWN).status()).isEqualTo(403);
        assertThat(post(observer, child + "/cancel", "{}").status()).isEqualTo(403);
        assertThat(post(observer, child + "/steer", "{\"message\":\"x\"}").status())
                .isEqualTo(403);
        assertThat(send(request(observer, child).DELETE()).status()).isEqualTo(403);
    }

    @Test
    void cancelsAndThenDeletes() throws Exception {
        String id = running(ALICE);
        assertThat(send(request(ALICE, "/v1/children/" + id).DELETE()).code()).isEqualTo("child-not-ended");

        assertThat(post(ALICE, "/v1/children/" + id + "/cancel", "{\"reason\":\"enough\"}")
                        .status())
                .isEqualTo(202);

        awaitState(ALICE, id, "cancelled");
        JsonNode child = get(ALICE, "/v1/children/" + id).json();
        assertThat(child.path("reason").asString()).isEqualTo("cancelled");
        assertThat(child.path("message").asString()).isEqualTo("cancelled by alice: enough");
        assertThat(post(ALICE, "/v1/children/" + id + "/cancel", "").status()).isEqualTo(202);
        await().atMost(SOON)
                .until(() -> send(request(ALICE, "/v1/children/" + id).DELETE()).status() == 204);
        assertThat(get(ALICE, "/v1/children/" + id).status()).isEqualTo(404);
    }

    @Test
    void steersOnlyWhatRuns() throws Exception {
        String id = running(ALICE);

        assertThat(post(ALICE, "/v1/children/" + id + "/steer", "{\"message\":\"faster\"}")
                        .status())
                .isEqualTo(202);
        assertThat(post(ALICE, "/v1/children/" + id + "/steer", "{\"message\":\"\"}")
                        .code())
                .isEqualTo("request-invalid");
        exit(id, 0);
        awaitState(ALICE, id, "completed");

        assertThat(post(ALICE, "/v1/children/" + id + "/steer", "{\"message\":\"faster\"}")
                        .code())
                .isEqualTo("child-not-running");
    }

    @Test
    void saysWhenAChildMayBeSteeredAgain() throws Exception {
        String steer = "/v1/children/" + running(ALICE) + "/steer";
        String another = "/v1/children/" + running(ALICE) + "/steer";
        for (int i = 0; i < 3; i++) {
            assertThat(post(ALICE, steer, "{\"message\":\"faster\"}").status()).isEqualTo(202);
        }

        Reply refused = post(ALICE, steer, "{\"message\":\"faster\"}");

        assertThat(refused.status()).isEqualTo(429);
        assertThat(refused.code()).isEqualTo("steered-too-often");
        assertThat(refused.whole().headers().firstValueAsLong("Retry-After").orElseThrow())
                .isBetween(1L, 20L);
        assertThat(post(ALICE, another, "{\"message\":\"faster\"}").status()).isEqualTo(202);
    }

    @ParameterizedTest
    @ValueSource(strings = {"Host: [forged", "Host: forged:99999", "Host: forged:1x", "Host: a\r\nHost: forged"})
    void writesNoHostThatACallerChoseIntoTheLog(String headers, CapturedOutput log) throws Exception {
        try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
            socket.getOutputStream()
                    .write("GET /v1/children HTTP/1.1\r\n%s\r\nConnection: close\r\n\r\n"
                            .formatted(headers)
                            .getBytes(StandardCharsets.US_ASCII));
            assertThat(new String(socket.getInputStream().readAllBytes(), StandardCharsets.US_ASCII))
                    .startsWith("HTTP/1.1 4");
        }

        assertThat(log.getAll()).doesNotContain("forged");
    }

    @Test
    void streamsEventsToTheEndAndResumes() throws Exception {
        String id = running(ALICE);
        CompletableFuture<HttpResponse<String>> stream = http.sendAsync(
                request(ALICE, "/v1/children/" + id + "/events").GET().build(), HttpResponse.BodyHandlers.ofString());
        exit(id, 0);

        String all = stream.get(20, TimeUnit.SECONDS).body();
        String rest = send(request(ALICE, "/v1/children/" + id + "/events").header("Last-Event-ID", "2"))
                .body();

        assertThat(ids(all)).startsWith(1L, 2L, 3L).isSorted().doesNotHaveDuplicates();
        assertThat(all).contains("event: ended\n");
        assertThat(ids(rest)).isEqualTo(ids(all).subList(2, ids(all).size()));
        assertThat(send(request(ALICE, "/v1/children/" + id + "/events").header("Last-Event-ID", "999"))
                        .body())
                .doesNotContain("id:");
    }

    private static List<Long> ids(String stream) {
        return stream.lines()
                .filter(line -> line.startsWith("id: "))
                .map(line -> Long.parseLong(line.substring(4)))
                .toList();
    }

    @Test
    void doesNotFollowWhereNotAskedTo() throws Exception {
        String id = running(ALICE);

        Reply transcript = get(ALICE, "/v1/children/" + id + "/transcript");
        assertThat(transcript.status()).isEqualTo(200);
        assertThat(transcript.body().lines().findFirst().orElseThrow()).contains("\"type\":\"user\"");
        assertThat(ids(get(ALICE, "/v1/children/" + id + "/events?follow=false").body()))
                .isNotEmpty();
    }

    @Test
    void explainsAnAuthorityBeforeAndAfterTheSpawn() throws Exception {
        Reply resolved = post(ALICE, "/v1/authority:resolve", SPAWN);
        HttpRequest.Builder asText = request(ALICE, "/v1/authority:resolve")
                .header("Accept", "text/plain")
                .POST(HttpRequest.BodyPublishers.ofString(SPAWN));
        String id = spawn(ALICE);

        assertThat(resolved.status()).isEqualTo(200);
        assertThat(resolved.json().path("refused").isNull()).isTrue();
        assertThat(resolved.json().path("fields").size()).isGreaterThan(5);
        assertThat(send(asText).body()).startsWith("FIELD").contains("workspace");
        assertThat(get(ALICE, "/v1/children/" + id + "/authority").json().path("authority"))
                .isEqualTo(resolved.json().path("authority"));
        assertThat(send(request(ALICE, "/v1/children/" + id + "/authority").header("Accept", "text/plain"))
                        .body())
                .startsWith("FIELD");
    }

    @Test
    void showsARefusalWithoutRefusingToExplain() throws Exception {
        Reply resolved = post(
                ALICE, "/v1/authority:resolve", "{\"prompt\":\"x\",\"model\":\"scripted/demo\",\"runtime\":\"kata\"}");

        assertThat(resolved.status()).isEqualTo(200);
        assertThat(resolved.json().path("refused").path("code").asString()).isEqualTo("runtime-not-allowed");
        assertThat(resolved.json().path("authority").isNull()).isTrue();
    }

    @Test
    void explainsWhoDecidedHowMuchIsThought() throws Exception {
        Path agents = Files.createDirectories(directory.toRealPath().resolve("work/thinkers/.pi/agents"));
        Files.writeString(agents.resolve("deep.md"), "---\ndescription: d\nthinking: max\n---\nThink.\n");
        Files.writeString(agents.resolve("odd.md"), "---\ndescription: o\nthinking: turbo\n---\nThink.\n");
        String request =
                "{\"agent\":\"%s\",\"prompt\":\"x\",\"model\":\"scripted/demo\",\"thinking\":\"low\",\"directory\":\"%s\"}";
        Path project = agents.getParent().getParent();
        trust(ALICE, project);

        JsonNode locked = post(ALICE, "/v1/authority:resolve", request.formatted("deep", project))
                .json();
        JsonNode open = post(ALICE, "/v1/authority:resolve", request.formatted("Explore", project))
                .json();
        JsonNode odd = post(ALICE, "/v1/authority:resolve", request.formatted("odd", project))
                .json();

        JsonNode field = locked.path("fields")
                .valueStream()
                .filter(one -> one.path("field").asString().equals("thinking"))
                .findFirst()
                .orElseThrow();
        assertThat(field.path("value").asString()).isEqualTo("max");
        assertThat(field.path("winner").toString()).contains("deep.md:3");
        assertThat(field.path("losers").toString()).contains("low");
        assertThat(open.path("authority").path("thinking").asString()).isEqualTo("low");
        assertThat(odd.path("warnings").toString()).contains("thinking: `turbo` is no level");
    }

    private Path cloned(String name) throws IOException {
        Path project =
                Files.createDirectories(directory.toRealPath().resolve("work").resolve(name));
        Path agents = Files.createDirectories(project.resolve(".pi/agents"));
        Files.writeString(agents.resolve("theirs.md"), "---\ntools: bash\n---\nDo as I say.\n");
        return project;
    }

    private Reply spawnTheirs(Caller caller, Path project) throws IOException, InterruptedException {
        return post(
                caller,
                "/v1/children",
                "{\"agent\":\"theirs\",\"prompt\":\"x\",\"model\":\"scripted/demo\",\"workspace\":\"read-only\",\"directory\":\"%s\"}"
                        .formatted(project));
    }

    /** P6, T74. */
    @Test
    void runsNoAgentOfARepositoryBeforeAPersonTrustsIt() throws Exception {
        Path project = cloned("hostile");

        Reply refused = spawnTheirs(ALICE, project);

        assertThat(refused.status()).isEqualTo(403);
        assertThat(refused.json().path("refusal").asString()).isEqualTo("project-untrusted");
        assertThat(refused.json().path("remedy").asString()).isEqualTo("`sallyport trust " + project + "`");
        assertThat(get(ALICE, "/v1/children").body()).doesNotContain(project.toString());

        JsonNode shown = shown(ALICE, project);
        assertThat(shown.path("state").asString()).isEqualTo("untrusted");
        assertThat(shown.path("files").get(0).path("says").asString()).contains("`theirs`", "tools bash");
        trust(ALICE, project);

        assertThat(spawnTheirs(ALICE, project).status()).isEqualTo(202);
        assertThat(shown(ALICE, project).path("state").asString()).isEqualTo("trusted");
        assertThat(get(ALICE, "/v1/trust").json().path("trusted").toString()).contains(project.toString());
    }

    @Test
    void nobodyTrustsForAnybodyElse() throws Exception {
        Path project = cloned("shared");
        Caller bob = new Caller("bob", Tenant.DEFAULT, Caller.Kind.PERSON, ALICE.roles());
        Caller namesake = new Caller("alice", new Tenant("other"), Caller.Kind.PERSON, ALICE.roles());
        trust(ALICE, project);

        for (Caller other : List.of(bob, namesake, SESSION)) {
            assertThat(spawnTheirs(other, project).json().path("refusal").asString())
                    .as(other.principal())
                    .isEqualTo("project-untrusted");
            assertThat(get(other, "/v1/trust").json().path("trusted").toString())
                    .doesNotContain(project.toString());
        }
        assertThat(send(request(bob, "/v1/trust?directory=" + project).DELETE()).code())
                .isEqualTo("trust-not-found");
        assertThat(spawnTheirs(ALICE, project).status()).isEqualTo(202);
    }

    /** S23: whoever delegates is an agent, and says yes to nothing. */
    @Test
    void onlyWhoMayApproveTrusts() throws Exception {
        Path project = cloned("eager");
        Caller sameUser = new Caller("alice", Tenant.DEFAULT, Caller.Kind.SESSION, SESSION.roles());
        Caller onlooker = new Caller("alice", Tenant.DEFAULT, Caller.Kind.PERSON, SESSION.roles());
        String digest = shown(ALICE, project).path("digest").asString();

        for (Caller caller : List.of(sameUser, onlooker)) {
            assertThat(post(caller, "/v1/trust", trusting(project, digest)).status())
                    .isEqualTo(403);
            assertThat(send(request(caller, "/v1/trust?directory=" + project).DELETE())
                            .status())
                    .isEqualTo(403);
        }
        assertThat(spawnTheirs(ALICE, project).json().path("refusal").asString())
                .isEqualTo("project-untrusted");
    }

    @Test
    void trustIsOfWhatWasSeen() throws Exception {
        Path project = cloned("moving");
        String seen = shown(ALICE, project).path("digest").asString();
        Path file = project.resolve(".pi/agents/theirs.md");
        String before = Files.readString(file);
        Files.writeString(file, "---\ntools: all\n---\nDo worse.\n");

        Reply late = post(ALICE, "/v1/trust", trusting(project, seen));

        assertThat(late.status()).isEqualTo(409);
        assertThat(late.code()).isEqualTo("project-changed");
        assertThat(spawnTheirs(ALICE, project).status()).isEqualTo(403);

        Files.writeString(file, before);
        trust(ALICE, project);
        Files.writeString(project.resolve(".pi/agents/new.md"), "---\n---\nNew.\n");
        Files.writeString(file, "---\ntools: all\n---\nDo worse.\n");

        assertThat(spawnTheirs(ALICE, project).body()).contains("was changed since it was trusted");
        JsonNode shown = shown(ALICE, project);
        assertThat(shown.path("state").asString()).isEqualTo("changed");
        assertThat(shown.path("files")
                        .valueStream()
                        .map(one -> one.path("path").asString() + " "
                                + one.path("change").asString()))
                .containsExactly(".pi/agents/new.md new", ".pi/agents/theirs.md changed");
        Files.delete(file);
        assertThat(shown(ALICE, project).path("removed").toString()).contains("theirs.md");
    }

    @Test
    void whatIsRevokedIsNotTrusted() throws Exception {
        Path project = cloned("regretted");
        trust(ALICE, project);

        assertThat(send(request(ALICE, "/v1/trust?directory=" + project).DELETE())
                        .status())
                .isEqualTo(204);

        assertThat(spawnTheirs(ALICE, project).json().path("refusal").asString())
                .isEqualTo("project-untrusted");
        assertThat(send(request(ALICE, "/v1/trust?directory=" + project).DELETE())
                        .code())
                .isEqualTo("trust-not-found");
        trust(ALICE, project);
        assertThat(spawnTheirs(ALICE, project).status()).isEqualTo(202);
    }

    /** A copy of a trusted repository is another one, and so is what a link is turned to. */
    @Test
    void trustIsOfThePlaceToo() throws Exception {
        Path mine = cloned("mine");
        Path evil = cloned("evil");
        trust(ALICE, mine);
        Path link = Files.createSymbolicLink(mine.resolveSibling("link"), mine);

        assertThat(spawnTheirs(ALICE, link).status()).isEqualTo(202);
        Files.delete(link);
        Files.createSymbolicLink(link, evil);

        assertThat(spawnTheirs(ALICE, link).json().path("refusal").asString()).isEqualTo("project-untrusted");
        assertThat(post(ALICE, "/v1/trust", trusting(Path.of("/etc"), "0")).code())
                .isEqualTo("workspace-refused");
        assertThat(post(ALICE, "/v1/trust", "{\"directory\":\"%s\"}".formatted(mine))
                        .code())
                .isEqualTo("request-invalid");
        assertThat(post(ALICE, "/v1/trust", "{\"digest\":\"0\"}").code()).isEqualTo("request-invalid");
    }

    @Test
    void listsAgentsAndWhatTheyHide() throws Exception {
        Path agents = Files.createDirectories(directory.toRealPath().resolve("work/p/.pi/agents"));
        Files.writeString(agents.resolve("Explore.md"), "---\ndescription: mine\n---\nLook.\n");
        Files.writeString(agents.resolve("broken.md"), "---\nname: [\n---\n");

        JsonNode list = get(
                        ALICE, "/v1/agents?directory=" + directory.toRealPath().resolve("work/p"))
                .json();

        JsonNode explore = list.path("agents")
                .valueStream()
                .filter(agent -> agent.path("name").asString().equals("Explore"))
                .findFirst()
                .orElseThrow();
        assertThat(explore.path("source").asString()).isEqualTo("project");
        assertThat(explore.path("trusted").asBoolean()).isFalse();
        assertThat(explore.path("shadows").get(0).asString()).isEqualTo("built in");
        assertThat(list.path("warnings").toString()).contains("broken.md");
        assertThat(get(ALICE, "/v1/agents/nobody").code()).isEqualTo("agent-not-found");
        assertThat(get(ALICE, "/v1/agents?directory=/etc").code()).isEqualTo("workspace-refused");
    }

    @Test
    void aCredentialIsNeverShown() throws Exception {
        HttpRequest.Builder put = request(ALICE, "/v1/credentials/anthropic").setHeader("Content-Type", "text/plain");

        assertThat(send(put.PUT(HttpRequest.BodyPublishers.ofString("sk-planted-secret\n")))
                        .status())
                .isEqualTo(204);

        Reply list = get(ALICE, "/v1/credentials");
        assertThat(list.body()).doesNotContain("planted");
        assertThat(list.json().path("credentials").get(0).path("name").asString())
                .isEqualTo("anthropic");
        assertThat(list.json().path("credentials").get(0).path("hosts").get(0).asString())
                .isEqualTo("api.anthropic.com");
        assertThat(send(request(ALICE, "/v1/credentials/anthropic").DELETE()).status())
                .isEqualTo(204);
        assertThat(send(request(ALICE, "/v1/credentials/anthropic").DELETE()).code())
                .isEqualTo("credential-not-found");
    }

    @Test
    void nobodySpawnsWhileThePermissionServiceIsDown() throws Exception {
        permissions.down(true);
        try {
            Reply reply = post(ALICE, "/v1/children", SPAWN);

            assertThat(reply.status()).isEqualTo(503);
            assertThat(reply.code()).isEqualTo("permission-service-unavailable");
        } finally {
            permissions.down(false);
        }
    }

    @Test
    void anIdThatIsNoneIsSaidToBeNone() throws Exception {
        assertThat(get(ALICE, "/v1/children/..%2f..%2fetc").status()).isIn(400, 404);
        assertThat(get(ALICE, "/v1/children/UPPER").code()).isEqualTo("malformed-request");
        assertThat(get(ALICE, "/v1/children/aaaaaaaaaaaaaaaa").code()).isEqualTo("child-not-found");
    }

    @Test
    void goesOnWithAChildOfItsOwnAndOnce() throws Exception {
        String first = running(SESSION);
        String path = "/v1/children/" + first + "/resume";
        assertThat(post(SESSION, path, "{\"prompt\":\"go on\"}").code()).isEqualTo("child-not-ended");
        exit(first, 0);
        awaitState(SESSION, first, "completed");

        assertThat(post(ANOTHER_SESSION, path, "{\"prompt\":\"go on\"}").code()).isEqualTo("child-not-found");
        assertThat(post(ANOTHER_TENANT, path, "{\"prompt\":\"go on\"}").code()).isEqualTo("child-not-found");
        assertThat(post(SESSION, path, "{\"prompt\":\"go on\",\"model\":\"scripted/other\"}")
                        .code())
                .isEqualTo("malformed-request");
        assertThat(post(SESSION, path, "{}").code()).isEqualTo("request-invalid");
        Reply next = post(SESSION, path, "{\"prompt\":\"go on\",\"description\":\"more\"}");
        Reply again = post(SESSION, path, "{\"prompt\":\"go on\"}");

        assertThat(next.status()).isEqualTo(202);
        String id = next.json().path("id").asString();
        assertThat(next.whole().headers().firstValue("Location")).contains("/v1/children/" + id);
        assertThat(next.json().path("resumes").asString()).isEqualTo(first);
        assertThat(next.json().path("description").asString()).isEqualTo("more");
        assertThat(again.status()).isEqualTo(409);
        assertThat(again.code()).isEqualTo("child-resumed");
        assertThat(again.json().path("winner").asString()).isEqualTo(id);
        assertThat(get(SESSION, "/v1/children/" + first)
                        .json()
                        .path("resumedBy")
                        .asString())
                .isEqualTo(id);
    }

    private String memory(String owner, String agent) throws MemoryRefusedException {
        MemoryKey key = new MemoryKey(Tenant.DEFAULT, owner, MemoryScope.USER, null, agent);
        for (String text : List.of("one\n", "two\n")) {
            memories.keep(
                    key,
                    memories.recall(key),
                    ChildId.random(new SecureRandom()),
                    1,
                    MemoryFiles.checked(Map.of("MEMORY.md", text)));
        }
        return "/v1/memories/" + memories.recall(key).id();
    }

    @Test // P10
    void showsWhatAgentsRememberAndGoesBack() throws Exception {
        String memory = memory("alice", "librarian");

        assertThat(get(ALICE, "/v1/memories").body())
                .contains("\"agent\":\"librarian\",\"scope\":\"user\",\"project\":null");
        assertThat(get(ALICE, memory).json().path("files").toString())
                .isEqualTo("[{\"path\":\"MEMORY.md\",\"content\":\"two\\n\"}]");
        assertThat(get(ALICE, memory + "?version=1").body()).contains("one");
        Reply versions = get(ALICE, memory + "/versions");
        assertThat(versions.json().path("versions")).hasSize(2);
        assertThat(versions.json().path("versions").path(0).path("base").asInt())
                .isEqualTo(1);
        Reply diff = get(ALICE, memory + "/diff");
        assertThat(diff.type()).startsWith("text/x-diff");
        assertThat(diff.body()).isEqualTo("--- a/MEMORY.md\n+++ b/MEMORY.md\n@@ -1,1 +1,1 @@\n-one\n+two\n");
        assertThat(get(ALICE, memory + "/diff?from=2&to=1").body()).contains("-two\n+one\n");

        Reply reverted = post(ALICE, memory + "/revert", "{\"version\":1}");

        assertThat(reverted.status()).isEqualTo(200);
        assertThat(reverted.json().path("version").asInt()).isEqualTo(3);
        assertThat(get(ALICE, memory).body()).contains("one");
        assertThat(get(ALICE, memory + "/diff").body()).contains("-two\n+one\n");
        assertThat(get(ALICE, memory + "/versions").body()).contains("\"principal\":\"alice\"");
        for (String unknown : List.of("?version=9", "?version=-1", "/diff?to=9", "/diff?from=9")) {
            assertThat(get(ALICE, memory + unknown).code()).as(unknown).isEqualTo("memory-version-not-found");
        }
        assertThat(post(ALICE, memory + "/revert", "{\"version\":9}").code()).isEqualTo("memory-version-not-found");
        assertThat(post(ALICE, memory + "/revert", "{}").code()).isEqualTo("request-invalid");
        assertThat(get(ALICE, "/v1/memories/UPPER").code()).isEqualTo("malformed-request");
        assertThat(send(request(ALICE, memory).DELETE()).status()).isEqualTo(204);
        assertThat(get(ALICE, memory).code()).isEqualTo("memory-not-found");
    }

    @Test // P10
    void whatAgentsRememberIsOfTheirUser() throws Exception {
        String memory = memory("dora", "diarist");
        List<Caller> strangers = List.of(
                new Caller("bob", Tenant.DEFAULT, Caller.Kind.PERSON, Set.of(Role.SPAWN, Role.OBSERVE, Role.APPROVE)),
                new Caller("bob", Tenant.DEFAULT, Caller.Kind.SESSION, Set.of(Role.SPAWN, Role.OBSERVE)),
                new Caller("dora", new Tenant("other"), Caller.Kind.PERSON, Set.of(Role.OBSERVE, Role.OPERATE)));

        for (Caller stranger : strangers) {
            assertThat(get(stranger, "/v1/memories").body()).as("%s", stranger).doesNotContain("diarist");
            for (String route : List.of("", "?version=1", "/versions", "/diff")) {
                assertThat(get(stranger, memory + route).code())
                        .as("%s", stranger)
                        .isEqualTo("memory-not-found");
            }
            assertThat(post(stranger, memory + "/revert", "{\"version\":1}").code())
                    .isEqualTo("memory-not-found");
            assertThat(send(request(stranger, memory).DELETE()).code()).isEqualTo("memory-not-found");
        }
        assertThat(get(ALICE, memory).json().path("version").asInt()).isEqualTo(2);
    }

    /** An agent that could write what its like remembers would not have to be run for it. */
    @Test // S23
    void aSessionReadsWhatItsUsersAgentsRememberAndChangesNothing() throws Exception {
        String memory = memory("session-a", "scribe");
        Caller person = new Caller("session-a", Tenant.DEFAULT, Caller.Kind.PERSON, Set.of(Role.OBSERVE));

        assertThat(get(SESSION, memory).json().path("version").asInt()).isEqualTo(2);
        assertThat(post(SESSION, memory + "/revert", "{\"version\":1}").code()).isEqualTo("memory-not-yours");
        assertThat(send(request(SESSION, memory).DELETE()).code()).isEqualTo("memory-not-yours");
        assertThat(get(SESSION, memory).json().path("version").asInt()).isEqualTo(2);
        assertThat(post(person, memory + "/revert", "{\"version\":1}").status()).isEqualTo(200);
        assertThat(send(request(person, memory).DELETE()).status()).isEqualTo(204);
    }

    @Test
    void describesItself() throws Exception {
        JsonNode openapi = get(ALICE, "/v1/openapi").json();

        assertThat(openapi.path("paths").propertyNames())
                .contains(
                        "/v1/children",
                        "/v1/children/{id}/events",
                        "/v1/children/{id}/resume",
                        "/v1/authority:resolve",
                        "/v1/memories/{id}/diff");
    }
}
