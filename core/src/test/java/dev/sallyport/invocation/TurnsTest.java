package dev.sallyport.invocation;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** authority.md 11.6. */
class TurnsTest {

    @ParameterizedTest
    @CsvSource(
            nullValues = "-",
            value = {
                "3,2,5,3,5",
                "3,2,4,3,-",
                "3,5,3,3,-",
                "2.5,1,3,3,-",
                "2.5,1,4,3,4",
                "1,1,2,1,2",
                "-,5,100,-,-",
                "0,5,100,-,-",
                "-1,1,2,1,2",
                "0.5,0,2,1,2"
            })
    void asksFirstAndStopsAfterTheGrace(
            @Nullable Double limit, double grace, int turns, @Nullable Integer wrapUp, @Nullable Integer stop) {
        Turns run = Turns.of(limit, grace);
        List<Integer> wrapUps = new ArrayList<>();
        List<Integer> stops = new ArrayList<>();
        for (int turn = 1; turn <= turns; turn++) {
            run = run.turnEnded();
            switch (run.verdict()) {
                case GO_ON -> {}
                case WRAP_UP -> wrapUps.add(turn);
                case STOP -> stops.add(turn);
            }
        }

        assertThat(wrapUps).isEqualTo(wrapUp == null ? List.of() : List.of(wrapUp));
        assertThat(stops).isEqualTo(stop == null ? List.of() : List.of(stop));
    }
}
