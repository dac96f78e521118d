package dev.sallyport.service;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import dev.sallyport.identity.Role;
import dev.sallyport.identity.Tenant;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Set;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.test.web.server.LocalServerPort;
import org.springframework.context.annotation.Import;
import org.springframework.security.access.prepost.PreAuthorize;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RestController;

/** S22 and S23, asked from outside over a real socket: who gets in, and with what. */
@SpringBootTest(
        webEnvironment = SpringBootTest.WebEnvironment.RANDOM_PORT,
        properties = {
            "sallyport.auth.key=" + ServiceSecurityTest.KEY,
            "spring.jackson.deserialization.fail-on-unknown-properties=true"
        })
class ServiceSecurityTest {

    static final String KEY = "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=";

    private static final Caller SESSION =
            new Caller("s", Tenant.DEFAULT, Caller.Kind.SESSION, Set.of(Role.SPAWN, Role.OBSERVE));

    @SpringBootApplication
    @Import({ServiceConfiguration.class, Routes.class})
    static class Application {}

    @RestController
    static class Routes {

        record Body(String name) {}

        @GetMapping("/open-to-any-token")
        String any(Caller caller) {
            return caller.principal();
        }

        @PreAuthorize("hasRole('APPROVE')")
        @GetMapping("/approvers")
        String approvers() {
            return "approved";
        }

        @PreAuthorize("hasRole('SPAWN')")
        @PostMapping("/bodies")
        String bodies(@RequestBody Body body) {
            return body.name();
        }
    }

    @LocalServerPort
    private int port;

    @Autowired
    private Tokens tokens;

    @Test
    void refusesWhoeverBringsNoToken() throws Exception {
        assertThat(get("/open-to-any-token", null)).startsWith("401").contains("unauthenticated");
    }

    @Test
    void refusesATokenSignedWithAnotherKey() throws Exception {
        Tokens foreign = new Tokens(Base64.getEncoder().encodeToString(new byte[32]), Clock.systemUTC());

        assertThat(get("/open-to-any-token", foreign.issue(SESSION, Duration.ofHours(1))))
                .startsWith("401");
    }

    @Test
    void refusesATokenThatIsOver() throws Exception {
        Tokens past = new Tokens(KEY, Clock.fixed(Instant.now().minusSeconds(7200), ZoneOffset.UTC));

        assertThat(get("/open-to-any-token", past.issue(SESSION, Duration.ofMinutes(1))))
                .startsWith("401");
    }

    @Test
    void refusesAnUnsignedToken() throws Exception {
        String header = base64("{\"alg\":\"none\"}");
        String claims = base64(
                "{\"sub\":\"x\",\"tenant\":\"default\",\"kind\":\"person\",\"roles\":[\"approve\"],\"exp\":4102444800}");

        assertThat(get("/approvers", header + "." + claims + ".")).startsWith("401");
    }

    @Test
    void letsASessionInButNeverApprove() throws Exception {
        String token = tokens.issue(SESSION, Duration.ofHours(1));

        assertThat(get("/open-to-any-token", token)).isEqualTo("200 s");
        assertThat(get("/approvers", token)).startsWith("403").contains("\"code\":\"forbidden\"");
    }

    @Test
    void noIssuerCanGiveASessionAnApproversRole() {
        assertThat(catchThrowable(() -> new Caller("s", Tenant.DEFAULT, Caller.Kind.SESSION, Set.of(Role.APPROVE))))
                .hasMessage("a session can not have the role approve");
    }

    @Test
    void believesNoTokenThatGivesASessionAnApproversRole() throws Exception {
        assertThat(get("/approvers", signed("person"))).isEqualTo("200 approved");
        assertThat(get("/approvers", signed("session"))).startsWith("401");
        assertThat(get("/approvers", signed("service"))).startsWith("401");
        assertThat(get("/approvers", signed("child"))).startsWith("401");
    }

    /** An approver by claim, signed with the right key. */
    private static String signed(String kind) throws Exception {
        String token = base64("{\"alg\":\"HS256\"}") + "."
                + base64("{\"sub\":\"x\",\"tenant\":\"default\",\"kind\":\"" + kind
                        + "\",\"roles\":[\"approve\"],\"exp\":4102444800}");
        Mac mac = Mac.getInstance("HmacSHA256");
        mac.init(new SecretKeySpec(Base64.getDecoder().decode(KEY), "HmacSHA256"));
        return token + "."
                + Base64.getUrlEncoder()
                        .withoutPadding()
                        .encodeToString(mac.doFinal(token.getBytes(StandardCharsets.US_ASCII)));
    }

    /** A page elsewhere could send along what a browser keeps. */
    @Test
    void takesNoTokenFromACookieOrAQuery() throws Exception {
        String token = tokens.issue(SESSION, Duration.ofHours(1));

        for (String cookie : List.of("token", "access_token", "Authorization", "JSESSIONID", "SESSION")) {
            assertThat(raw("GET /open-to-any-token?access_token=" + token + " HTTP/1.1\r\nHost: 127.0.0.1:" + port
                            + "\r\nCookie: " + cookie + "=" + token + "\r\nConnection: close\r\n\r\n"))
                    .startsWith("HTTP/1.1 401");
        }
    }

    @Test
    void refusesAForeignHost() throws Exception {
        assertThat(raw("GET /open-to-any-token HTTP/1.1\r\nHost: evil.test\r\nAuthorization: Bearer "
                        + tokens.issue(SESSION, Duration.ofHours(1)) + "\r\nConnection: close\r\n\r\n"))
                .startsWith("HTTP/1.1 421")
                .contains("wrong-host");
    }

    @Test
    void refusesAForeignOrigin() throws Exception {
        assertThat(raw("GET /open-to-any-token HTTP/1.1\r\nHost: 127.0.0.1:" + port
                        + "\r\nOrigin: http://evil.test\r\nAuthorization: Bearer "
                        + tokens.issue(SESSION, Duration.ofHours(1)) + "\r\nConnection: close\r\n\r\n"))
                .startsWith("HTTP/1.1 403")
                .contains("wrong-origin");
    }

    @Test
    void namesAFieldThatNobodyKnows() throws Exception {
        HttpResponse<String> response = HttpClient.newHttpClient()
                .send(
                        HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + "/bodies"))
                                .header("Authorization", "Bearer " + tokens.issue(SESSION, Duration.ofHours(1)))
                                .header("Content-Type", "application/json")
                                .POST(HttpRequest.BodyPublishers.ofString("{\"name\":\"a\",\"nmae\":\"b\"}"))
                                .build(),
                        HttpResponse.BodyHandlers.ofString());

        assertThat(response.statusCode()).isEqualTo(400);
        assertThat(response.headers().firstValue("Content-Type")).hasValue("application/problem+json");
        assertThat(response.body()).contains("unknown field `nmae` (expected: one of name)", "malformed-request");
    }

    @Test
    void readsNoBodyThatCouldFillTheHeap() throws Exception {
        assertThat(raw(post(
                        tokens.issue(SESSION, Duration.ofHours(1)), "Content-Length: " + (BodyLimit.MOST + 1), "{")))
                .startsWith("HTTP/1.1 413")
                .contains("request-too-large");
        assertThat(raw(post(tokens.issue(SESSION, Duration.ofHours(1)), "Transfer-Encoding: chunked", "1\r\n{\r\n")))
                .startsWith("HTTP/1.1 411");
    }

    @Test
    void readsFewLargeBodiesAtATime() throws Exception {
        String token = tokens.issue(SESSION, Duration.ofHours(1));
        String large = post(token, "Content-Length: 100000", "{\"name\":\"");
        List<Socket> held = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
            held.add(open(large));
        }

        List<String> refused = new ArrayList<>();
        while (refused.size() < 2) {
            for (Socket caller : List.copyOf(held)) {
                String answer = soon(caller);
                if (!answer.isEmpty()) {
                    refused.add(answer);
                    held.remove(caller);
                }
            }
        }

        assertThat(refused)
                .allSatisfy(answer ->
                        assertThat(answer).startsWith("HTTP/1.1 429").contains("Retry-After: 1", "too-much-at-once"));
        assertThat(raw(post(token, "Content-Length: 12", "{\"name\":\"a\"}"))).startsWith("HTTP/1.1 200");
        // A service may not call this; but what it sends is read.
        String whole = "{\"name\":\"" + "x".repeat(100_000 - 11) + "\"}";
        String service = tokens.issue(
                new Caller("g", Tenant.DEFAULT, Caller.Kind.SERVICE, Set.of(Role.SERVICE)), Duration.ofHours(1));
        assertThat(raw(post(service, "Content-Length: 100000", whole))).startsWith("HTTP/1.1 403");

        for (Socket caller : held) {
            caller.close();
        }
        Instant end = Instant.now().plusSeconds(20);
        String answer = raw(post(token, "Content-Length: 100000", whole));
        while (answer.startsWith("HTTP/1.1 429") && Instant.now().isBefore(end)) {
            answer = raw(post(token, "Content-Length: 100000", whole));
        }
        assertThat(answer).startsWith("HTTP/1.1 200");
    }

    private static String post(String token, String length, String body) {
        return "POST /bodies HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer " + token
                + "\r\nContent-Type: application/json\r\nConnection: close\r\n" + length + "\r\n\r\n" + body;
    }

    /** What is answered before the body is there; empty if the service waits for it. */
    private static String soon(Socket caller) throws IOException {
        caller.setSoTimeout(200);
        try {
            return new String(caller.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        } catch (SocketTimeoutException waiting) {
            return "";
        }
    }

    private Socket open(String request) throws IOException {
        Socket socket = new Socket(InetAddress.getLoopbackAddress(), port);
        socket.getOutputStream().write(request.getBytes(StandardCharsets.US_ASCII));
        return socket;
    }

    @Test
    void aShortKeyIsNoKey() {
        assertThat(catchThrowable(() -> new Tokens("c2hvcnQ=", Clock.systemUTC())))
                .hasMessage("sallyport.auth.key: 5 bytes (expected: at least 32)");
    }

    private String get(String path, @Nullable String token) throws Exception {
        HttpRequest.Builder request = HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + path));
        if (token != null) {
            request.header("Authorization", "Bearer " + token);
        }
        HttpResponse<String> response =
                HttpClient.newHttpClient().send(request.build(), HttpResponse.BodyHandlers.ofString());
        return response.statusCode() + " " + response.body();
    }

    private String raw(String request) throws IOException {
        try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
            socket.getOutputStream().write(request.getBytes(StandardCharsets.US_ASCII));
            return new String(socket.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        }
    }

    private static String base64(String text) {
        return Base64.getUrlEncoder().withoutPadding().encodeToString(text.getBytes(StandardCharsets.UTF_8));
    }
}
