package dev.sallyport.ask;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class AskStateTest {

    @ParameterizedTest
    @EnumSource
    void leavesOnlyPendingAndNeverComesBack(AskState from) {
        for (AskState to : AskState.values()) {
            assertThat(from.canBecome(to)).isEqualTo(from == AskState.PENDING && to != AskState.PENDING);
        }
        assertThat(AskState.parse(from.wire())).isEqualTo(from);
    }
}
