package dev.sallyport.permissions;

import dev.sallyport.identity.ChildId;
import dev.sallyport.identity.Role;
import dev.sallyport.identity.SessionId;
import dev.sallyport.identity.Tenant;
import dev.sallyport.service.Caller;
import dev.sallyport.service.Tokens;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Clock;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.Supplier;
import javax.sql.DataSource;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.jdbc.core.simple.JdbcClient;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** The whole service on a database, spoken to as its callers do: over HTTP, with their tokens. */
public final class TestService implements AutoCloseable {

    static final String KEY = "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=";

    private static final JsonMapper JSON = new JsonMapper();
    private static final Tokens TOKENS = new Tokens(KEY, Clock.systemUTC());
    private static final Random RANDOM = new Random();

    /** Nothing ends by itself within a test, unless the test says so; and little time passes between two looks. */
    private static final Map<String, String> PATIENT = Map.of(
            "sallyport.permissions.grace", "5m",
            "sallyport.permissions.staleness", "10m",
            "sallyport.permissions.refresh", "200ms",
            "sallyport.permissions.reconnect-window", "0ms",
            "sallyport.permissions.sweep", "50ms",
            "sallyport.permissions.poll", "300ms");

    static {
        // A loaded machine is no failure.
        Awaitility.setDefaultTimeout(Duration.ofMinutes(1));
    }

    private final ConfigurableApplicationContext context;
    private final HttpClient http =
            HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
    private final ExecutorService executor = Executors.newVirtualThreadPerTaskExecutor();

    private TestService(ConfigurableApplicationContext context) {
        this.context = context;
    }

    public static TestService start(TestDatabase database, String... properties) {
        Map<String, String> all = new TreeMap<>(PATIENT);
        all.put("spring.datasource.url", database.url());
        all.put("spring.datasource.username", "postgres");
        all.put("spring.datasource.password", "");
        all.put("sallyport.auth.key", KEY);
        all.put("server.port", "0");
        all.put("management.server.port", "0");
        for (String property : properties) {
            String[] pair = property.split("=", 2);
            all.put(pair[0], pair[1]);
        }
        return new TestService(new SpringApplicationBuilder(PermissionServiceApplication.class)
                .properties("spring.config.name=permission-service")
                .run(all.entrySet().stream()
                        .map(property -> "--%s=%s".formatted(property.getKey(), property.getValue()))
                        .toArray(String[]::new)));
    }

    public int port() {
        return Integer.parseInt(context.getEnvironment().getRequiredProperty("local.server.port"));
    }

    public int managementPort() {
        return Integer.parseInt(context.getEnvironment().getRequiredProperty("local.management.port"));
    }

    public JdbcClient database() {
        return JdbcClient.create(context.getBean(DataSource.class));
    }

    public <T> T bean(Class<T> type) {
        return context.getBean(type);
    }

    // callers

    public static String person(String name) {
        return person(name, Tenant.DEFAULT);
    }

    public static String person(String name, Tenant tenant) {
        return token(
                name, tenant, Caller.Kind.PERSON, Role.SPAWN, Role.OBSERVE, Role.APPROVE, Role.OPERATE, Role.AUDIT);
    }

    public static String session(String name) {
        return token(name, Tenant.DEFAULT, Caller.Kind.SESSION, Role.SPAWN, Role.OBSERVE);
    }

    public static String gateway() {
        return token("gateway", Tenant.DEFAULT, Caller.Kind.SERVICE, Role.SERVICE);
    }

    public static String token(String name, Tenant tenant, Caller.Kind kind, Role... roles) {
        return TOKENS.issue(new Caller(name, tenant, kind, Set.of(roles)), Duration.ofHours(1));
    }

    // requests

    /** What came back. */
    public record Reply(int status, JsonNode body, HttpResponse<String> raw) {

        public String text(String field) {
            return body.path(field).asString("");
        }
    }

    public Reply get(String token, String path) {
        return send(token, "GET", path, null, Map.of());
    }

    public Reply post(String token, String path, Object body) {
        return send(token, "POST", path, body, Map.of());
    }

    public Reply send(
            @Nullable String token, String method, String path, @Nullable Object body, Map<String, String> headers) {
        HttpRequest.Builder request = HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port() + path))
                .method(
                        method,
                        body == null
                                ? HttpRequest.BodyPublishers.noBody()
                                : HttpRequest.BodyPublishers.ofString(
                                        body instanceof String text ? text : JSON.writeValueAsString(body)))
                .header("Content-Type", "application/json");
        if (token != null) {
            request.header("Authorization", "Bearer " + token);
        }
        headers.forEach(request::header);
        try {
            HttpResponse<String> response = http.send(request.build(), HttpResponse.BodyHandlers.ofString());
            return new Reply(
                    response.statusCode(),
                    response.body().isEmpty() ? JSON.createObjectNode() : JSON.readTree(response.body()),
                    response);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    public CompletableFuture<Reply> later(Supplier<Reply> request) {
        return CompletableFuture.supplyAsync(request, executor);
    }

    /** A stream of server-sent events, read as it comes. */
    public EventReader inbox(String token, String query, @Nullable String lastEventId) {
        HttpRequest.Builder request = HttpRequest.newBuilder(
                        URI.create("http://127.0.0.1:" + port() + "/v1/inbox?" + query))
                .header("Authorization", "Bearer " + token)
                .header("Accept", "text/event-stream");
        if (lastEventId != null) {
            request.header("Last-Event-ID", lastEventId);
        }
        try {
            var response = http.send(request.build(), HttpResponse.BodyHandlers.ofInputStream());
            return new EventReader(response.statusCode(), response.body());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    // what most tests begin with

    public SessionId newSession(String owner) {
        return new SessionId(post(session(owner), "/v1/sessions", Map.of()).text("id"));
    }

    public ChildId newChild(SessionId session) {
        return newChild(session, "clone", List.of());
    }

    public ChildId newChild(SessionId session, String workspace, List<Map<String, ?>> narrowing) {
        ChildId child = ChildId.random(RANDOM);
        Reply reply = register(child, session, 1, workspace, narrowing);
        if (reply.status() != 204) {
            throw new AssertionError(reply.body());
        }
        return child;
    }

    public Reply register(
            ChildId child, SessionId session, int incarnation, String workspace, List<Map<String, ?>> narrowing) {
        return send(
                gateway(),
                "PUT",
                "/v1/children/" + child,
                Map.of(
                        "tenant",
                        "default",
                        "session",
                        session.value(),
                        "incarnation",
                        incarnation,
                        "agent",
                        "fixer",
                        "definitionDigest",
                        "d1",
                        "authorityDigest",
                        "a1",
                        "workspace",
                        workspace,
                        "narrowing",
                        narrowing),
                Map.of());
    }

    public static Map<String, Object> bash(SessionId session, ChildId child, String callId, String command) {
        return tool(session, child, callId, "bash", Map.of("command", command));
    }

    public static Map<String, Object> tool(
            SessionId session, ChildId child, String callId, String tool, Map<String, ?> arguments) {
        return Map.of(
                "tenant",
                "default",
                "session",
                session.value(),
                "child",
                child.value(),
                "incarnation",
                1,
                "callId",
                callId,
                "kind",
                "tool",
                "tool",
                tool,
                "arguments",
                arguments,
                "directory",
                "/workspace");
    }

    public Reply decide(Map<String, Object> request) {
        return decide(request, "0s");
    }

    public Reply decide(Map<String, Object> request, String wait) {
        return post(gateway(), "/v1/decisions?wait=" + wait, request);
    }

    public Reply answer(String token, String ask, String answer) {
        return post(token, "/v1/asks/" + ask + "/answer", Map.of("answer", answer));
    }

    /** Ends the service as a signal does; requests that it holds are answered. */
    public void stopServing() {
        context.close();
    }

    @Override
    public void close() {
        executor.shutdownNow();
        http.shutdownNow();
        context.close();
    }
}
