package dev.sallyport.standalone;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.StandardProtocolFamily;
import java.net.URI;
import java.net.UnixDomainSocketAddress;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Predicate;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** A real Sallyport in a process of its own, spoken to as people and programs do. It can be killed and started again. */
final class Installation implements AutoCloseable {

    static final JsonMapper JSON = new JsonMapper();
    static final Path EXAMPLES = Path.of("../examples").toAbsolutePath().normalize();

    private static final Path TARGET = Path.of("target").toAbsolutePath();

    /** Without the tests' own: classes are shared by those who load them from jars only. */
    private static final String CLASSES = Arrays.stream(
                    System.getProperty("java.class.path").split(File.pathSeparator))
            .filter(path -> !path.endsWith("test-classes"))
            .collect(Collectors.joining(File.pathSeparator));

    private static final Duration PATIENCE = Duration.ofSeconds(90);

    private final Path home;
    private final Map<String, String> settings;
    private final HttpClient http = HttpClient.newHttpClient();
    private Process process;

    private Installation(Path home, Map<String, String> settings, Process process) {
        this.home = home;
        this.settings = settings;
        this.process = process;
    }

    /**
     * One that has everything below a directory: its home, the agents of its user and {@code work}, the one root of
     * workspaces. Its scripted models are those of the examples.
     *
     * @param more settings of either service, by full name
     */
    static Installation in(Path directory, Map<String, String> more) throws IOException {
        Map<String, String> settings = new HashMap<>(Map.of(
                "sallyport.gateway.workspace-roots",
                Files.createDirectories(directory.resolve("work")).toString(),
                "sallyport.gateway.agent-directory",
                directory.resolve("agents").toString(),
                "sallyport.gateway.scripts",
                EXAMPLES.resolve("scripts").toString()));
        settings.putAll(more);
        Path home = directory.resolve("home");
        return new Installation(home, settings, launch(home, settings));
    }

    private static Process launch(Path home, Map<String, String> settings) throws IOException {
        Files.createDirectories(home);
        shareBinaries(home);
        List<String> command = new ArrayList<>(List.of(
                ProcessHandle.current().info().command().orElseThrow(),
                "-XX:+UseSerialGC",
                "-Xmx256m",
                "-XX:TieredStopAtLevel=1",
                "--enable-native-access=ALL-UNNAMED",
                "-XX:+AutoCreateSharedArchive",
                "-XX:SharedArchiveFile=" + TARGET.resolve("installation.jsa"),
                "-Xlog:disable",
                "-cp",
                CLASSES,
                StandaloneApplication.class.getName(),
                "--home=" + home,
                "--gateway-port=0",
                "--permissions-port=0",
                "--management-port=0",
                "--sallyport.gateway.image=" + Engine.runnerImage()));
        settings.forEach((name, value) -> command.add("--" + name + "=" + value));
        File log = home.resolve("test.log").toFile();
        Process process = new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.appendTo(log))
                .start();
        process.getOutputStream().close();
        try {
            await("the services are ready", () -> {
                if (!process.isAlive()) {
                    throw new AssertionError("did not start: " + read(log.toPath()));
                }
                return read(home.resolve("endpoint.json")).contains("\"pid\":" + process.pid());
            });
        } catch (AssertionError e) {
            process.destroyForcibly();
            throw e;
        }
        return process;
    }

    /** Unpacked once: each home has PostgreSQL's programs of its own otherwise. */
    private static void shareBinaries(Path home) throws IOException {
        Path binaries = home.resolve("postgres-binaries");
        if (!Files.exists(binaries)) {
            Files.createSymbolicLink(binaries, Files.createDirectories(TARGET.resolve("postgres-binaries")));
        }
    }

    /** kill -9, and nothing else: whatever it was doing is cut off where it was. */
    void kill() throws InterruptedException {
        process.destroyForcibly().waitFor();
    }

    void startAgain() throws IOException {
        process = launch(home, settings);
    }

    JsonNode endpoint() {
        return JSON.readTree(read(home.resolve("endpoint.json")));
    }

    String log() {
        return read(home.resolve("test.log"));
    }

    String sessionToken() {
        return read(home.resolve("session.token"));
    }

    /** What a person at a terminal of this user gets. */
    String personToken() throws IOException {
        try (SocketChannel channel = SocketChannel.open(StandardProtocolFamily.UNIX)) {
            channel.connect(UnixDomainSocketAddress.of(home.resolve("login.sock")));
            channel.write(ByteBuffer.wrap("login\n".getBytes(StandardCharsets.US_ASCII)));
            String answer = new BufferedReader(Channels.newReader(channel, StandardCharsets.UTF_8)).readLine();
            return JSON.readTree(answer).get("token").asString();
        }
    }

    Answer gateway(String method, String path, @Nullable Object body) throws IOException, InterruptedException {
        return call("gateway", sessionToken(), method, path, body);
    }

    Answer permissions(String token, String method, String path, @Nullable Object body)
            throws IOException, InterruptedException {
        return call("permissions", token, method, path, body);
    }

    Answer call(String service, @Nullable String token, String method, String path, @Nullable Object body)
            throws IOException, InterruptedException {
        HttpRequest.Builder request = HttpRequest.newBuilder(
                        URI.create(endpoint().get(service).asString() + path))
                .timeout(PATIENCE)
                .header("Content-Type", body instanceof String ? "text/plain" : "application/json");
        if (token != null) {
            request.header("Authorization", "Bearer " + token);
        }
        request.method(
                method,
                body == null
                        ? HttpRequest.BodyPublishers.noBody()
                        : HttpRequest.BodyPublishers.ofString(
                                body instanceof String text ? text : JSON.writeValueAsString(body)));
        HttpResponse<String> response = http.send(request.build(), HttpResponse.BodyHandlers.ofString());
        return new Answer(response.statusCode(), response.body());
    }

    /** From the management port of either service. */
    Answer management(String service, @Nullable String token, String path) throws IOException, InterruptedException {
        HttpRequest.Builder request = HttpRequest.newBuilder(
                URI.create(endpoint().path("management").path(service).asString() + path));
        if (token != null) {
            request.header("Authorization", "Bearer " + token);
        }
        HttpResponse<String> response = http.send(request.build(), HttpResponse.BodyHandlers.ofString());
        return new Answer(response.statusCode(), response.body());
    }

    record Answer(int status, String body) {

        JsonNode json() {
            return JSON.readTree(body);
        }

        String text(String field) {
            return json().path(field).asString("");
        }
    }

    /** What a person does who has looked at what a project brings for agents (P6). */
    void trust(Path project) throws IOException, InterruptedException {
        String person = personToken();
        Answer shown = call("gateway", person, "GET", "/v1/trust/project?directory=" + project, null);
        assertThat(shown.status()).as(shown.body()).isEqualTo(200);
        Map<String, String> seen = Map.of("directory", shown.text("directory"), "digest", shown.text("digest"));
        Answer answer = call("gateway", person, "POST", "/v1/trust", seen);
        assertThat(answer.status()).as(answer.body()).isEqualTo(201);
    }

    /** Spawns and returns the child's id. */
    String spawn(Map<String, ?> request) throws IOException, InterruptedException {
        Answer answer = gateway("POST", "/v1/children", request);
        assertThat(answer.status()).as(answer.body()).isEqualTo(202);
        return answer.text("id");
    }

    JsonNode child(String id) {
        try {
            return gateway("GET", "/v1/children/" + id, null).json();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new AssertionError("interrupted", e);
        }
    }

    JsonNode awaitChild(String id, Predicate<JsonNode> condition) {
        AtomicReference<JsonNode> last = new AtomicReference<>();
        await(
                "child " + id,
                () -> {
                    last.set(child(id));
                    return condition.test(last.get());
                },
                () -> last.get() + "\n" + log());
        return last.get();
    }

    JsonNode awaitState(String id, String state) {
        return awaitChild(id, child -> state.equals(child.path("state").asString("")));
    }

    JsonNode awaitEnd(String id) {
        return awaitChild(id, child -> !child.path("endedAt").asString("").isEmpty());
    }

    /** All events so far, oldest first. */
    String events(String id) throws IOException, InterruptedException {
        return gateway("GET", "/v1/children/" + id + "/events?follow=false", null)
                .body();
    }

    /** The pending ask of a child, once there is one. */
    JsonNode awaitAsk(String child) {
        await(
                "an ask of " + child,
                () -> !pendingAsks(child).isEmpty(),
                () -> child(child).toString());
        return pendingAsks(child).getFirst();
    }

    List<JsonNode> pendingAsks(String child) {
        try {
            return permissions(personToken(), "GET", "/v1/asks?state=pending", null)
                    .json()
                    .path("asks")
                    .valueStream()
                    .filter(ask -> child.equals(ask.path("child").asString("")))
                    .toList();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new AssertionError("interrupted", e);
        }
    }

    static void await(String what, Supplier<Boolean> condition) {
        await(what, condition, () -> "");
    }

    static void await(String what, Supplier<Boolean> condition, Supplier<String> state) {
        Instant deadline = Instant.now().plus(PATIENCE);
        while (!condition.get()) {
            if (Instant.now().isAfter(deadline)) {
                throw new AssertionError("waited in vain for " + what + ": " + state.get());
            }
            LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(100));
        }
    }

    private static String read(Path file) {
        try {
            return Files.exists(file) ? Files.readString(file) : "";
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Ends it in good order, so that it takes its database with it. */
    @Override
    public void close() {
        process.destroy();
        try {
            process.onExit().get(30, TimeUnit.SECONDS);
        } catch (TimeoutException e) {
            process.destroyForcibly().onExit().join();
        } catch (ExecutionException e) {
            throw new AssertionError(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
