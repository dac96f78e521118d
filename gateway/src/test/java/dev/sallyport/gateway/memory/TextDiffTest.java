package dev.sallyport.gateway.memory;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

class TextDiffTest {

    private static String diff(Map<String, String> from, Map<String, String> to) throws MemoryRefusedException {
        return TextDiff.of(MemoryFiles.checked(from), MemoryFiles.checked(to));
    }

    private static String numbers(int from, int to) {
        return IntStream.range(from, to).mapToObj(i -> i + "\n").collect(Collectors.joining());
    }

    @Test
    void showsWhatCameWentAndChanged() throws Exception {
        assertThat(diff(Map.of("a", "one\ntwo\nthree\n", "gone", "x\n"), Map.of("a", "one\n2\nthree\n", "new", "y")))
                .isEqualTo("""
                        --- a/a
                        +++ b/a
                        @@ -1,3 +1,3 @@
                         one
                        -two
                        +2
                         three
                        --- a/gone
                        +++ /dev/null
                        @@ -1,1 +0,0 @@
                        -x
                        --- /dev/null
                        +++ b/new
                        @@ -0,0 +1,1 @@
                        +y
                        \\ No newline at end of file
                        """);
    }

    @Test
    void showsThreeLinesAround() throws Exception {
        String before = numbers(0, 30);
        String after = before.replace("5\n6\n", "5\nfive\n6\n").replace("27\n", "");

        assertThat(diff(Map.of("a", before), Map.of("a", after))).isEqualTo("""
                        --- a/a
                        +++ b/a
                        @@ -4,6 +4,7 @@
                         3
                         4
                         5
                        +five
                         6
                         7
                         8
                        @@ -25,6 +26,5 @@
                         24
                         25
                         26
                        -27
                         28
                         29
                        """);
    }

    @Test
    void nothingIsNoDifference() throws Exception {
        assertThat(diff(Map.of("a", "x"), Map.of("a", "x"))).isEmpty();
    }

    /** Lines that take a day to compare each with each. */
    @Test
    @Timeout(20)
    void ofTooMuchEverythingIsShown() throws Exception {
        String before = "a\n\n".repeat(40_000);
        String after = "b\n\n".repeat(40_000);

        String diff = diff(Map.of("a", before), Map.of("a", after));

        assertThat(diff.lines().limit(4)).containsExactly("--- a/a", "+++ b/a", "@@ -1,80000 +1,80000 @@", "-a");
        assertThat(diff.lines().filter("+b"::equals)).hasSize(40_000);
    }
}
