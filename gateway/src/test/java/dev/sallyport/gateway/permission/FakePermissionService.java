package dev.sallyport.gateway.permission;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import dev.sallyport.identity.SessionId;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.security.SecureRandom;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Executors;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;

/** A permission-service on a port of this machine that answers as a test says, and remembers what it was told. */
public final class FakePermissionService implements AutoCloseable {

    private static final JsonMapper JSON = new JsonMapper();

    private final HttpServer server;
    private final Map<String, String> owners = new ConcurrentHashMap<>();
    private final Map<String, ObjectNode> answers = new ConcurrentHashMap<>();
    private final List<JsonNode> decisions = new CopyOnWriteArrayList<>();
    private final Map<String, JsonNode> registrations = new ConcurrentHashMap<>();
    private final List<String> ended = new CopyOnWriteArrayList<>();
    private volatile boolean down;
    private volatile String standard = "allowed";

    public FakePermissionService() throws IOException {
        server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.setExecutor(Executors.newVirtualThreadPerTaskExecutor());
        server.createContext("/", this::handle);
        server.start();
    }

    public URI uri() {
        return URI.create("http://127.0.0.1:" + server.getAddress().getPort());
    }

    /** From now on every connection is cut without an answer. */
    public void down(boolean down) {
        this.down = down;
    }

    /** What every call without an answer of its own gets. */
    public void standard(String decision) {
        standard = decision;
    }

    /** The answer to one call; a pending one is held until there is another. */
    public void answer(String callId, String decision, String askId, String decider) {
        ObjectNode answer = JSON.createObjectNode().put("decision", decision);
        if (askId != null) {
            answer.put("askId", askId);
        }
        if (decider != null) {
            answer.putObject("decider").put("kind", decider);
        }
        answers.put(callId, answer);
        synchronized (this) {
            notifyAll();
        }
    }

    public List<JsonNode> decisions() {
        return decisions;
    }

    public Map<String, JsonNode> registrations() {
        return registrations;
    }

    public List<String> ended() {
        return ended;
    }

    /** A session of somebody, as if made earlier. */
    public SessionId session(String owner) {
        SessionId id = SessionId.random(new SecureRandom());
        owners.put(id.value(), owner);
        return id;
    }

    private void handle(HttpExchange exchange) throws IOException {
        try (exchange) {
            if (down) {
                return;
            }
            JsonNode body = JSON.readTree(exchange.getRequestBody().readAllBytes());
            String path = exchange.getRequestURI().getPath();
            switch (exchange.getRequestMethod() + " " + path.replaceAll("[a-z2-7]{16}", "ID")) {
                case "POST /v1/sessions" -> {
                    SessionId id = session(subject(exchange));
                    send(exchange, 201, sessionJson(id.value()));
                }
                case "GET /v1/sessions/ID" -> {
                    String id = path.substring(path.lastIndexOf('/') + 1);
                    if (owners.containsKey(id)) {
                        send(exchange, 200, sessionJson(id));
                    } else {
                        send(exchange, 404, JSON.createObjectNode().put("code", "session-not-found"));
                    }
                }
                case "PUT /v1/children/ID" -> {
                    registrations.put(path.substring("/v1/children/".length()), body);
                    exchange.sendResponseHeaders(204, -1);
                }
                case "POST /v1/children/ID/end" -> {
                    ended.add(path.substring("/v1/children/".length(), path.length() - "/end".length()));
                    exchange.sendResponseHeaders(204, -1);
                }
                case "POST /v1/decisions" -> {
                    decisions.add(body);
                    ObjectNode answer = decide(
                            body.path("callId").asString(),
                            exchange.getRequestURI().getQuery());
                    boolean conflict = answer.path("decision").asString().equals("conflict");
                    send(exchange, conflict ? 409 : 200, conflict ? answer.put("code", "call-id-conflict") : answer);
                }
                default -> send(exchange, 404, JSON.createObjectNode().put("code", "not-found"));
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private synchronized ObjectNode decide(String callId, String query) throws InterruptedException {
        long wait = query == null ? 0 : Long.parseLong(query.replaceAll("\\D", ""));
        long until = System.nanoTime() + wait * 1_000_000;
        while (true) {
            ObjectNode answer =
                    answers.getOrDefault(callId, JSON.createObjectNode().put("decision", standard));
            long left = (until - System.nanoTime()) / 1_000_000;
            if (!answer.path("decision").asString().equals("pending") || left <= 0) {
                return answer;
            }
            wait(left);
        }
    }

    private ObjectNode sessionJson(String id) {
        return JSON.createObjectNode()
                .put("id", id)
                .put("tenant", "default")
                .put("owner", owners.get(id))
                .put("createdAt", "2026-01-01T00:00:00Z");
    }

    /** Not verified: what a real one believes is its own tests' matter. */
    private static String subject(HttpExchange exchange) {
        String token = exchange.getRequestHeaders().getFirst("Authorization").substring("Bearer ".length());
        String claims = new String(
                Base64.getUrlDecoder().decode(token.substring(token.indexOf('.') + 1, token.lastIndexOf('.'))),
                StandardCharsets.UTF_8);
        return JSON.readTree(claims).path("sub").asString();
    }

    private static void send(HttpExchange exchange, int status, JsonNode body) throws IOException {
        byte[] bytes = JSON.writeValueAsBytes(body);
        exchange.getResponseHeaders().add("Content-Type", "application/json");
        exchange.sendResponseHeaders(status, bytes.length);
        exchange.getResponseBody().write(bytes);
    }

    @Override
    public void close() {
        server.stop(0);
    }
}
