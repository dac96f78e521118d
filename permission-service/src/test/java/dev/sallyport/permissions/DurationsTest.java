package dev.sallyport.permissions;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import dev.sallyport.permissions.PermissionProperties.AskTimeout;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class DurationsTest {

    @Test
    void readsWhatPeopleWrite() {
        assertThat(Durations.parse("15m")).isEqualTo(Duration.ofMinutes(15));
        assertThat(Durations.parse("PT15M")).isEqualTo(Duration.ofMinutes(15));
        assertThat(Durations.parseWait("25s")).isEqualTo(Duration.ofSeconds(25));
        assertThat(AskTimeout.valueOf("never").after()).isNull();
        assertThat(AskTimeout.valueOf("10m").after()).isEqualTo(Duration.ofMinutes(10));
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "25", "soon", "-1s", "61s", "PT2M", "99999999999999999999s"})
    void refusesAWaitThatIsNone(String wait) {
        assertThatIllegalArgumentException().isThrownBy(() -> Durations.parseWait(wait));
    }

    @ParameterizedTest
    @ValueSource(strings = {"0s", "-1m", "Never"})
    void refusesATimeoutThatWouldEndAtOnce(String timeout) {
        assertThatIllegalArgumentException().isThrownBy(() -> AskTimeout.valueOf(timeout));
    }
}
