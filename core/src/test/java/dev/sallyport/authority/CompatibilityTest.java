package dev.sallyport.authority;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import org.junit.jupiter.api.Test;

class CompatibilityTest {

    @Test
    void everythingIsSafeUntilItIsNamed() {
        assertThat(Compatibility.parse(List.of())).isEqualTo(Compatibility.NONE);
        assertThat(Compatibility.Switch.values()).noneMatch(Compatibility.NONE::has);
    }

    @Test
    void readsWhatItWritesInAnyOrder() {
        Compatibility read = Compatibility.parse(List.of("follow-links", "any-agent-name", "follow-links"));

        assertThat(read.names()).containsExactly("any-agent-name", "follow-links");
        assertThat(Compatibility.parse(Compatibility.ALL.names())).isEqualTo(Compatibility.ALL);
    }

    @Test
    void refusesAnUnknownNameWithTheNearestOne() {
        assertThatThrownBy(() -> Compatibility.parse(List.of("follow-link")))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("compatibility: unknown switch `follow-link` (nearest: `follow-links`)");
        assertThatThrownBy(() -> Compatibility.parse(List.of("Any-Agent-Name"))).hasMessageContaining("unknown switch");
    }
}
