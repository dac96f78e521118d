package dev.sallyport.agentfile;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.FileTime;
import java.time.Instant;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A definition that is the same object was not read again. */
class ReadBeforeTest {

    @TempDir
    private Path home;

    private Path agents;
    private final AgentFiles files =
            new AgentFiles(AgentFiles.Leniency.NONE, () -> Instant.now().plusSeconds(60));

    @BeforeEach
    void agents() throws IOException {
        agents = Files.createDirectory(home.resolve("agents"));
        write("a.md", "first");
        write("b.md", "other");
    }

    @Test
    void whatIsUnchangedIsNotReadAgain() {
        AgentDefinition a = definition("a");

        assertThat(definition("a")).isSameAs(a);
    }

    @Test
    void aChangeOfOneFileIsSeenAndTheOthersStay() throws IOException {
        AgentDefinition a = definition("a");
        AgentDefinition b = definition("b");

        write("a.md", "again");

        assertThat(definition("a").systemPrompt()).isEqualTo("again");
        assertThat(definition("a")).isNotSameAs(a);
        assertThat(definition("b")).isSameAs(b);
    }

    /** Same size, same time of modification. */
    @Test
    void nobodyCanHideAChangeByTurningBackTheTime() throws IOException {
        FileTime then = Files.getLastModifiedTime(agents.resolve("a.md"));
        assertThat(definition("a").systemPrompt()).isEqualTo("first");

        write("a.md", "fIrst");
        Files.setLastModifiedTime(agents.resolve("a.md"), then);

        assertThat(definition("a").systemPrompt()).isEqualTo("fIrst");
    }

    @Test
    void anotherFileInItsPlaceIsSeen() throws IOException {
        write("elsewhere", "moved");
        assertThat(definition("a").systemPrompt()).isEqualTo("first");

        Files.move(agents.resolve("elsewhere"), agents.resolve("a.md"), StandardCopyOption.REPLACE_EXISTING);

        assertThat(definition("a").systemPrompt()).isEqualTo("moved");
    }

    @Test
    void filesThatComeAndGoAreSeen() throws IOException {
        load();

        write("c.md", "new");
        Files.delete(agents.resolve("a.md"));

        assertThat(load().enabledKey("c")).isPresent();
        assertThat(load().enabledKey("a")).isEmpty();
    }

    /** As many files as before, and one of them is another. */
    @Test
    void aRenamedFileIsSeen() throws IOException {
        load();

        Files.move(agents.resolve("a.md"), agents.resolve("c.md"));

        assertThat(load().enabledKey("c")).isPresent();
        assertThat(load().enabledKey("a")).isEmpty();
    }

    /** It may be changed again within one tick of the clock. */
    @Test
    void whatChangedJustNowIsNotRemembered() {
        AgentFiles now = new AgentFiles(AgentFiles.Leniency.NONE, Instant::now);
        AgentDefinition a = requireNonNull(now.load(home, null, false).definition("a"));

        assertThat(now.load(home, null, false).definition("a")).isNotSameAs(a);
    }

    @Test
    void theTargetOfALinkMayChange() throws IOException {
        write("target", "before");
        Files.createSymbolicLink(agents.resolve("link.md"), agents.resolve("target"));
        assertThat(definition("link").systemPrompt()).isEqualTo("before");

        write("target", "after");

        assertThat(definition("link").systemPrompt()).isEqualTo("after");
    }

    @Test
    void aFileThatCannotBeUsedIsNamedEveryTime() throws IOException {
        Files.writeString(agents.resolve("bad.md"), "---\ntools: [\n---\n");
        AgentRegistry first = load();

        assertThat(first.warnings()).isNotEmpty();
        assertThat(load().warnings()).isEqualTo(first.warnings());
    }

    @Test
    void aDirectoryThatGrowsTooLargeIsSkipped() throws IOException {
        load();

        for (int i = 0; i < 1_000; i++) {
            write("agent-" + i + ".md", "x");
        }

        assertThat(load().enabledKey("a")).isEmpty();
        assertThat(load().warnings()).hasToString(load().warnings().toString()).isNotEmpty();
    }

    /** Of more than 16 MiB, what was looked at last stays. */
    @Test
    void memoryHasAnEnd() throws IOException {
        Path other = Files.createDirectories(home.resolve("other/agents"));
        for (int i = 0; i < 150; i++) {
            write("large-" + i + ".md", "x".repeat(60_000));
            Files.copy(agents.resolve("large-" + i + ".md"), other.resolve("large-" + i + ".md"));
        }
        AgentDefinition here = definition("large-1");
        AgentDefinition there =
                requireNonNull(files.load(home.resolve("other"), null, false).definition("large-1"));

        assertThat(files.load(home.resolve("other"), null, false).definition("large-1"))
                .isSameAs(there);
        assertThat(definition("large-1")).isNotSameAs(here);
    }

    private void write(String name, String prompt) throws IOException {
        Files.writeString(agents.resolve(name), "---\ndescription: an agent\n---\n" + prompt);
    }

    private AgentRegistry load() {
        return files.load(home, null, false);
    }

    private AgentDefinition definition(String name) {
        return requireNonNull(load().definition(name));
    }
}
