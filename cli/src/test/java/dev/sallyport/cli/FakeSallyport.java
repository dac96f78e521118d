package dev.sallyport.cli;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Clock;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Executors;

/** Both services and the login socket of one installation, answering what a test put there and keeping what was asked. */
final class FakeSallyport implements AutoCloseable {

    static final Instant NOW = Instant.parse("2026-11-30T12:00:00Z");
    static final String CHILD = "abcdefghijklmnop";
    static final String SESSION = "sssssssssssssss2";
    static final String SESSION_TOKEN = "session.token.one";
    static final String PERSON_TOKEN = "person.token.one";

    /** One request as it arrived. */
    record Request(String line, String token, String idempotencyKey, String lastEventId, String body) {

        Json json() {
            return Json.parse(body);
        }
    }

    /** What a verb left behind. */
    record Run(int exitCode, String out, String err) {

        Json json() {
            return Json.parse(out);
        }
    }

    @FunctionalInterface
    interface Answer {
        void to(HttpExchange exchange) throws IOException;
    }

    final Path home;
    final List<Request> requests = new CopyOnWriteArrayList<>();
    final Map<String, String> variables = new LinkedHashMap<>();
    String input = "";
    Path directory;
    FakeTerminal terminal = FakeTerminal.none();
    volatile String goodToken = SESSION_TOKEN;
    private final Map<String, Deque<Answer>> answers = new ConcurrentHashMap<>();
    private HttpServer server;
    private ServerSocketChannel login;

    FakeSallyport(Path parent) throws IOException {
        home = Files.createDirectory(
                parent.resolve("home"),
                PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
        directory = Files.createDirectory(parent.resolve("here"));
        variables.put("SALLYPORT_HOME", home.toString());
        start();
        post("/v1/sessions", Json.object("id", SESSION));
    }

    void start() throws IOException {
        server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.setExecutor(Executors.newVirtualThreadPerTaskExecutor());
        server.createContext("/", this::serve);
        server.start();
        Files.writeString(
                home.resolve("endpoint.json"),
                Json.object("gateway", address(), "permissions", address(), "pid", 1, "installation", "inst")
                        .write());
        Files.writeString(home.resolve("session.token"), SESSION_TOKEN + "\n");
    }

    String address() {
        return "http://127.0.0.1:" + server.getAddress().getPort();
    }

    void stop() {
        server.stop(0);
    }

    /** Lets this user log in, each time with another token. */
    void openLogin() throws IOException {
        login = ServerSocketChannel.open(StandardProtocolFamily.UNIX);
        login.bind(UnixDomainSocketAddress.of(home.resolve("login.sock")));
        goodToken = PERSON_TOKEN;
        Thread.ofVirtual().start(() -> {
            try {
                while (true) {
                    try (SocketChannel peer = login.accept()) {
                        ByteBuffer request = ByteBuffer.allocate(6);
                        while (request.hasRemaining() && peer.read(request) >= 0) {
                            // until the line is whole
                        }
                        requests.add(
                                new Request("LOGIN " + new String(request.array(), UTF_8).strip(), "", "", "", ""));
                        peer.write(ByteBuffer.wrap((Json.object("token", goodToken, "expiresAt", "2026-11-30T13:00:00Z")
                                                .write()
                                        + "\n")
                                .getBytes(UTF_8)));
                    }
                }
            } catch (IOException e) {
                // closed
            }
        });
    }

    void get(String path, Json body) {
        on("GET " + path, exchange -> send(exchange, 200, "application/json", body.write()));
    }

    void post(String path, Json body) {
        on("POST " + path, exchange -> send(exchange, 202, "application/json", body.write()));
    }

    void problem(String route, int status, Json body) {
        on(route, exchange -> send(exchange, status, "application/problem+json", body.write()));
    }

    void text(String route, String type, String text) {
        on(route, exchange -> send(exchange, 200, type, text));
    }

    /** Events that end by themselves, as those of a child that has ended do. */
    void events(String path, Json... events) {
        on("GET " + path, exchange -> sendEvents(exchange, "event", events));
    }

    static void sendEvents(HttpExchange exchange, String type, Json... events) throws IOException {
        exchange.getResponseHeaders().add("Content-Type", "text/event-stream");
        exchange.sendResponseHeaders(200, 0);
        String seen = header(exchange, "Last-Event-ID");
        for (int i = 0; i < events.length; i++) {
            long id = events[i].get("seq").isNothing() ? i + 1 : events[i].number("seq");
            if (seen.isEmpty() || id > Long.parseLong(seen)) {
                String frame = "id: %d\nevent: %s\ndata: %s\n\n:\n\n".formatted(id, type, events[i].write());
                exchange.getResponseBody().write(frame.getBytes(UTF_8));
                exchange.getResponseBody().flush();
            }
        }
    }

    void forget(String route) {
        answers.remove(route);
    }

    /** The last answer to a route stays; earlier ones are given once each, in order. */
    void on(String route, Answer answer) {
        answers.computeIfAbsent(route, any -> new ArrayDeque<>()).add(answer);
    }

    static void send(HttpExchange exchange, int status, String type, String body) throws IOException {
        byte[] bytes = body.getBytes(UTF_8);
        exchange.getResponseHeaders().add("Content-Type", type);
        exchange.sendResponseHeaders(status, status == 204 ? -1 : bytes.length == 0 ? -1 : bytes.length);
        exchange.getResponseBody().write(bytes);
    }

    private void serve(HttpExchange exchange) throws IOException {
        try (exchange) {
            String line = exchange.getRequestMethod() + " " + exchange.getRequestURI();
            String token = header(exchange, "Authorization");
            requests.add(new Request(
                    line,
                    token,
                    header(exchange, "Idempotency-Key"),
                    header(exchange, "Last-Event-ID"),
                    new String(exchange.getRequestBody().readAllBytes(), UTF_8)));
            if (!token.equals("Bearer " + goodToken)) {
                send(
                        exchange,
                        401,
                        "application/problem+json",
                        Json.object("code", "unauthenticated", "detail", "no valid token")
                                .write());
                return;
            }
            Deque<Answer> queue = answers.get(line);
            if (queue == null) {
                send(
                        exchange,
                        404,
                        "application/problem+json",
                        Json.object("code", "not-found", "detail", "no route " + line)
                                .write());
                return;
            }
            Answer answer;
            synchronized (queue) {
                answer = queue.size() > 1 ? queue.remove() : queue.element();
            }
            answer.to(exchange);
        }
    }

    private static String header(HttpExchange exchange, String name) {
        String value = exchange.getRequestHeaders().getFirst(name);
        return value == null ? "" : value;
    }

    Run run(String... args) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        ByteArrayOutputStream err = new ByteArrayOutputStream();
        Environment environment = new Environment(
                variables,
                directory,
                new ByteArrayInputStream(input.getBytes(UTF_8)),
                new PrintStream(out, true, UTF_8),
                new PrintStream(err, true, UTF_8),
                terminal,
                Clock.fixed(NOW, ZoneOffset.UTC));
        int exitCode = Main.run(environment, args);
        return new Run(exitCode, out.toString(UTF_8), err.toString(UTF_8));
    }

    /** The only request to that route. */
    Request only(String route) {
        List<Request> found = requests.stream()
                .filter(request -> request.line().equals(route))
                .toList();
        if (found.size() != 1) {
            throw new AssertionError("requests to " + route + ": " + found + " of " + requests);
        }
        return found.getFirst();
    }

    List<String> lines() {
        return requests.stream().map(Request::line).toList();
    }

    static Json child(String state) {
        return Json.object(
                "id",
                CHILD,
                "session",
                SESSION,
                "agent",
                "reviewer",
                "description",
                "look at it",
                "state",
                state,
                "harness",
                "builtin",
                "model",
                "scripted/demo",
                "scripted",
                true,
                "workspace",
                "clone",
                "createdAt",
                "2026-11-30T11:58:00Z",
                "usage",
                Json.object("modelCalls", 2, "inputTokens", 1200, "outputTokens", 300),
                "decisions",
                Json.object("allowed", 3, "denied", 0, "asked", 1, "approved", 1, "unavailable", 0));
    }

    static Json result(String outcome, Integer exitCode) {
        return Json.object(
                "outcome",
                outcome,
                "reason",
                outcome.equals("completed") ? "exited" : outcome,
                "message",
                "it is over",
                "exitCode",
                exitCode,
                "output",
                "the answer\n",
                "branch",
                "pi-agent-" + CHILD,
                "changedFiles",
                List.of("a.txt"),
                "usage",
                Json.object("modelCalls", 2, "inputTokens", 1200, "outputTokens", 300),
                "decisions",
                Json.object("allowed", 3, "denied", 0, "asked", 1, "approved", 1, "unavailable", 0),
                "scripted",
                true);
    }

    static Json event(long seq, String source, String type, Object... data) {
        return Json.object(
                "seq", seq, "at", "2026-11-30T11:59:00Z", "source", source, "type", type, "data", Json.object(data));
    }

    /** Everything that {@code run} needs for a child that ends like this. */
    void runs(Json child, Json result, Json... events) {
        post("/v1/children", child);
        events("/v1/children/" + CHILD + "/events", events);
        get("/v1/children/" + CHILD + "/result?wait=5s", result);
    }

    @Override
    public void close() {
        server.stop(0);
        if (login != null) {
            try {
                login.close();
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
    }
}
