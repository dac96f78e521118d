package dev.sallyport.runner.door;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.time.Duration;
import org.junit.jupiter.api.Test;

class PatienceTest {

    private static int failuresUntilLost(Patience patience) throws InterruptedException {
        for (int failures = 1; ; failures++) {
            try {
                patience.failed(new IOException("away"));
            } catch (DoorLostException e) {
                return failures;
            }
        }
    }

    @Test
    void waitsLongerAfterEachFailure() throws Exception {
        // After 0, 50, 150, 350 and 750 ms; all of them 50 ms apart would be more than ten.
        assertThat(failuresUntilLost(new Patience(Duration.ofMillis(600)))).isLessThanOrEqualTo(5);
    }

    @Test
    void aSuccessEndsTheRow() throws Exception {
        Patience patience = new Patience(Duration.ofMillis(500));
        for (int i = 0; i < 3; i++) {
            patience.failed(new IOException("away"));
        }

        patience.succeeded();

        // Had the next pause been the fourth of a row, there would be time for two.
        assertThat(failuresUntilLost(patience)).isGreaterThan(3);
    }

    @Test
    void waitsNeverForLong() {
        Duration pause = Duration.ofMillis(50);
        for (int i = 0; i < 50; i++) {
            Duration longer = Patience.after(pause);
            assertThat(longer).isBetween(pause, Duration.ofSeconds(3));
            pause = longer;
        }
    }
}
