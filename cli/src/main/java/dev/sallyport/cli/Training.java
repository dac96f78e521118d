package dev.sallyport.cli;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.util.Map;

/**
 * The run that an AOT cache of the command line is made from ({@code -XX:AOTCacheOutput}): {@code ps} and, for what the other verbs share,
 * one that goes through picocli, both against an answer made up here, so that nothing need run.
 */
public final class Training {

    private static final String CHILD = "aaaaaaaaaaaaaaaa";

    private static final Json ONE = Json.object(
            "id", CHILD,
            "agent", "reviewer",
            "state", "completed",
            "reason", "exited",
            "model", "scripted/demo",
            "scripted", true,
            "createdAt", "2026-01-01T00:00:00Z",
            "usage", Json.object("modelCalls", 2, "inputTokens", 1200, "outputTokens", 300),
            "description", "look at it");

    private Training() {}

    public static void main(String[] args) throws IOException {
        Path home = Files.createTempDirectory("sallyport-training");
        try (ServerSocket server = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            Thread.ofPlatform().daemon().start(() -> serve(server));
            String address = "http://127.0.0.1:" + server.getLocalPort();
            Files.writeString(
                    home.resolve("endpoint.json"),
                    Json.object("gateway", address, "permissions", address).write());
            Files.writeString(home.resolve("session.token"), "none");
            Environment environment = new Environment(
                    Map.of("SALLYPORT_HOME", home.toString()),
                    home,
                    System.in,
                    System.out,
                    System.err,
                    new ProcessTerminal(),
                    Clock.systemUTC());
            if (Main.run(environment, "ps") + Main.run(environment, "inspect", CHILD, "-o", "json") != ExitCode.OK) {
                throw new IllegalStateException("the training run failed");
            }
        } finally {
            Files.deleteIfExists(home.resolve("endpoint.json"));
            Files.deleteIfExists(home.resolve("session.token"));
            Files.deleteIfExists(home);
        }
    }

    private static void serve(ServerSocket server) {
        while (true) {
            try (Socket socket = server.accept()) {
                BufferedReader request = new BufferedReader(new InputStreamReader(socket.getInputStream(), UTF_8));
                String first = String.valueOf(request.readLine());
                while (!String.valueOf(request.readLine()).isEmpty()) {
                    // the headers
                }
                Json answer = first.contains(CHILD) ? ONE : Json.object("children", java.util.List.of(ONE.asMap()));
                String body = answer.write();
                OutputStream out = socket.getOutputStream();
                out.write(("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n" + Integer.toHexString(body.length())
                                + "\r\n" + body + "\r\n0\r\n\r\n")
                        .getBytes(UTF_8));
            } catch (IOException e) {
                return;
            }
        }
    }
}
