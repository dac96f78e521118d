package dev.sallyport.standalone;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;

/** Both services killed at the worst moments, and what is there when they come back. */
class KillIT {

    @TempDir
    private Path temporary;

    private Installation sallyport;

    @BeforeEach
    void start() throws IOException {
        sallyport = Installation.in(temporary, Map.of());
    }

    @AfterEach
    void stop() {
        sallyport.close();
    }

    @Test
    void aWaitingChildIsAnsweredAfterAKillAndRunsNothingTwice() throws Exception {
        Repository repository = Repository.copyOf(
                Installation.EXAMPLES.resolve("slugify"), Files.createDirectory(temporary.resolve("work/repository")));
        // Each run of the test leaves a line in the clone, so that a second one would show.
        Files.writeString(
                repository.directory().resolve("test.sh"),
                Files.readString(repository.directory().resolve("test.sh"))
                        .replace("failed=0", "failed=0; echo run >> runs"));
        repository.commitAll();
        sallyport.trust(repository.directory());
        String child;
        String ask;
        Approver before = Approver.listening(sallyport);
        try {
            child = sallyport.spawn(
                    Map.of("agent", "fixer", "directory", repository.directory().toString(), "prompt", "mend it"));
            ask = sallyport.awaitAsk(child).path("id").asString();
            sallyport.awaitState(child, "waiting");

            sallyport.kill();
        } finally {
            before.close();
        }

        sallyport.startAgain();
        try (Approver after = Approver.listening(sallyport)) {
            JsonNode again = sallyport.awaitAsk(child);
            assertThat(again.path("id").asString()).isEqualTo(ask);
            assertThat(after.answer(again, "approved").status()).isEqualTo(200);
            JsonNode ended = after.approveUntilEnded(child);

            assertThat(ended.path("state").asString())
                    .as(sallyport.events(child))
                    .isEqualTo("completed");
            assertThat(repository.git("show", "pi-agent-" + child + ":runs")).isEqualTo("run\nrun");
            assertThat(Engine.inspectAll(child)).isEmpty();
        }
    }

    @Test
    void whatRunsOnIsAdoptedAndWhatEndedMeanwhileIsFinished() throws Exception {
        String runsOn =
                sallyport.spawn(Map.of("harness", "command", "command", List.of("sh", "-c", "echo up; sleep 300")));
        String ends = sallyport.spawn(
                Map.of("harness", "command", "command", List.of("sh", "-c", "echo up; sleep 2; exit 3")));
        sallyport.awaitState(runsOn, "running");
        sallyport.awaitState(ends, "running");

        sallyport.kill();
        sallyport.startAgain();

        JsonNode ended = sallyport.awaitEnd(ends);
        assertThat(ended.path("state").asString()).isEqualTo("failed");
        assertThat(ended.path("exitCode").asInt()).isEqualTo(3);
        assertThat(sallyport.child(runsOn).path("state").asString()).isEqualTo("running");
        sallyport.gateway("POST", "/v1/children/" + runsOn + "/cancel", Map.of());
        sallyport.awaitState(runsOn, "cancelled");
        Installation.await(
                "its container to be gone", () -> Engine.inspectAll(runsOn).isEmpty());
    }

    @Test
    void aStopEndsTheServicesBeforeTheirDatabase() {
        sallyport.close();

        assertThat(sallyport.log()).contains("received fast shutdown request").doesNotContain("marked as broken");
    }
}
