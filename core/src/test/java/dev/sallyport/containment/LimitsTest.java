package dev.sallyport.containment;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class LimitsTest {

    @Test
    void readsWhatPeopleWrite() {
        var limits = Limits.Partial.parse(
                Map.of("cpu", "1.5", "memory", "512m", "pids", "64", "wall", "15m", "disk", "1.5g"));

        assertThat(limits).isEqualTo(new Limits.Partial(1500, 512L << 20, 64, Duration.ofMinutes(15), 3L << 29));
    }

    @ParameterizedTest
    @CsvSource({
        "cpu, 0",
        "cpu, -1",
        "cpu, 0.0001",
        "cpu, 1e3",
        "cpu, 0m",
        "cpu, NaN",
        "cpu, ''",
        "cpu, 99999",
        "memory, 0",
        "memory, -1g",
        "memory, 1p",
        "memory, 1 g",
        "memory, g",
        "memory, 999999999999t",
        "memory, 0.1",
        "pids, 0",
        "pids, 1.5",
        "pids, 9999999999",
        "pids, 0x10",
        "wall, 0s",
        "wall, -5m",
        "wall, 15",
        "wall, PT0S",
        "wall, PT-5M",
        "wall, soon",
        "disk, none",
        "gpu, 1",
        "Memory, 1g"
    })
    void refusesWhatIsNoLimit(String key, String value) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> Limits.Partial.parse(Map.of(key, value)))
                .withMessageContaining("expected");
    }

    @ParameterizedTest
    @CsvSource({"PT15M, 900", "90s, 90", "2h, 7200", "1d, 86400"})
    void readsTimes(String text, long seconds) {
        assertThat(Limits.parseDuration("wall", text)).hasSeconds(seconds);
    }

    @ParameterizedTest
    @CsvSource({"1024, 1k", "1073741824, 1g", "1536, 1536", "1572864, 1536k", "5497558138880, 5t"})
    void showsSizesAsTheyAreWritten(long bytes, String shown) {
        assertThat(Limits.showBytes(bytes)).isEqualTo(shown);
        assertThat(Limits.parseBytes("memory", shown)).isEqualTo(bytes);
    }

    @Test
    void meetsAtTheSmallerOfEach() {
        Limits one = new Limits(500, 10, 7, Duration.ofSeconds(5), 100);
        Limits other = new Limits(400, 20, 9, Duration.ofSeconds(4), 200);

        assertThat(one.meet(other)).isEqualTo(new Limits(400, 10, 7, Duration.ofSeconds(4), 100));
        assertThat(one.meet(other).atMost(one)).isTrue();
        assertThat(one.atMost(other)).isFalse();
    }
}
