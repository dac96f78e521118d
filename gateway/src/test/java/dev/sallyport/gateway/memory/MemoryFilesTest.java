package dev.sallyport.gateway.memory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What a hostile child may send as its memory. */
class MemoryFilesTest {

    private static String refusal(Map<String, String> texts) {
        try {
            MemoryFiles.checked(texts);
        } catch (MemoryRefusedException e) {
            return e.code() + ": " + e.getMessage();
        }
        throw new AssertionError("not refused");
    }

    @ParameterizedTest
    @ValueSource(strings = {"MEMORY.md", "a", "topics/x.md", "a/b/c/d", "9..x", "a."})
    void takesSimpleNames(String name) throws Exception {
        assertThat(MemoryFiles.checked(Map.of(name, "x")).text(name)).isEqualTo("x");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "/etc/passwd",
                "../x",
                "a/../../x",
                "a/./b",
                "a//b",
                "a/",
                ".hidden",
                "a/.git",
                "a b",
                "ä",
                "a\nb",
                "a\0b",
                "a\\b",
                "a/b/c/d/e",
                "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
            })
    void refusesOthers(String name) {
        assertThat(refusal(Map.of(name, "x"))).startsWith("memory-name: file `");
    }

    @Test
    void refusesAFileInAFile() {
        assertThat(refusal(Map.of("a", "x", "a/b", "y"))).isEqualTo("memory-name: file `a/b` lies in another file");
    }

    @Test
    void refusesWhatIsNoText() {
        assertThat(refusal(Map.of("a", "x\0y"))).isEqualTo("memory-not-text: file `a` has a NUL in it");
        assertThat(refusal(Map.of("a", "x\ud800y"))).isEqualTo("memory-not-text: file `a` is not UTF-8");
    }

    @Test
    void refusesMoreThanIsKept() throws Exception {
        Map<String, String> many = new TreeMap<>();
        for (int i = 0; i <= MemoryFiles.MOST; i++) {
            many.put("f" + i, "");
        }
        String half = "ä".repeat(MemoryFiles.LARGEST / 4 - 1);

        assertThat(refusal(many)).isEqualTo("memory-too-large: memory: 101 files (expected: at most 100)");
        assertThat(MemoryFiles.checked(Map.of("a", half, "b", half)).bytes()).isEqualTo(MemoryFiles.LARGEST - 2);
        assertThat(refusal(Map.of("a", half, "b", half + "123")))
                .isEqualTo("memory-too-large: memory: 262145 bytes (expected: at most 262144)");
    }

    /** Each child after it pays for the index. */
    @Test
    void refusesALongIndex() throws Exception {
        String most = "x".repeat(MemoryFiles.LARGEST_INDEX);

        assertThat(MemoryFiles.checked(Map.of("MEMORY.md", most)).texts()).hasSize(1);
        assertThat(refusal(Map.of("MEMORY.md", most + "x")))
                .isEqualTo("memory-too-large: memory: MEMORY.md: 32769 bytes (expected: at most 32768)");
        assertThat(MemoryFiles.checked(Map.of("other.md", most + "x")).texts()).hasSize(1);
    }

    @Test
    void cannotBeChanged() throws Exception {
        MemoryFiles files = MemoryFiles.checked(Map.of("a", "x"));

        assertThatThrownBy(() -> files.texts().put("b", "y")).isInstanceOf(UnsupportedOperationException.class);
    }

    @Test
    void putsNothingTogetherThatWouldBeTooMuch() throws Exception {
        String half = "x".repeat(MemoryFiles.LARGEST / 2);

        assertThat(MemoryFiles.merged(
                        MemoryFiles.NONE,
                        MemoryFiles.checked(Map.of("a", half)),
                        MemoryFiles.checked(Map.of("b", half))))
                .isEmpty();
    }
}
