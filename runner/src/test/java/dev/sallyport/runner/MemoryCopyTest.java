package dev.sallyport.runner;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sallyport.runner.door.FakeDoor;
import dev.sallyport.runner.door.Json;
import dev.sallyport.testing.Golden;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/** What an agent remembers is there before its child does anything, and what the child leaves goes back with its result. */
@Timeout(60)
class MemoryCopyTest {

    @TempDir
    Path directory;

    private FakeDoor gateway;

    @BeforeEach
    void open() throws IOException {
        gateway = new FakeDoor(directory);
        gateway.memory(Golden.message("door-memory.json"));
    }

    @AfterEach
    void close() throws IOException {
        gateway.close();
    }

    private int run(String access, String script) throws Exception {
        ObjectNode assignment = Json.object()
                .put("version", 3)
                .put("child", "abcdefghijklmnop")
                .put("nonce", "n-1")
                .put("harness", "command");
        assignment.putObject("extensions").putNull("selectors");
        assignment.putArray("command").add("sh").add("-ec").add(script);
        assignment.putObject("workspace").put("mode", "none").put("directory", directory.toString());
        assignment
                .putObject("memory")
                .put("directory", directory.resolve("memory").toString())
                .put("access", access);
        gateway.command("assignment", assignment.toString()).command("task", "{}");
        return new Runner(gateway.socket(), 0, Duration.ofSeconds(20)).run();
    }

    private String error() {
        assertThat(gateway.kept()).isEmpty();
        JsonNode error = gateway.events("error").getLast();
        assertThat(error.path("code").asString()).isEqualTo("memory-not-kept");
        return error.path("message").asString();
    }

    @Test
    void bringsBackWhatWasChangedAddedAndRemoved() throws Exception {
        assertThat(run(
                        "read-write",
                        "grep -qx one memory/MEMORY.md; grep -q ä memory/a/b.md; echo two >> memory/MEMORY.md;"
                                + "rm -r memory/a; mkdir memory/c; printf ö > memory/c/d.md"))
                .isZero();

        assertThat(gateway.kept())
                .containsExactly(
                        Json.read(
                                "{\"files\":[{\"path\":\"MEMORY.md\",\"content\":\"one\\ntwo\\n\"},{\"path\":\"c/d.md\",\"content\":\"ö\"}]}"));
        assertThat(gateway.events("error")).isEmpty();
    }

    @Test
    void bringsBackWhatAFailedChildLearned() throws Exception {
        assertThat(run("read-write", "echo two >> memory/MEMORY.md; exit 3")).isEqualTo(3);

        assertThat(gateway.kept()).hasSize(1);
    }

    @Test
    void saysNothingWhereNothingIsNew() throws Exception {
        assertThat(run("read-write", "touch memory/MEMORY.md; mkdir memory/empty"))
                .isZero();

        assertThat(gateway.kept()).isEmpty();
    }

    @Test
    void aReaderBringsNothingBack() throws Exception {
        assertThat(run("read-only", "grep -qx one memory/MEMORY.md; echo two >> memory/MEMORY.md"))
                .isZero();

        assertThat(gateway.kept()).isEmpty();
        assertThat(gateway.events("error")).isEmpty();
    }

    @Test
    void allOfItCanBeForgotten() throws Exception {
        assertThat(run("read-write", "rm -r memory")).isZero();

        assertThat(gateway.kept()).containsExactly(Json.read("{\"files\":[]}"));
    }

    /** What a link leads to was not written to be remembered. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "echo secret > secret; ln -s ../secret memory/x",
                "mkdir outside; echo secret > outside/y; ln -s ../outside memory/x",
                "ln -s /proc/self/environ memory/x",
                "mkfifo memory/x"
            })
    void followsNoLinkAndWaitsForNoPipe(String script) throws Exception {
        assertThat(run("read-write", script)).isZero();

        assertThat(error()).isEqualTo("memory: `x` is no regular file");
    }

    @Test
    void aLinkInItsPlaceIsNotFollowedEither() throws Exception {
        assertThat(run("read-write", "rm -r memory; mkdir outside; echo secret > outside/y; ln -s outside memory"))
                .isZero();

        assertThat(error()).endsWith("/memory is no directory any more");
    }

    @Test
    void takesNothingThatIsNoText() throws Exception {
        assertThat(run("read-write", "printf '\\377' > memory/x")).isZero();

        assertThat(error()).isEqualTo("memory: `x` is not UTF-8");
    }

    @Test
    void readsNoMoreThanCouldBeKept() throws Exception {
        assertThat(run("read-write", "truncate -s 1T memory/x")).isZero();

        assertThat(error()).isEqualTo("memory: more than 524288 bytes");
    }

    @Test
    void countsItsFiles() throws Exception {
        assertThat(run("read-write", "for i in $(seq 1001); do : > memory/$i; done"))
                .isZero();

        assertThat(error()).isEqualTo("memory: more than 1000 files");
    }

    /** The work is what was asked for. */
    @Test
    void aMemoryThatIsNotTakenFailsNothingAndIsToldOf() throws Exception {
        gateway.keeping(422, "{\"code\":\"memory-too-large\",\"detail\":\"memory: 101 files\"}");

        assertThat(run("read-write", "echo two >> memory/MEMORY.md")).isZero();

        assertThat(gateway.events("error"))
                .containsExactly(Json.read("{\"code\":\"memory-too-large\",\"message\":\"memory: 101 files\"}"));
    }

    @ParameterizedTest
    @ValueSource(strings = {"../x", "/tmp/x", "a/../../x", "."})
    void writesNowhereElse(String path) throws Exception {
        gateway.memory("{\"files\":[{\"path\":\"%s\",\"content\":\"x\"}]}".formatted(path));

        assertThat(run("read-write", "true")).isEqualTo(Runner.COULD_NOT);

        try (Stream<Path> files = Files.list(directory)) {
            assertThat(files).noneMatch(file -> file.endsWith("x"));
        }
        assertThat(gateway.events("error").getFirst().path("message").asString())
                .isEqualTo("memory: `%s` is no file of it".formatted(path));
    }
}
