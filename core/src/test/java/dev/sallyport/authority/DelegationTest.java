package dev.sallyport.authority;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sallyport.agentfile.SubagentPermission;
import java.util.List;
import org.junit.jupiter.api.Test;

class DelegationTest {

    @Test
    void aChildAtTheDepthCapHasNobodyToDelegateTo() {
        assertThat(at(1, SubagentPermission.all()).mayStart("reviewer")).isTrue();
        assertThat(at(2, SubagentPermission.all()).mayDelegate()).isFalse();
        assertThat(at(2, SubagentPermission.all()).mayStart("reviewer")).isFalse();
    }

    @Test
    void aListIsAListWhateverTheCase() {
        SubagentPermission only = new SubagentPermission.Only(List.of("Reviewer"));

        assertThat(at(1, only).mayStart("reviewer")).isTrue();
        assertThat(at(1, only).mayStart("writer")).isFalse();
        assertThat(at(1, SubagentPermission.none()).mayDelegate()).isFalse();
    }

    @Test
    void theMeetOfTwoListsIsInBoth() {
        SubagentPermission one = new SubagentPermission.Only(List.of("a", "B", "b", "c"));
        SubagentPermission other = new SubagentPermission.Only(List.of("b", "a"));

        assertThat(one.meet(other)).isEqualTo(new SubagentPermission.Only(List.of("a", "B")));
        assertThat(SubagentPermission.all().meet(one)).isEqualTo(one);
        assertThat(SubagentPermission.all().atMost(one)).isFalse();
        assertThat(SubagentPermission.none().atMost(one)).isTrue();
    }

    private static Delegation at(int depth, SubagentPermission agents) {
        return new Delegation(agents, depth, 2, 10, false);
    }
}
