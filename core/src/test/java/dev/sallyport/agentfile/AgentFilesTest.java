package dev.sallyport.agentfile;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sallyport.permission.PermissionConfig;
import dev.sallyport.provenance.Layer;
import dev.sallyport.provenance.Origin;
import dev.sallyport.toolscope.BuiltinTools;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

class AgentFilesTest {

    @TempDir
    private Path root;

    private Path agents;

    @BeforeEach
    void createProject() throws IOException {
        agents = Files.createDirectories(root.resolve("project/.pi/agents"));
        write("good.md", "---\ndescription: fine\n---\nBody");
    }

    @Test
    void readsAFileOfExactly64KiBAndRefusesOneByteMore() throws IOException {
        String head = "---\ndescription: big\n---\n";
        write("fits.md", head + "x".repeat(AgentFiles.MAX_BYTES - head.length()));
        write("over.md", head + "x".repeat(AgentFiles.MAX_BYTES - head.length() + 1));

        AgentRegistry registry = load();

        assertThat(registry.get("fits")).isPresent();
        assertThat(registry.get("over")).isEmpty();
        assertThat(messages(registry)).anyMatch(message -> message.endsWith("over.md: larger than 65536 bytes"));
    }

    // T66: a file that claims a terabyte is not read to its end; a sparse one costs nothing to write.
    @Test
    @Timeout(10)
    void doesNotReadAHugeFileWhole() throws IOException {
        try (var file = new java.io.RandomAccessFile(agents.resolve("huge.md").toFile(), "rw")) {
            file.setLength(1L << 40);
        }

        AgentRegistry registry = load();

        assertThat(registry.get("huge")).isEmpty();
        assertThat(registry.get("good")).isPresent();
    }

    @Test
    // The thread of a test that waits for a writer could not be interrupted.
    @Timeout(value = 10, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
    void doesNotWaitForAFifo() throws IOException, InterruptedException {
        new ProcessBuilder("mkfifo", agents.resolve("pipe.md").toString())
                .start()
                .waitFor();

        AgentRegistry registry = load();

        assertThat(messages(registry)).anyMatch(message -> message.endsWith("pipe.md: not a file"));
        assertThat(registry.get("good")).isPresent();
    }

    static Stream<Arguments> hostile() {
        String deep = "[".repeat(21) + "]".repeat(21);
        String veryDeep = "[".repeat(20_000);
        String bomb = """
                a: &a [x,x,x,x,x,x,x,x,x,x]
                b: &b [*a,*a,*a,*a,*a,*a,*a,*a,*a,*a]
                c: &c [*b,*b,*b,*b,*b,*b,*b,*b,*b,*b]
                d: &d [*c,*c,*c,*c,*c,*c,*c,*c,*c,*c]
                e: &e [*d,*d,*d,*d,*d,*d,*d,*d,*d,*d]
                """;
        return Stream.of(
                Arguments.of(
                        "T63 duplicate keys",
                        "tools: read\nname: x\ntools: bash",
                        ":4: key `tools` is already on line 2"),
                Arguments.of(
                        "T63 nested duplicate", "sandbox:\n  network: none\n  network: [a.test]", ":4: key `network`"),
                Arguments.of("T65 bomb", bomb, ":5: more than 10000"),
                Arguments.of("T65 many aliases", "a: &a x\nb: [" + "*a,".repeat(51) + "]", ":3: more than 50 aliases"),
                Arguments.of("T65 recursive", "a: &a [*a]", ":2: alias without an anchor"),
                Arguments.of("T65 nested", "a: " + deep, ":2: nested deeper than 20"),
                Arguments.of("T65 nested 20,000", "a: " + veryDeep, ":2: nested deeper than 20"),
                Arguments.of("T65 nested keys", "? " + deep + "\n: x", ":2: nested deeper than 20"),
                Arguments.of(
                        "T65 tag", "a: !!javax.script.ScriptEngineManager [x]", ":2: tag `tag:yaml.org,2002:javax"),
                Arguments.of("T65 local tag", "a: !x y", ":2: tag `!x`"),
                Arguments.of("T65 str tag", "tools: !!str read", ":2: tag"),
                Arguments.of("T66 tab", "a:\n\tb: 1", ":3: "),
                Arguments.of("T66 unclosed", "a: [1, 2", ":2: "),
                Arguments.of("T66 control character", "a: x\nb: \u0001", ":3: character U+0001"),
                Arguments.of("second document", "a: 1\n... \nb: 1", ":4: "),
                Arguments.of("map as key", "{a: b}: c", ":2: a key that is not a word"),
                Arguments.of("merge key is a plain key", "<<: {tools: bash}\ndescription: x\ndescription: y", ":4: "),
                Arguments.of(
                        "sandbox key",
                        "sandbox:\n  netwrok: none",
                        ":3: unknown key `netwrok` in sandbox (nearest: `network`)"),
                Arguments.of("T67 line feed in name", "name: \"a\\nb\"", ":2: name `"),
                Arguments.of("T67 long name", "name: " + "a".repeat(201), ":2: name `"),
                Arguments.of("T68 zero width in name", "name: \"review\\u200ber\"", ":2: name `"),
                Arguments.of("T68 right to left", "name: \"\\u202ereviewer\"", ":2: name `"),
                Arguments.of("budgets word", "budgets: none", ":2: budgets: not a map"),
                Arguments.of("budget", "budgets:\n  token: 5", ":3: unknown key `token` in budgets"),
                Arguments.of("budget value", "budgets:\n  cost: -1", ":3: budget cost: `-1`"),
                Arguments.of("sandbox word", "sandbox: none", ":2: sandbox: not a map"),
                Arguments.of("sandbox workspace", "sandbox:\n  workspace: readonly", ":3: workspace: `readonly`"),
                Arguments.of("sandbox host", "sandbox:\n  network: ['*.test']", ":3: host: `*.test`"),
                Arguments.of(
                        "sandbox hosts", "sandbox:\n  network: [none, a.test:1]", ":3: network: `none` beside hosts"),
                Arguments.of("sandbox number", "sandbox:\n  credentials: [5]", ":3: sandbox.credentials"),
                Arguments.of("sandbox credential", "sandbox:\n  credentials: ['../x']", ":3: credential: `../x`"),
                Arguments.of(
                        "sandbox limit", "sandbox:\n  limits:\n    mem: 1g", ":4: unknown key `mem` in sandbox.limits"),
                Arguments.of("sandbox size", "sandbox:\n  limits:\n    cpu: 1\n    memory: lots", ":5: memory: `lots`"),
                Arguments.of("sandbox runtime", "sandbox:\n  runtime: none", ":3: runtime: `none`"),
                Arguments.of("sandbox harness", "sandbox:\n  harness: pi", ":3: harness: `pi`"));
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("hostile")
    @Timeout(10)
    void refusesAFileWithItsLineAndLoadsTheOthers(String name, String yaml, String problem) throws IOException {
        write("bad.md", "---\n" + yaml + "\n---\nBody");

        AgentRegistry registry = load();

        assertThat(registry.get("bad")).isEmpty();
        assertThat(registry.get("good")).isPresent();
        assertThat(registry.warnings()).singleElement().satisfies(warning -> {
            assertThat(warning.kind()).isEqualTo("skipped");
            assertThat(warning.message()).contains("bad.md" + problem).hasSizeLessThan(500);
        });
    }

    @Test
    void refusesWhatIsNotUtf8() throws IOException {
        Files.write(agents.resolve("binary.md"), new byte[] {'-', '-', '-', '\n', (byte) 0xff, (byte) 0xfe});

        assertThat(messages(load())).anyMatch(message -> message.endsWith("binary.md: not UTF-8"));
    }

    // T64
    @Test
    void warnsAboutAnUnknownFieldWithTheNearestKnownOne() throws IOException {
        write("typo.md", "---\ndisalowedTools: bash\n---\nBody");

        AgentRegistry registry = load();

        assertThat(registry.get("typo")).isPresent();
        assertThat(messages(registry))
                .singleElement()
                .asString()
                .endsWith("typo.md:2: unknown field `disalowedTools` (nearest: `disallowed_tools`)");
    }

    @Test
    void readsTheSandboxBlockWithTheLineOfEachKey() throws IOException {
        write("boxed.md", """
                ---
                tools: read
                sandbox:
                  workspace: read-only
                  network: [Example.com, b.test:8443]
                  credentials: [github]
                  limits: { cpu: 1.5, memory: 512m, pids: 64, wall: 15m }
                  runtime: gvisor
                ---
                Body""");

        AgentDefinition definition = load().get("boxed").orElseThrow();

        SandboxBlock sandbox = definition.sandbox();
        assertThat(sandbox.workspace().wire()).isEqualTo("read-only");
        assertThat(sandbox.network().words()).containsExactly("b.test:8443", "example.com:443");
        assertThat(sandbox.credentials().names()).containsExactly("github");
        assertThat(sandbox.limits().cpuMillis()).isEqualTo(1500);
        assertThat(sandbox.limits().wall()).isEqualTo(Duration.ofMinutes(15));
        assertThat(sandbox.runtime().wire()).isEqualTo("gvisor");
        assertThat(definition.origin("sandbox.network"))
                .isEqualTo(new Origin(Layer.AGENT_FILE, agents.resolve("boxed.md") + ":5"));
        assertThat(definition.origin("tools").location()).endsWith("boxed.md:2");
    }

    @Test
    void countsLinesAfterWindowsLineEndsAndOddFences() throws IOException {
        write("crlf.md", "---\r\ndescription: x\r\ntools: read\r\n---\r\nBody");
        write("odd.md", "----\ndescription: x\ntools: read\n---\nBody");

        AgentRegistry registry = load();

        assertThat(registry.get("crlf").orElseThrow().origin("tools").location())
                .endsWith(":3");
        assertThat(registry.get("odd").orElseThrow().origin("tools").location()).endsWith(":3");
    }

    @Test
    void asksAboutEverythingWhenAPermissionBlockHasAMistake() throws IOException {
        write("lax.md", "---\npermission:\n  read: allow\n  bash:\n    'rm *': dney\n---\nBody");

        AgentRegistry registry = load();

        assertThat(registry.get("lax").orElseThrow().permission()).isEqualTo(PermissionConfig.ASK_ALL);
        assertThat(messages(registry)).singleElement().asString().contains("lax.md:5: unknown state `dney`");
    }

    // T71
    @Test
    void doesNotFollowALinkOutOfTheAgentsDirectory() throws IOException {
        Path secret = Files.writeString(root.resolve("secret"), "TOKEN");
        Files.createSymbolicLink(agents.resolve("leak.md"), secret);
        Files.createSymbolicLink(agents.resolve("alias.md"), agents.resolve("good.md"));

        AgentRegistry registry = load();

        assertThat(registry.get("leak")).isEmpty();
        assertThat(registry.get("alias")).isPresent();
        assertThat(messages(registry)).singleElement().asString().contains("leak.md: a link that leads out of ");
    }

    @Test
    void doesNotFollowAnAgentsDirectoryThatLeadsOutOfTheProject() throws IOException {
        Path elsewhere = Files.createDirectories(root.resolve("elsewhere"));
        Files.writeString(elsewhere.resolve("planted.md"), "---\nname: planted\n---\n");
        Files.createDirectories(root.resolve("project/.agents"));
        Files.createSymbolicLink(root.resolve("project/.agents/agents"), elsewhere);

        AgentRegistry registry = load();

        assertThat(registry.get("planted")).isEmpty();
        assertThat(messages(registry)).singleElement().asString().contains("a link that leads out of the project");
    }

    // T67: a requested name is a key and never a path.
    @Test
    void findsNothingByAPath() throws IOException {
        Files.writeString(root.resolve("outside.md"), "---\nname: outside\n---\n");

        AgentRegistry registry = load();

        for (String name : List.of(
                "../../../outside",
                agents.resolve("good.md").toString(),
                "./good",
                "good.md",
                "good\0",
                "good/../good")) {
            assertThat(registry.dispatch(name, "none")).isInstanceOf(Dispatch.Refused.class);
        }
    }

    @Test
    void listsWhatAnotherFileHides() throws IOException {
        Path global = Files.createDirectories(root.resolve("home/agents"));
        Files.writeString(global.resolve("good.md"), "---\ndescription: mine\n---\n");
        write("explore.md", "---\nname: Explore\n---\n");

        AgentRegistry registry = load();

        assertThat(registry.shadowed())
                .containsExactly(
                        new AgentRegistry.Shadowed(
                                "good",
                                global.resolve("good.md").toString(),
                                agents.resolve("good.md").toString()),
                        new AgentRegistry.Shadowed(
                                "Explore",
                                "built in",
                                agents.resolve("explore.md").toString()));
    }

    @Test
    void hasADigestOfTheFileAsRead() throws IOException {
        String first = load().get("good").orElseThrow().digest();
        write("good.md", "---\ndescription: fine\n---\nBody.");

        assertThat(load().get("good").orElseThrow().digest()).isNotEqualTo(first);
    }

    private void write(String name, String content) throws IOException {
        Files.writeString(agents.resolve(name), content);
    }

    // The user's, then what several programs share, then the one of a project alone.
    @Test
    void readsTheDirectoryOfEveryDialectAndTheLastWinsAName() throws IOException {
        for (String directory : List.of("home/agents", "project/.agents/agents", "project/.pi/agents")) {
            Path agents = Files.createDirectories(root.resolve(directory));
            Files.writeString(agents.resolve("same.md"), "---\n---\n" + directory);
            Files.writeString(agents.resolve(directory.replaceAll("[./]", "-") + ".md"), "---\n---\nB");
            assertThat(load().get("same").orElseThrow().systemPrompt()).isEqualTo(directory);
        }

        AgentRegistry registry = load();
        assertThat(registry.keys()).contains("home-agents", "project--agents-agents", "project--pi-agents");
        assertThat(registry.shadowed())
                .extracting(AgentRegistry.Shadowed::path)
                .containsExactlyInAnyOrder(
                        root.resolve("home/agents/same.md").toString(),
                        root.resolve("project/.agents/agents/same.md").toString());
    }

    @Test
    void aNameAndADescriptionAreEnough() throws IOException {
        write("x.md", "---\nname: tiny\ndescription: Says little.\n---\n");

        AgentDefinition tiny = load().get("tiny").orElseThrow();

        assertThat(tiny.description()).isEqualTo("Says little.");
        assertThat(tiny.saysTools()).isFalse();
        assertThat(tiny.toolNames()).containsExactlyElementsOf(BuiltinTools.NAMES);
        assertThat(messages(load())).isEmpty();
    }

    private final Instant later = Instant.now().plus(Duration.ofHours(1));

    private AgentDefinition good(AgentFiles files) {
        return files.load(root.resolve("home"), root.resolve("project"), false)
                .get("good")
                .orElseThrow();
    }

    @Test
    void readsNoFileTwiceThatIsTheSame() throws IOException {
        write("typo.md", "---\ntool: read\n---\nB");
        write("broken.md", "---\ntools: [\n---\nB");
        AgentFiles files = new AgentFiles(AgentFiles.Leniency.NONE, () -> later);
        AgentDefinition first = good(files);

        assertThat(good(files)).isSameAs(first);
        assertThat(messages(files.load(root.resolve("home"), root.resolve("project"), false)))
                .hasSize(2)
                .isEqualTo(messages(load()));
    }

    // Same size, same time of modification: whoever changes a file can set both.
    @Test
    void readsAgainWhatWasChangedInPlaceOrReplaced() throws IOException {
        Path file = agents.resolve("good.md");
        FileTime time = Files.getLastModifiedTime(file);
        AgentFiles files = new AgentFiles(AgentFiles.Leniency.NONE, () -> later);
        good(files);

        write("good.md", "---\ndescription: evil\n---\nBody");
        Files.setLastModifiedTime(file, time);
        assertThat(good(files).description()).isEqualTo("evil");

        write("other", "---\ndescription: ugly\n---\nBody");
        Files.setLastModifiedTime(agents.resolve("other"), time);
        Files.move(agents.resolve("other"), file, StandardCopyOption.REPLACE_EXISTING);
        assertThat(good(files).description()).isEqualTo("ugly");

        Files.delete(file);
        assertThat(files.load(root.resolve("home"), root.resolve("project"), false)
                        .get("good"))
                .isEmpty();
    }

    // It may be changed again in the same tick of the clock, and nothing would tell.
    @Test
    void remembersNothingThatWasChangedJustNow() throws IOException {
        FileTime changed = (FileTime) Files.getAttribute(agents.resolve("good.md"), "unix:ctime");
        AgentFiles files = new AgentFiles(
                AgentFiles.Leniency.NONE, () -> changed.toInstant().plusSeconds(1));

        assertThat(good(files)).isNotSameAs(good(files));
    }

    @Test // T71
    void followsNoLinkThatALaterFileWasReplacedBy() throws IOException {
        AgentFiles files = new AgentFiles(AgentFiles.Leniency.NONE, () -> later);
        good(files);
        Path outside = Files.move(agents.resolve("good.md"), root.resolve("good.md"));
        Files.createSymbolicLink(agents.resolve("good.md"), outside);

        assertThat(files.load(root.resolve("home"), root.resolve("project"), false)
                        .get("good"))
                .isEmpty();
    }

    private AgentRegistry load() {
        return AgentRegistry.load(root.resolve("home"), root.resolve("project"));
    }

    private static List<String> messages(AgentRegistry registry) {
        return registry.warnings().stream().map(LoadWarning::message).toList();
    }
}
