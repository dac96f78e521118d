package dev.sallyport.containment;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class WorkspaceAccessTest {

    @ParameterizedTest
    @EnumSource
    void meetsAtTheGreatestThatBothAllow(WorkspaceAccess one) {
        for (WorkspaceAccess other : WorkspaceAccess.values()) {
            WorkspaceAccess met = one.meet(other);

            assertThat(met.atMost(one)).isTrue();
            assertThat(met.atMost(other)).isTrue();
            assertThat(met).isEqualTo(other.meet(one));
            for (WorkspaceAccess below : WorkspaceAccess.values()) {
                if (below.atMost(one) && below.atMost(other)) {
                    assertThat(below.atMost(met)).isTrue();
                }
            }
        }
    }
}
