package dev.sallyport.runner.tool;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;

class TailTest {

    private static String tail(OutputLimit limit, String... pieces) {
        Tail tail = new Tail(limit);
        for (String piece : pieces) {
            byte[] bytes = piece.getBytes(StandardCharsets.UTF_8);
            tail.add(bytes, bytes.length);
        }
        return tail.toString();
    }

    @Test
    void beginsWithAWholeLine() {
        assertThat(tail(new OutputLimit(10, 12), "first\nsec", "ond\nthird\n"))
                .isEqualTo("[13 bytes cut here]\nthird\n");
    }

    @Test
    void beginsWithAWholeCharacterWhereThereIsNoLine() {
        assertThat(tail(new OutputLimit(10, 5), "aääää")).isEqualTo("[5 bytes cut here]\nää");
        assertThat(tail(new OutputLimit(10, 5), "aääx\n")).isEqualTo("[3 bytes cut here]\näx\n");
    }

    @Test
    void keepsTheLastLinesOnly() {
        assertThat(tail(new OutputLimit(2, 100), "a\nb\nc\n")).isEqualTo("[2 bytes cut here]\nb\nc\n");
        assertThat(tail(new OutputLimit(2, 100), "a\nb")).isEqualTo("a\nb");
    }
}
