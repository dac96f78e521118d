package dev.sallyport.runner.harness;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class CommandHarnessTest {

    /** Scraps of what comes later would read as if they followed on. */
    @Test
    void whatIsReportedEndsWhereTheFirstPieceDoesNotFit() {
        CommandHarness.OutputBudget budget = new CommandHarness.OutputBudget();

        assertThat(budget.spend((8 << 20) - 1)).isTrue();
        assertThat(budget.spend(2)).isFalse();
        assertThat(budget.spend(1)).isFalse();

        assertThat(budget.unsaid()).isEqualTo(3);
    }
}
