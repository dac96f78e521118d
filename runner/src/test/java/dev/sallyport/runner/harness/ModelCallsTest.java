package dev.sallyport.runner.harness;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sallyport.runner.door.Door;
import dev.sallyport.runner.door.FakeDoor;
import dev.sallyport.runner.door.Outbox;
import dev.sallyport.runner.door.RawDoor;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** How long a model that fails is left alone. */
@Timeout(30)
class ModelCallsTest {

    private static final String BUSY = "HTTP/1.1 429 Busy\r\n%sContent-Length: 2\r\n\r\n{}";
    private static final String ANSWER = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}";

    @TempDir
    Path directory;

    private Duration called(Duration firstPause, String... answers) throws Exception {
        Path socket = directory.resolve("model.sock");
        try (FakeDoor gateway = new FakeDoor(directory);
                Outbox outbox = new Outbox(new Door(gateway.socket(), Duration.ofSeconds(10)), 1 << 16);
                RawDoor _ = new RawDoor(socket, answers)) {
            long start = System.nanoTime();

            assertThat(new ModelCalls(new Door(socket, Duration.ofSeconds(10)), outbox, firstPause)
                            .call("/model/p", () -> new byte[0]))
                    .isNotNull();

            return Duration.ofNanos(System.nanoTime() - start);
        }
    }

    @Test
    void asLongAsItSays() throws Exception {
        String busy = BUSY.formatted("Retry-After: 1\r\n");

        assertThat(called(Duration.ofHours(1), busy, ANSWER)).isGreaterThanOrEqualTo(Duration.ofSeconds(1));
    }

    @Test
    void longerAfterEachFailure() throws Exception {
        String busy = BUSY.formatted("");

        assertThat(called(Duration.ofMillis(100), busy, busy, busy, ANSWER))
                .isGreaterThanOrEqualTo(Duration.ofMillis(700));
    }
}
