package dev.sallyport.gateway.child;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.sallyport.authority.Compatibility;
import dev.sallyport.gateway.door.Report;
import dev.sallyport.gateway.door.ToolCall;
import dev.sallyport.gateway.door.Verdict;
import dev.sallyport.gateway.error.GatewayException.AuthorityRefused;
import dev.sallyport.gateway.sandbox.SandboxId;
import dev.sallyport.identity.CallId;
import dev.sallyport.identity.ChildId;
import dev.sallyport.testing.TestExtension;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.node.ObjectNode;

/** Which extensions a child is given, and what of their tools counts at its door. */
class ExtensionsTest {

    private static final String ASK = "{\"agent\":\"clerk\",\"prompt\":\"look\",\"model\":\"scripted/demo\"}";

    @TempDir
    private Path directory;

    private final AtomicInteger calls = new AtomicInteger();
    private World world;

    @BeforeEach
    void begin() throws IOException {
        world = new World(
                directory, settings -> World.with(settings, settings.engine(), Set.of(), settings.events(), 1));
        world.permissions.standard("allowed");
        TestExtension.withManifest(extension("tickets"), "search", "close");
        TestExtension.withManifest(extension("miner"), "mine");
    }

    @AfterEach
    void end() {
        world.close();
    }

    private Path extension(String name) {
        return world.directory.resolve("agent/extensions").resolve(name);
    }

    private void clerk(String frontMatter) throws IOException {
        Path agents = Files.createDirectories(world.directory.resolve("agent/agents"));
        Files.writeString(agents.resolve("clerk.md"), "---\n" + frontMatter + "\n---\nYou are a clerk.\n");
    }

    private Optional<Path> mounted(ChildId id) {
        return world.driver.spec(new SandboxId(id, 1)).map(spec -> spec.extensions());
    }

    private List<String> copied(ChildId id) throws IOException {
        Path copies = mounted(id).orElseThrow();
        try (Stream<Path> entries = Files.list(copies)) {
            return entries.map(entry -> entry.getFileName().toString()).sorted().toList();
        }
    }

    private void offers(ChildId id, long n, String extension, String... tools) {
        ObjectNode data = World.JSON.createObjectNode().put("extension", extension);
        List.of(tools).forEach(data.putArray("tools")::add);
        world.atDoor(id).report(List.of(new Report(n, Report.Type.EXTENSION_TOOLS, data)));
    }

    private Verdict.Decision asks(ChildId id, String tool) throws InterruptedException {
        ToolCall call = new ToolCall(
                new CallId("c" + calls.incrementAndGet()), tool, World.JSON.createObjectNode(), "/workspace");
        return world.atDoor(id).authorize(call, Duration.ofSeconds(5)).decision();
    }

    private List<String> facts(ChildId id, String type) {
        return world.events(id).stream()
                .filter(event -> event.type().equals(type))
                .map(Event::data)
                .toList();
    }

    @Test // P8
    void whatIsFilteredOutIsNotInTheSandbox() throws Exception {
        clerk("extensions: tickets");

        ChildId id = world.running(ASK);

        assertThat(copied(id)).containsExactly("tickets");
        assertThat(mounted(id).orElseThrow().resolve("tickets/extension.sh"))
                .hasSameBinaryContentAs(extension("tickets").resolve("extension.sh"));
        assertThat(facts(id, "extensions"))
                .singleElement()
                .asString()
                .contains("tickets")
                .doesNotContain("miner");
    }

    @Test
    void exclusionWinsOverEverything() throws Exception {
        clerk("exclude_extensions: Miner");

        assertThat(copied(world.running(ASK))).containsExactly("tickets");
    }

    @Test
    void whoeverLoadsNoneGetsNone() throws Exception {
        clerk("isolated: true");

        ChildId id = world.running(ASK);

        assertThat(mounted(id)).isEmpty();
        assertThat(facts(id, "extensions")).isEmpty();
    }

    @Test
    void aCommandIsGivenNone() {
        assertThat(mounted(world.running("{\"command\":[\"true\"]}"))).isEmpty();
    }

    @Test
    void theCopiesGoWithTheChild() throws Exception {
        clerk("extensions: tickets");
        ChildId id = world.running(ASK);
        Path copies = mounted(id).orElseThrow();

        world.driver.exit(new SandboxId(id, 1), 0);
        world.awaitEnd(id);

        assertThat(copies).doesNotExist();
    }

    @Test // P8
    void oneThatChangedSinceTheChildWasAcceptedIsTheEnd() throws Exception {
        clerk("extensions: tickets");
        ChildId first = world.running();
        ChildId queued = world.spawn(ASK);
        Files.writeString(extension("tickets").resolve("extension.sh"), "#!/bin/bash\nexec mine\n");

        world.driver.exit(new SandboxId(first, 1), 0);

        assertThat(world.awaitEnd(queued))
                .isEqualTo(new Ending(
                        EndReason.EXTENSION_CHANGED,
                        "extension `tickets` is not what it was when the child was accepted"));
        assertThat(world.driver.list()).isEmpty();
    }

    @Test
    void oneThatCannotBeCopiedIsRefused() throws Exception {
        clerk("extensions: tickets");
        Files.createSymbolicLink(extension("tickets").resolve("key"), Path.of("/etc/shadow"));

        assertThatThrownBy(() -> world.spawn(ASK))
                .isInstanceOf(AuthorityRefused.class)
                .hasMessageContaining("extension `tickets`: `key` is neither a file nor a directory");
    }

    @Test
    void saysWhatHasNoEffect() throws Exception {
        clerk("extensions: tickets, nosuch, ./mine.ts\nexclude_extensions: other");

        ChildId id = world.spawn(ASK);

        assertThat(String.join("\n", facts(id, "warning")))
                .contains("extensions: no extension `nosuch`")
                .contains("exclude_extensions: no extension `other`")
                .contains("`./mine.ts` is a path");
    }

    @Test // S1
    void theDoorKnowsAToolOnceItIsOfferedAndOnlyThen() throws Exception {
        clerk("extensions: tickets");
        ChildId id = world.running(ASK);
        assertThat(asks(id, "search")).isEqualTo(Verdict.Decision.DENIED);

        offers(id, 1, "tickets", "search");
        assertThat(asks(id, "search")).isEqualTo(Verdict.Decision.ALLOWED);
        assertThat(world.atDoor(id).toolScope()).contains("search");

        offers(id, 2, "tickets");
        assertThat(asks(id, "search")).isEqualTo(Verdict.Decision.DENIED);
        assertThat(world.atDoor(id).toolScope()).doesNotContain("search");
    }

    @Test // S1
    void theDoorVetoesWhatIsNotSelectedNotGrantedOrLocked() throws Exception {
        clerk("tools: read, ext:tickets/search, ext:tickets/bash, ext:tickets/close\ndisallowed_tools: close");
        ChildId id = world.running(ASK);

        offers(id, 1, "tickets", "search", "write_remote", "bash", "close", "Agent", "list_subagents");
        offers(id, 2, "miner", "mine");

        assertThat(world.atDoor(id).toolScope()).containsExactlyInAnyOrder("read", "search");
        assertThat(asks(id, "search")).isEqualTo(Verdict.Decision.ALLOWED);
        for (String tool : List.of("write_remote", "bash", "close", "Agent", "list_subagents", "mine")) {
            assertThat(asks(id, tool)).as(tool).isEqualTo(Verdict.Decision.DENIED);
        }
    }

    /** authority.md 13.8 */
    @Test
    void aPlainNameCountsBesideTheSelectorsOnlyIfTheOperatorWantsThatBack() throws IOException {
        clerk("tools: read, close, ext:tickets/search");
        List<String> safe = permitted(world.spawn(ASK), "read", "search", "close", "write_remote");

        world.policy = builder -> builder.compatibility(Compatibility.parse(List.of("plain-tools-bypass-selectors")));
        world.restart();
        List<String> old = permitted(world.spawn(ASK), "read", "search", "close", "write_remote");

        assertThat(safe).containsExactly("read", "search");
        assertThat(old).containsExactly("read", "search", "close");
    }

    /** At its door, when its extension offers all of them. */
    private List<String> permitted(ChildId id, String... tools) {
        ChildTools there = new ChildTools(world.child(id).terms());
        there.offers("tickets", List.of(tools));
        return Stream.of(tools).filter(there::permits).toList();
    }

    @Test
    void anExtensionThatWasNotGivenIsTheEnd() throws Exception {
        clerk("extensions: tickets");
        ChildId id = world.running(ASK);

        offers(id, 1, "miner", "mine");

        assertThat(world.awaitEnd(id))
                .isEqualTo(new Ending(
                        EndReason.CAPABILITY_MISMATCH, "its runner has an extension that it was not given: `miner`"));
    }

    @Test
    void theNextGatewayKnowsWhatWasOffered() throws Exception {
        clerk("extensions: tickets");
        ChildId id = world.running(ASK);
        offers(id, 1, "tickets", "close");
        offers(id, 2, "tickets", "search");

        world.restart();
        await().atMost(World.SOON).until(() -> world.lives.live(id, 1).isPresent());
        await().atMost(World.SOON).until(() -> world.atDoor(id).toolScope().contains("search"));

        assertThat(asks(id, "search")).isEqualTo(Verdict.Decision.ALLOWED);
        assertThat(asks(id, "close")).isEqualTo(Verdict.Decision.DENIED);
    }

    @Test
    void anExtensionThatWasAskedForByNameAndDidNotStartIsTheEnd() throws Exception {
        clerk("extensions: tickets");
        world.runner = sandbox -> world.lives
                .find(sandbox.child())
                .ifPresent(live -> live.claim(without(FakeRunner.assignment(world.lives, sandbox))));

        assertThat(world.awaitEnd(world.spawn(ASK)))
                .isEqualTo(new Ending(
                        EndReason.CAPABILITY_MISMATCH,
                        "asked for by its agent file and not active in its runner: `tickets`"));
    }

    @Test
    void anExtensionThatNobodyAskedForAndDidNotStartIsOnlyRecorded() {
        world.runner = sandbox -> world.lives
                .find(sandbox.child())
                .ifPresent(live -> live.claim(without(FakeRunner.assignment(world.lives, sandbox))));

        ChildId id = world.running();

        assertThat(facts(id, "omitted")).containsExactly("{\"names\":[\"miner\",\"tickets\"]}");
    }

    private static Evidence without(tools.jackson.databind.JsonNode assignment) {
        Evidence honest = FakeRunner.honest(assignment);
        return new Evidence(honest.nonce(), honest.model(), honest.tools(), List.of());
    }
}
