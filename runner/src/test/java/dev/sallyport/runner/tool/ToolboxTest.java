package dev.sallyport.runner.tool;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sallyport.runner.door.Door;
import dev.sallyport.runner.door.DoorServer;
import dev.sallyport.runner.door.Json;
import dev.sallyport.runner.tool.ToolResult.Outcome;
import dev.sallyport.toolscope.BuiltinTools;
import dev.sallyport.toolscope.DelegationTools;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.channels.ClosedByInterruptException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.node.ObjectNode;

@Timeout(60)
class ToolboxTest {

    @TempDir
    Path directory;

    private Toolbox toolbox;

    @BeforeEach
    void open() {
        toolbox = toolbox(Duration.ofSeconds(30));
    }

    @Test
    void resumesAnAgentByItsIdAndWithNothingButATask() throws Exception {
        String id = "abcdefghijklmnop";
        List<String> asked = new CopyOnWriteArrayList<>();
        Tool agent = toolbox.named(DelegationTools.SPAWN).orElseThrow();
        try (DoorServer _ = DoorServer.open(directory.resolve("no.sock"), (request, answer) -> {
            asked.add(request.path() + " " + new String(request.body().readAllBytes(), UTF_8));
            answer.json(200, """
                    {"decision":"allowed","child":{"id":"bbbbbbbbbbbbbbbb","runInBackground":true}}""");
        })) {
            ToolResult result = agent.prepare(Json.read("""
                            {"resume":"%s","prompt":"go on","description":"more","subagent_type":"any"}""".formatted(id))).run();

            assertThat(result.output()).isEqualTo("agent bbbbbbbbbbbbbbbb runs in the background");
        }

        assertThat(asked)
                .containsExactly(
                        "/v1/children/%s/resume {\"prompt\":\"go on\",\"description\":\"more\"}".formatted(id));
        for (String bad : List.of("\"../x\"", "\"%s\",\"model\":\"a/b\"".formatted(id))) {
            assertThatThrownBy(() -> agent.prepare(
                            Json.read("{\"prompt\":\"x\",\"description\":\"x\",\"resume\":%s}".formatted(bad))))
                    .isInstanceOf(ToolException.class);
        }
    }

    @Test
    void describesEveryToolWithASchemaThatParses() {
        assertThat(BuiltinTools.NAMES)
                .extracting(name -> toolbox.named(name).orElseThrow())
                .allSatisfy(tool -> assertThat(
                                Json.read(tool.parameters()).path("type").asString())
                        .isEqualTo("object"));
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            read  | {}                                     | path is missing (expected: text)
            read  | {"path":1}                             | path (expected: text)
            read  | {"path":"x","offset":0}                | offset: 0 (expected: 1 to 2147483647)
            read  | {"path":"x","limit":1.5}               | limit (expected: a whole number)
            read  | {"path":"x","limit":1e300}             | limit: 1.0E300 (expected: 1 to 2147483647)
            read  | {"path":"x","mode":"raw"}              | unknown argument: `mode` (expected: limit, offset, path)
            bash  | {"command":"x","timeout":-1}           | timeout: -1 (expected: 1 to 3600)
            bash  | {"command":["rm"]}                     | command (expected: text)
            bash  | {"command":"ls\\u0000rm"}               | command (expected: without NUL)
            write | {"path":"x"}                           | content is missing (expected: text)
            edit  | {"path":"x"}                           | edits is missing (expected: at least one)
            edit  | {"path":"x","oldText":"a"}             | oldText and newText belong together
            edit  | {"path":"x","edits":"a"}               | edits (expected: a list)
            edit  | {"path":"x","edits":["a"]}             | arguments (expected: a JSON object)
            grep  | {"pattern":"x","context":51}           | context: 51 (expected: 0 to 50)
            grep  | {"pattern":"x","literal":"yes"}        | literal (expected: true or false)
            ls    | []                                     | arguments (expected: a JSON object)
            """)
    void refusesArgumentsThatItDoesNotUnderstand(String tool, String arguments, String message) {
        assertThat(call(tool, arguments)).isEqualTo(ToolResult.error(message));
    }

    @Test
    void readsAWindowOfAFileAndSaysHowToGoOn() throws IOException {
        Files.writeString(directory.resolve("f"), "1\n2\r\n3\n4");

        assertThat(call("read", "{\"path\":\"f\",\"offset\":2,\"limit\":2}").output())
                .isEqualTo("2\n3\n[more follows: read on with offset 4]\n");
        assertThat(call("read", "{\"path\":\"f\",\"offset\":4}").output()).isEqualTo("4\n");
        assertThat(call("read", "{\"path\":\"f\",\"offset\":6}").output()).isEqualTo("`f` has only 4 lines");
    }

    @Test
    void neverReadsMoreThanTheLimit() throws IOException {
        Files.writeString(directory.resolve("lines"), "x\n".repeat(5000));
        Files.writeString(directory.resolve("line"), "x".repeat(5 << 20));
        try (RandomAccessFile sparse =
                new RandomAccessFile(directory.resolve("sparse").toFile(), "rw")) {
            sparse.writeBytes("begin\n".repeat(9000));
            sparse.setLength(1L << 40);
        }

        assertThat(call("read", "{\"path\":\"lines\"}").output())
                .endsWith("[more follows: read on with offset 2001]\n");
        assertThat(call("read", "{\"path\":\"line\"}").output())
                .hasSizeLessThan(51 * 1024)
                .endsWith(" [line cut]\n");
        assertThat(call("read", "{\"path\":\"sparse\",\"limit\":1}").output()).startsWith("begin\n[more");
    }

    @Test
    void refusesWhatIsNoText() throws IOException {
        Files.write(directory.resolve("binary"), new byte[] {1, 0, 2});

        assertThat(call("read", "{\"path\":\"binary\"}").output()).isEqualTo("`binary` is binary, 3 bytes (use bash)");
        assertThat(call("edit", "{\"path\":\"missing\",\"oldText\":\"a\",\"newText\":\"b\"}")
                        .output())
                .isEqualTo("no such file: `missing`");
    }

    @ParameterizedTest
    @ValueSource(strings = {"/dev/zero", "/dev/stdin", "pipe", "link-to-zero", "."})
    void neverWaitsOnWhatHasNoEnd(String path) throws Exception {
        bash("mkfifo pipe; ln -s /dev/zero link-to-zero");

        assertThat(call("read", json().put("path", path).toString()).outcome()).isEqualTo(Outcome.ERROR);
        assertThat(call("write", json().put("path", path).put("content", "x").toString())
                        .outcome())
                .isEqualTo(Outcome.ERROR);
    }

    @Test
    void understandsPathsAsThePolicyDoes() throws IOException {
        Files.createDirectory(directory.resolve("home"));
        Files.writeString(directory.resolve("home/h"), "home\n");
        Files.writeString(directory.resolve("a"), "here\n");

        for (String path : new String[] {
            "a", "./b/../a", "@a", "\"a\"", " a ", directory + "/a", directory + "/../" + directory.getFileName() + "/a"
        }) {
            assertThat(call("read", json().put("path", path).toString()).output())
                    .isEqualTo("here\n");
        }
        assertThat(call("read", "{\"path\":\"~/h\"}").output()).isEqualTo("home\n");
        assertThat(call("read", "{\"path\":\"a\\u0000b\"}").output()).isEqualTo("path (expected: without NUL)");
        assertThat(call("read", "{\"path\":\"@\"}").output()).isEqualTo("path is empty");
    }

    @Test
    void saysWhatTheKernelSaysOutsideTheWorkspace() {
        // Nobody, root included, writes there; in a child the whole root is read-only (S1).
        ToolResult result = call("write", "{\"path\":\"/proc/sys/kernel/x/y\",\"content\":\"\"}");

        assertThat(result.outcome()).isEqualTo(Outcome.ERROR);
        assertThat(result.output()).contains("/proc/sys/kernel/x");
    }

    @Test
    void writesWithMissingDirectories() throws IOException {
        assertThat(call("write", "{\"path\":\"a/b/c\",\"content\":\"ä\"}").outcome())
                .isEqualTo(Outcome.OK);

        assertThat(directory.resolve("a/b/c")).hasContent("ä");
    }

    @Test
    void editsSeveralPlacesAgainstTheFileAsItWas() throws IOException {
        Files.writeString(directory.resolve("f"), "one two three\r\nfour\r\n");

        ToolResult result = call("edit", """
                {"path":"f","edits":[{"oldText":"three\\nfour","newText":"3\\n4"},{"oldText":"one","newText":"two"}]}""");

        assertThat(result.outcome()).isEqualTo(Outcome.OK);
        assertThat(Files.readString(directory.resolve("f"))).isEqualTo("two two 3\r\n4\r\n");
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            {"oldText":"x","newText":"y"}                                    | oldText is not in `f` (expected: exact text, white space included)
            {"oldText":"aa","newText":"y"}                                   | oldText is more than once in `f` (add text around it)
            {"oldText":"","newText":"y"}                                     | oldText is empty (use write for a new file)
            {"oldText":"b","newText":"b"}                                    | the edits change nothing in `f`
            {"oldText":"ab","newText":"1"},{"oldText":"bc","newText":"2"}    | edits overlap (join them into one)
            """)
    void changesNothingIfOneEditDoesNotFit(String edits, String message) throws IOException {
        Files.writeString(directory.resolve("f"), "aaabc");

        assertThat(call("edit", "{\"path\":\"f\",\"edits\":[%s]}".formatted(edits)))
                .isEqualTo(ToolResult.error(message));
        assertThat(directory.resolve("f")).hasContent("aaabc");
    }

    @Test
    void neverRewritesBytesThatAreNoText() throws IOException {
        byte[] latin1 = {'a', (byte) 0xE4, 'b'};
        Files.write(directory.resolve("f"), latin1);

        assertThat(call("edit", "{\"path\":\"f\",\"oldText\":\"a\",\"newText\":\"c\"}")
                        .output())
                .isEqualTo("`f` is not UTF-8 text (use bash)");
        assertThat(directory.resolve("f")).hasBinaryContent(latin1);
    }

    @Test
    void grepsWithContextAndLimits() throws IOException {
        Files.createDirectories(directory.resolve("src/.git"));
        Files.writeString(directory.resolve("src/a.c"), "one\ntwo\nthree\nfour\n");
        Files.writeString(directory.resolve("src/b.h"), "two\n");
        Files.writeString(directory.resolve("src/.git/x.c"), "two\n");
        Files.write(directory.resolve("src/bin.c"), new byte[] {'t', 'w', 'o', 0});

        assertThat(call("grep", "{\"pattern\":\"T[w]O\",\"ignoreCase\":true,\"glob\":\"*.c\",\"context\":1}")
                        .output())
                .isEqualTo("src/a.c-1- one\nsrc/a.c:2: two\nsrc/a.c-3- three\n");
        assertThat(call("grep", "{\"pattern\":\"two\",\"limit\":1}").output())
                .isEqualTo("src/a.c:2: two\n[stopped: more than 1 matches or too much output]\n");
        assertThat(call("grep", "{\"pattern\":\"[w]\",\"literal\":true}").output())
                .isEqualTo("[no match]\n");
        assertThat(call("grep", "{\"pattern\":\"two\",\"path\":\"src/b.h\"}").output())
                .isEqualTo("b.h:1: two\n");
        assertThat(call("grep", "{\"pattern\":\"-rf\"}").output()).isEqualTo("[no match]\n");
        assertThat(call("grep", "{\"pattern\":\"(\"}").output()).startsWith("pattern: Unclosed group");
    }

    @Test
    void endsASearchThatWouldTakeForEver() throws IOException {
        Files.writeString(directory.resolve("f"), "a".repeat(40) + "!\n");
        toolbox = toolbox(Duration.ofMillis(200));

        assertThat(call("grep", "{\"pattern\":\"(a+)+\\\\1b\"}").output())
                .isEqualTo("took too long (narrow the path or the pattern)");
    }

    @Test
    void survivesAPatternThatIsTooDeepForTheStack() throws IOException {
        Files.writeString(directory.resolve("f"), "ab".repeat(30_000) + "\n");

        assertThat(call("grep", "{\"pattern\":\"(ab|b)*c\"}").outcome()).isIn(Outcome.ERROR, Outcome.OK);
    }

    @Test
    void endsAGlobThatWouldTakeForEver() throws Exception {
        bash("touch $(printf 'a%.0s' $(seq 200))");
        toolbox = toolbox(Duration.ofMillis(200));

        assertThat(call("find", "{\"pattern\":\"%sb\"}".formatted("a*".repeat(20)))
                        .output())
                .isEqualTo("took too long (narrow the path or the pattern)");
    }

    @Test
    void endsAWalkAndAFileAtTheirTime() throws Exception {
        Files.writeString(directory.resolve("f"), "a\n");
        toolbox = toolbox(Duration.ofNanos(1));

        for (String arguments : new String[] {"{\"pattern\":\"a\"}", "{\"pattern\":\"a\",\"path\":\"f\"}"}) {
            assertThat(call("grep", arguments).output()).startsWith("took too long");
        }
        assertThat(call("find", "{\"pattern\":\"f\"}").output()).startsWith("took too long");
    }

    @Test
    void endsForACallerThatWasInterrupted() throws Exception {
        Files.writeString(directory.resolve("f"), "a\n");
        Thread.currentThread().interrupt();

        try {
            assertThat(call("find", "{\"pattern\":\"f\"}").outcome()).isEqualTo(Outcome.ERROR);
        } finally {
            assertThat(Thread.interrupted()).isTrue();
        }
    }

    @Test
    void refusesWhatItsMemoryDoesNotHold() throws Exception {
        Files.writeString(directory.resolve("large"), "x".repeat((4 << 20) + 1));
        bash("mkdir wide; cd wide; seq 50001 | xargs touch");

        assertThat(call("edit", "{\"path\":\"large\",\"oldText\":\"y\",\"newText\":\"z\"}")
                        .output())
                .isEqualTo("`large` is larger than 4096 KiB (use bash)");
        assertThat(call("find", "{\"pattern\":\"x\"}").output()).contains("has more than 50000 entries");
        assertThat(call("find", json().put("pattern", "x".repeat(1001)).toString())
                        .output())
                .isEqualTo("pattern (expected: at most 1000 characters)");
    }

    @Test
    void showsNoMoreThanTheLimitInBytesAndOfALineNoMoreThanItsBeginning() throws IOException {
        Files.writeString(directory.resolve("bytes"), ("x".repeat(99) + "\n").repeat(1000));
        Files.writeString(directory.resolve("line"), "n".repeat(499) + "\ud83d\ude00" + "n".repeat(100));

        assertThat(call("read", "{\"path\":\"bytes\"}").output())
                .hasSizeLessThan(51 * 1024)
                .contains("more follows");
        assertThat(call("grep", "{\"pattern\":\"n\",\"path\":\"line\"}").output())
                .isEqualTo("line:1: " + "n".repeat(499) + " [line cut]\n");
    }

    @Test
    void neverFollowsLinksWhenItWalks() throws Exception {
        Files.createDirectories(directory.resolve("d/e"));
        Files.writeString(directory.resolve("d/e/f.txt"), "needle\n");
        bash("ln -s .. d/e/loop; ln -s / d/root; ln -s /etc/passwd d/passwd");

        assertThat(call("find", "{\"pattern\":\"**/f.txt\"}").output()).isEqualTo("d/e/f.txt\n");
        assertThat(call("grep", "{\"pattern\":\"needle|root\"}").output()).isEqualTo("d/e/f.txt:1: needle\n");
    }

    @ParameterizedTest
    @CsvSource({
        "*.c,true",
        "a.c,true",
        "**/a.c,true",
        "src/**/a.c,true",
        "**/x/a.c,true",
        "**/**/x/**/a.c,true",
        "**/y/a.c,false",
        "src/*/a.c,true",
        "src/a.c,false",
        "*/a.c,false",
        "a.?,true",
        "'*.{c,h}',true",
        "'*.[ch]',true",
        "'*.[!ch]',false",
        "'[',false",
        "'a.c{',false",
        "'*(.c',false"
    })
    void matchesGlobsAsSearchToolsDo(String glob, boolean matches) throws ToolException {
        assertThat(matches(glob)).isEqualTo(matches);
    }

    @Test
    void listsInOrderAndSaysWhatItLeftOut() throws Exception {
        bash("mkdir b; touch a .h c");

        assertThat(call("ls", "{}").output()).isEqualTo(".h\na\nb/\nc\n");
        assertThat(call("ls", "{\"limit\":2}").output()).isEqualTo(".h\na\n[2 of 4 shown]\n");
        assertThat(call("ls", "{\"path\":\"b\"}").output()).isEqualTo("[empty]\n");
        assertThat(call("ls", "{\"path\":\"a\"}").output()).isEqualTo("`a` is not a directory");
    }

    private boolean matches(String glob) throws ToolException {
        try {
            return Glob.of(glob).matches(Path.of("src/x/a.c"), Deadline.in(Duration.ofMinutes(1)));
        } catch (ToolException e) {
            assertThat(e).hasMessageContaining("expected: a glob");
            return false;
        }
    }

    private Toolbox toolbox(Duration timeout) {
        return new Toolbox(
                new Door(directory.resolve("no.sock"), Duration.ofMillis(1)),
                new Workspace(directory, directory.resolve("home")),
                OutputLimit.DEFAULT,
                timeout,
                Map.of());
    }

    private ToolResult call(String tool, String arguments) {
        try {
            return Toolbox.run(toolbox.named(tool).orElseThrow().prepare(Json.read(arguments)));
        } catch (ToolException e) {
            return ToolResult.error(e.getMessage());
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    /** Channels answer an interrupt by closing: a cancelled child has no tool that failed. */
    @Test
    void anInterruptIsNoFailureOfATool() throws Exception {
        Tool.Call broken = () -> {
            throw new ClosedByInterruptException();
        };

        assertThat(Toolbox.run(broken).outcome()).isEqualTo(ToolResult.Outcome.ERROR);
        Thread.currentThread().interrupt();
        assertThatThrownBy(() -> Toolbox.run(broken)).isInstanceOf(InterruptedException.class);
        assertThat(Thread.interrupted()).isFalse();
    }

    private void bash(String command) throws IOException, InterruptedException {
        assertThat(new ProcessBuilder("bash", "-c", command)
                        .directory(directory.toFile())
                        .start()
                        .waitFor())
                .isZero();
    }

    private static ObjectNode json() {
        return Json.object();
    }
}
