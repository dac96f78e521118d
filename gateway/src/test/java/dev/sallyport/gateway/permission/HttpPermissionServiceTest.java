package dev.sallyport.gateway.permission;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.net.httpserver.HttpServer;
import dev.sallyport.gateway.permission.PermissionService.DecisionRequest;
import dev.sallyport.gateway.permission.PermissionService.Narrowing;
import dev.sallyport.gateway.permission.PermissionService.Outcome;
import dev.sallyport.gateway.permission.PermissionService.PermissionDecision;
import dev.sallyport.gateway.permission.PermissionService.Registration;
import dev.sallyport.gateway.permission.PermissionService.Subject;
import dev.sallyport.identity.CallId;
import dev.sallyport.identity.ChildId;
import dev.sallyport.identity.SessionId;
import dev.sallyport.identity.Tenant;
import dev.sallyport.service.Tokens;
import dev.sallyport.testing.Golden;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Clock;
import java.time.Duration;
import java.util.Base64;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;

class HttpPermissionServiceTest {

    private static final JsonMapper JSON = new JsonMapper();
    private static final SessionId SESSION = new SessionId("bbbbbbbbbbbbbbbb");
    private static final ChildId CHILD = new ChildId("aaaaaaaaaaaaaaaa");

    private record Answer(int status, String body) {}

    private final AtomicReference<Answer> answer = new AtomicReference<>(new Answer(204, ""));
    private final AtomicReference<String> sent = new AtomicReference<>();
    private HttpServer server;
    private HttpPermissionService service;

    @BeforeEach
    void begin() throws IOException {
        server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.createContext("/", exchange -> {
            try (exchange) {
                sent.set(new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8));
                byte[] body = answer.get().body().getBytes(StandardCharsets.UTF_8);
                exchange.sendResponseHeaders(answer.get().status(), body.length == 0 ? -1 : body.length);
                exchange.getResponseBody().write(body);
            }
        });
        server.start();
        Tokens tokens = new Tokens(Base64.getEncoder().encodeToString(new byte[32]), Clock.systemUTC());
        URI uri = URI.create("http://127.0.0.1:" + server.getAddress().getPort());
        service = new HttpPermissionService(uri, tokens, Clock.systemUTC(), JSON);
    }

    @AfterEach
    void end() {
        service.close();
        server.stop(0);
    }

    private static DecisionRequest asking(String callId, Subject subject) {
        return new DecisionRequest(Tenant.DEFAULT, SESSION, CHILD, 1, new CallId(callId), subject);
    }

    private PermissionDecision decide(Subject subject, String callId) throws InterruptedException {
        return service.decide(asking(callId, subject), Duration.ZERO);
    }

    private static Subject.Tool tool() {
        return new Subject.Tool("bash", JSON.createObjectNode().put("command", "sh tests/run.sh"), "/workspace");
    }

    private static String asMessage(String json) {
        return JSON.writerWithDefaultPrettyPrinter().writeValueAsString(JSON.readTree(json)) + "\n";
    }

    @Test
    void saysItTheWayThePermissionServiceReadsIt() throws IOException, InterruptedException {
        answer.set(new Answer(200, Golden.message("decision-pending.json")));
        decide(tool(), "call-1");
        Golden.assertMessage("decision-request-tool.json", asMessage(sent.get()));
        decide(new Subject.Network("example.org", 443), "call-2");
        Golden.assertMessage("decision-request-network.json", asMessage(sent.get()));

        ObjectNode permission = JSON.createObjectNode();
        permission.putObject("bash").put("*", "allow").put("sh tests/run.sh", "ask");
        answer.set(new Answer(204, ""));
        service.register(new Registration(
                CHILD,
                Tenant.DEFAULT,
                SESSION,
                null,
                1,
                "fixer",
                "d".repeat(64),
                "d".repeat(64),
                "clone",
                List.of(new Narrowing(".pi/agents/fixer.md:4", permission))));
        Golden.assertMessage("child-registration.json", asMessage(sent.get()));
    }

    @Test
    void readsDecisionsTheWayThePermissionServiceSaysThem() throws IOException, InterruptedException {
        answer.set(new Answer(200, Golden.message("decision-allowed.json")));
        assertThat(decide(tool(), "call-1"))
                .isEqualTo(new PermissionDecision(Outcome.ALLOWED, "cccccccccccccccc", null, true));
        answer.set(new Answer(200, Golden.message("decision-by-rule.json")));
        assertThat(decide(tool(), "call-1")).isEqualTo(new PermissionDecision(Outcome.ALLOWED, null, null, false));
        answer.set(new Answer(200, Golden.message("decision-pending.json")));
        assertThat(decide(tool(), "call-1").outcome()).isEqualTo(Outcome.PENDING);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "200 | ",
                "200 | {}",
                "200 | {\"decision\":null}",
                "200 | {\"decision\":\"ALLOWED \"}",
                "200 | allowed",
                "204 | ",
                "401 | {\"code\":\"unauthenticated\"}",
                "403 | {\"code\":\"forbidden\"}",
                "500 | {\"decision\":\"allowed\"}",
                "503 | oops"
            })
    void whatIsNoAnswerIsNoAnswer(int status, String body) {
        answer.set(new Answer(status, body == null ? "" : body));

        assertThatThrownBy(() -> decide(tool(), "call-1")).isInstanceOf(PermissionServiceException.Unreachable.class);
    }

    @Test
    void whoWaitsIsInterruptedAtOnce() throws InterruptedException {
        CountDownLatch asked = new CountDownLatch(1);
        CountDownLatch over = new CountDownLatch(1);
        server.removeContext("/");
        server.createContext("/", exchange -> {
            try (exchange) {
                asked.countDown();
                over.await();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        });
        AtomicReference<Throwable> end = new AtomicReference<>();
        DecisionRequest request = asking("call-1", tool());
        Thread waiting = Thread.ofVirtual().start(() -> {
            try {
                service.decide(request, Duration.ofMinutes(1));
            } catch (InterruptedException | RuntimeException e) {
                end.set(e);
            }
        });
        asked.await();

        waiting.interrupt();

        assertThat(waiting.join(Duration.ofSeconds(10))).isTrue();
        over.countDown();
        assertThat(end.get()).isInstanceOf(InterruptedException.class);
    }

    @Test
    void aRefusalKeepsItsCode() {
        answer.set(new Answer(409, "{\"code\":\"call-id-conflict\",\"detail\":\"another call\"}"));

        assertThatThrownBy(() -> decide(tool(), "call-1"))
                .isInstanceOfSatisfying(
                        PermissionServiceException.Refused.class,
                        refused -> assertThat(refused.code()).isEqualTo("call-id-conflict"));
    }
}
