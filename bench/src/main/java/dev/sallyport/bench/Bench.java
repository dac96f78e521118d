package dev.sallyport.bench;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * Measures one running installation and prints ratios. What is compared runs in turn in the same minute on the same
 * machine, so that a busy machine slows both sides.
 */
public final class Bench {

    private static final JsonMapper JSON = new JsonMapper();
    private static final int STARTS = 12;
    private static final int CALLS = 2_000;
    private static final int WARM_UP = 500;

    private final HttpClient http = HttpClient.newHttpClient();
    private final Path launcher;
    private final URI gateway;
    private final String token;
    private final long standalone;

    private Bench(Path launcher, Path home) throws IOException {
        this.launcher = launcher;
        JsonNode endpoint = JSON.readTree(Files.readString(home.resolve("endpoint.json")));
        this.gateway = URI.create(endpoint.get("gateway").asString());
        this.standalone = endpoint.get("pid").asLong();
        this.token = Files.readString(home.resolve("session.token"));
    }

    /** Expects the launcher and the data directory of a running installation. */
    public static void main(String[] arguments) throws Exception {
        Bench bench = new Bench(Path.of(arguments[0]), Path.of(arguments[1]));
        System.out.printf("%-52s %8s %8s%n", "ratio", "measured", "at most");
        bench.coldSpawn();
        bench.authorize();
        bench.commandLine();
        System.out.printf("%n%-52s %8s %8s%n", "MiB", "measured", "at most");
        bench.idleRunner();
        bench.standalone();
    }

    private void coldSpawn() throws Exception {
        long[] ours = new long[STARTS];
        long[] bare = new long[STARTS];
        String image = text("docker", "image", "inspect", "--format", "{{.Id}}", "sallyport/runner:dev");
        for (int i = -2; i < STARTS; i++) {
            long bareRun = Sample.nanos(
                    () -> text("docker", "run", "--rm", "--network", "none", "--entrypoint", "true", image));
            String[] child = new String[1];
            long spawned = Sample.nanos(() -> {
                child[0] = spawn(Map.of("model", "scripted/bench", "prompt", "go"));
                awaitEvent(child[0], "tool-call");
            });
            awaitEvent(child[0], "ended");
            if (i >= 0) {
                bare[i] = bareRun;
                ours[i] = spawned;
            }
        }
        ratio("cold spawn to first tool call / docker run true, p50", ours, bare, 0.5, 2.5);
    }

    private void authorize() throws Exception {
        String child = spawn(Map.of("harness", "command", "command", List.of("sleep", "600")));
        awaitEvent(child, "started");
        try (DoorConnection door = new DoorConnection(doorOf(child))) {
            long[] authorized = new long[CALLS];
            long[] committed = new long[CALLS];
            for (int i = -WARM_UP; i < CALLS; i++) {
                int n = i;
                long authorize = Sample.nanos(() -> require(
                        door.post(
                                "/v1/authorize",
                                "{\"callId\":\"bench-%d\",\"tool\":\"bash\",\"arguments\":{\"command\":\"true\"},\"directory\":\"/workspace\"}"
                                        .formatted(n + WARM_UP)),
                        "allowed"));
                long commit = Sample.nanos(() -> require(
                        door.post(
                                "/v1/events",
                                "{\"events\":[{\"n\":%d,\"type\":\"turn\",\"data\":{\"n\":1}}]}"
                                        .formatted(1_000_000 + n + WARM_UP)),
                        "acknowledged"));
                if (i >= 0) {
                    authorized[i] = authorize;
                    committed[i] = commit;
                }
            }
            ratio("authorize / request that commits a row, p50", authorized, committed, 0.5, 4);
            ratio("authorize / request that commits a row, p99", authorized, committed, 0.99, 6);
        } finally {
            post("/v1/children/" + child + "/cancel", "{}");
        }
    }

    private void commandLine() throws Exception {
        long[] ps = new long[STARTS];
        long[] java = new long[STARTS];
        String javaCommand = ProcessHandle.current().info().command().orElseThrow();
        for (int i = -1; i < STARTS; i++) {
            long version = Sample.nanos(() -> text(javaCommand, "-version"));
            long listed = Sample.nanos(() -> text(launcher.toString(), "ps"));
            if (i >= 0) {
                java[i] = version;
                ps[i] = listed;
            }
        }
        ratio("sallyport ps / java -version, p50", ps, java, 0.5, 6);
    }

    private void idleRunner() throws Exception {
        String child = spawn(Map.of("harness", "command", "command", List.of("sleep", "600")));
        awaitEvent(child, "started");
        String container = text("docker", "ps", "-q", "--filter", "label=dev.sallyport.child=" + child);
        for (String line :
                text("docker", "top", container, "-eo", "pid,comm").lines().toList()) {
            if (line.trim().endsWith(" java")) {
                long pid = Long.parseLong(line.trim().split(" ", 2)[0]);
                System.out.printf("%-52s %8.1f %8d%n", "idle runner, resident", memory(pid, "Rss:"), 96);
                System.out.printf("%-52s %8.1f %8d%n", "idle runner, anonymous", memory(pid, "Anonymous:"), 64);
            }
        }
        post("/v1/children/" + child + "/cancel", "{}");
    }

    private void standalone() throws IOException {
        System.out.printf("%-52s %8.1f %8s%n", "standalone, resident", memory(standalone, "Rss:"), "-");
    }

    private static double memory(long pid, String field) throws IOException {
        try (Stream<String> lines = Files.lines(Path.of("/proc/" + pid + "/smaps_rollup"))) {
            return lines.filter(line -> line.startsWith(field))
                            .mapToLong(line -> Long.parseLong(line.replaceAll("\\D", "")))
                            .sum()
                    / 1024.0;
        }
    }

    private static void ratio(String what, long[] measured, long[] base, double quantile, double most) {
        System.out.printf(
                "%-52s %8.2f %8.1f%n",
                what, Sample.of(measured).quantile(quantile) / Sample.of(base).quantile(quantile), most);
    }

    private String spawn(Map<String, ?> request) throws Exception {
        return post("/v1/children", JSON.writeValueAsString(request)).get("id").asString();
    }

    private JsonNode post(String path, String body) throws Exception {
        HttpResponse<String> response = http.send(
                request(path)
                        .header("Content-Type", "application/json")
                        .POST(HttpRequest.BodyPublishers.ofString(body))
                        .build(),
                HttpResponse.BodyHandlers.ofString());
        if (response.statusCode() >= 300) {
            throw new IOException(path + ": " + response.statusCode() + " " + response.body());
        }
        return JSON.readTree(response.body().isEmpty() ? "{}" : response.body());
    }

    private void awaitEvent(String child, String type) throws Exception {
        HttpResponse<InputStream> response = http.send(
                request("/v1/children/" + child + "/events")
                        .header("Accept", "text/event-stream")
                        .build(),
                HttpResponse.BodyHandlers.ofInputStream());
        try (BufferedReader events =
                new BufferedReader(new InputStreamReader(response.body(), StandardCharsets.UTF_8))) {
            for (String line = events.readLine(); line != null; line = events.readLine()) {
                if (line.replace(" ", "").equals("event:" + type)) {
                    return;
                }
            }
        }
        if (!type.equals("ended")) {
            throw new IOException("child " + child + " ended without " + type);
        }
    }

    private HttpRequest.Builder request(String path) {
        return HttpRequest.newBuilder(gateway.resolve(path)).header("Authorization", "Bearer " + token);
    }

    private static Path doorOf(String child) throws IOException {
        try (Stream<Path> doors = Files.find(
                Path.of("/run/sallyport"), 3, (path, attributes) -> path.endsWith(Path.of(child, "door.sock")))) {
            return doors.findFirst().orElseThrow(() -> new IOException("no door of child " + child));
        }
    }

    private static void require(String answer, String word) throws IOException {
        if (!answer.contains(word)) {
            throw new IOException("unexpected answer: " + answer);
        }
    }

    private static String text(String... command) throws IOException {
        Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8).trim();
        try {
            if (process.waitFor() != 0) {
                throw new IOException(String.join(" ", command) + ": " + output);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException("interrupted", e);
        }
        return output;
    }
}
