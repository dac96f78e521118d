package dev.sallyport.standalone;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;

/** An engine of this test's own, which may therefore be stopped. */
class EngineStopsIT {

    @TempDir
    private Path temporary;

    private Path socket;
    private Process engine;

    @BeforeEach
    void startEngine() throws Exception {
        socket = temporary.resolve("docker.sock");
        engine = launch();
        shell("docker save sallyport/runner:dev | docker -H unix://" + socket + " load");
    }

    @AfterEach
    void stopEngine() throws Exception {
        end(engine);
    }

    @Test
    void aChildWhoseEngineStopsHasAnEndAndTheNextOneRuns() throws Exception {
        Installation sallyport = Installation.in(temporary, Map.of("sallyport.docker.host", "unix://" + socket));
        try {
            String child =
                    sallyport.spawn(Map.of("harness", "command", "command", List.of("sh", "-c", "echo up; sleep 600")));
            sallyport.awaitChild(child, c -> c.path("state").asString("").equals("running"));

            end(engine);
            engine = launch();

            JsonNode ended = sallyport.awaitEnd(child);
            assertThat(ended.path("state").asString()).isIn("failed", "lost");
            assertThat(ended.path("reason").asString()).isNotEmpty();
            assertThat(ended.path("message").asString()).isNotEmpty();
            String next = sallyport.spawn(Map.of("harness", "command", "command", List.of("true")));
            assertThat(sallyport.awaitEnd(next).path("state").asString()).isEqualTo("completed");
        } finally {
            sallyport.close();
        }
    }

    private Process launch() throws IOException {
        Process process = new ProcessBuilder(
                        "dockerd",
                        "--host=unix://" + socket,
                        "--data-root=" + temporary.resolve("data"),
                        "--exec-root=" + temporary.resolve("exec"),
                        "--pidfile=" + temporary.resolve("dockerd.pid"),
                        "--bridge=none",
                        "--iptables=false")
                .redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.appendTo(
                        temporary.resolve("dockerd.log").toFile()))
                .start();
        Installation.await("the engine", () -> {
            assertThat(process.isAlive()).as("dockerd").isTrue();
            return Files.exists(socket) && succeeds("docker", "-H", "unix://" + socket, "version");
        });
        return process;
    }

    private static void end(Process process) throws InterruptedException {
        process.destroy();
        if (!process.waitFor(60, TimeUnit.SECONDS)) {
            process.destroyForcibly().waitFor();
        }
    }

    private static void shell(String script) {
        assertThat(succeeds("bash", "-o", "pipefail", "-c", script)).as(script).isTrue();
    }

    private static boolean succeeds(String... command) {
        try {
            return new ProcessBuilder(command)
                            .redirectErrorStream(true)
                            .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                            .start()
                            .waitFor()
                    == 0;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new AssertionError("interrupted", e);
        }
    }
}
