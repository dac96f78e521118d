package dev.sallyport.memory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** authority.md 9 beside its cases. */
class MemoryIndexTest {

    @TempDir
    private Path root;

    @Test
    void tellsAReaderNothingOfWhereItIsStored() {
        String block = MemoryIndex.readOnly(MemoryScope.USER, null);

        assertThat(block)
                .startsWith("# Agent Memory (read-only)\nMemory scope: user\n")
                .doesNotContain("/");
    }

    @Test
    void tellsAWriterWhereAndHow() {
        String block = MemoryIndex.readWrite("/memory/x", MemoryScope.LOCAL, "");

        assertThat(block)
                .startsWith("# Agent Memory\nYour memory is the directory /memory/x/\nMemory scope: local\n")
                .contains("create /memory/x/MEMORY.md when", "\n\n## Memory Instructions\n")
                .doesNotContain("## Current MEMORY.md");
    }

    @Test
    void showsTextOfTheIndexAsItIs() {
        assertThat(MemoryIndex.readOnly(MemoryScope.USER, "100% of %s")).endsWith("## Current MEMORY.md\n100% of %s");
    }

    @Test
    void anAgentThatIsDeniedEveryWriterOnlyReads() {
        assertThat(MemoryAccess.of(List.of("read", "write"), List.of("write"))).isEqualTo(MemoryAccess.READ_ONLY);
        assertThat(MemoryAccess.of(List.of("edit"), List.of("write"))).isEqualTo(MemoryAccess.READ_WRITE);
    }

    @Test
    void anIndexWithoutEndIsNone() throws IOException {
        Files.writeString(root.resolve("MEMORY.md"), "x".repeat(MemoryDirectory.MAX_INDEX_BYTES + 1));

        assertThat(new MemoryDirectory(root).index()).isEmpty();
    }

    @Test
    void anIndexThatIsALinkIsNone() throws IOException {
        Files.writeString(root.resolve("secret"), "SECRET");
        Files.createSymbolicLink(root.resolve("MEMORY.md"), root.resolve("secret"));

        assertThat(new MemoryDirectory(root).index()).isEmpty();
    }

    @Test
    void refusesANameThatIsNoDirectory() {
        assertThatThrownBy(() -> MemoryDirectory.of(MemoryScope.USER, "Code Reviewer", root, root, root))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("memory of agent `Code Reviewer`");
    }
}
