package dev.sallyport.gateway.child;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class RateTest {

    private final AtomicLong nanos = new AtomicLong();
    private final Rate rate = new Rate(10, Duration.ofSeconds(1), nanos::get);

    @Test
    void letsASecondsWorthThroughAtOnce() {
        assertThat(rate.take(10)).isEqualTo(Duration.ZERO);
    }

    @Test
    void makesTheRestWait() {
        rate.take(10);

        assertThat(rate.take(5)).isEqualTo(Duration.ofMillis(500));
        assertThat(rate.take(5)).isEqualTo(Duration.ofSeconds(1));
    }

    @Test
    void forgivesWithTime() {
        rate.take(10);
        nanos.addAndGet(Duration.ofMillis(300).toNanos());

        assertThat(rate.take(3)).isEqualTo(Duration.ZERO);
        assertThat(rate.tryTake()).isEqualTo(Duration.ofMillis(100));
    }

    @Test
    void doesNotSaveUpMoreThanASecond() {
        nanos.addAndGet(Duration.ofHours(1).toNanos());

        assertThat(rate.take(10)).isEqualTo(Duration.ZERO);
        assertThat(rate.tryTake()).isEqualTo(Duration.ofMillis(100));
    }
}
