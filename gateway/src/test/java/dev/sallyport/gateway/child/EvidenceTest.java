package dev.sallyport.gateway.child;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.sallyport.gateway.door.Command;
import dev.sallyport.gateway.door.DoorProblem;
import dev.sallyport.gateway.door.Report;
import dev.sallyport.gateway.sandbox.SandboxId;
import dev.sallyport.identity.ChildId;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.function.Consumer;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/** What a runner says is active before it gets its task, and what becomes of one that says something else. */
class EvidenceTest {

    private static final String READER = "{\"agent\":\"reader\",\"prompt\":\"look\",\"model\":\"scripted/demo\"}";

    @TempDir
    private Path directory;

    private World world;

    @BeforeEach
    void begin() throws IOException {
        world = new World(directory);
        world.runner = _ -> {};
        Path agents = Files.createDirectories(directory.resolve("agent/agents"));
        Files.writeString(agents.resolve("reader.md"), "---\ndescription: reads\ntools: read, grep\n---\nRead.\n");
    }

    @AfterEach
    void end() {
        world.close();
    }

    private ChildId started(String request) {
        ChildId id = world.spawn(request);
        await().atMost(World.SOON).until(() -> !world.driver.list().isEmpty());
        return id;
    }

    private ObjectNode honest(ChildId id) {
        Evidence evidence = FakeRunner.honest(FakeRunner.assignment(world.lives, new SandboxId(id, 1)));
        return World.JSON.valueToTree(evidence);
    }

    private void say(ChildId id, long n, ObjectNode evidence) {
        world.atDoor(id).report(List.of(new Report(n, Report.Type.STARTED, evidence)));
    }

    private Ending endOfOneThatSays(Consumer<ObjectNode> lie) {
        ChildId id = started(READER);
        ObjectNode evidence = honest(id);
        lie.accept(evidence);
        say(id, 1, evidence);
        Ending ending = world.awaitEnd(id);
        assertThat(world.commands(id)).doesNotContain(Command.Type.TASK);
        return ending;
    }

    private static Consumer<ObjectNode> tools(String... names) {
        return evidence -> {
            ArrayNode tools = evidence.putArray("tools");
            List.of(names).forEach(tools::add);
        };
    }

    @Test
    void whoeverHasWhatWasGrantedGetsItsTask() {
        ChildId id = started(READER);
        assertThat(world.commands(id)).containsExactly(Command.Type.ASSIGNMENT);

        say(id, 1, honest(id));

        world.awaitState(id, ChildState.RUNNING);
        assertThat(world.commands(id)).containsExactly(Command.Type.ASSIGNMENT, Command.Type.TASK);
    }

    @Test
    void aToolBeyondTheAuthorityIsTheEnd() {
        assertThat(endOfOneThatSays(tools("read", "grep", "bash")))
                .isEqualTo(new Ending(EndReason.CAPABILITY_MISMATCH, "active in its runner and not granted: `bash`"));
    }

    @Test
    void aReportTooLongToKeepIsComparedWhole() {
        String[] many = IntStream.range(0, 20_000).mapToObj("tool%d"::formatted).toArray(String[]::new);

        assertThat(endOfOneThatSays(tools(many)).message())
                .startsWith("active in its runner and not granted: `tool0`, `tool1`")
                .endsWith(" and 19990 more");
    }

    @Test
    void anExtensionBeyondTheAuthorityIsTheEnd() {
        assertThat(endOfOneThatSays(evidence -> evidence.putArray("extensions").add("miner"))
                        .message())
                .isEqualTo("active in its runner and not granted: `miner`");
    }

    @Test
    void aToolThatWasAskedForByNameAndIsMissingIsTheEnd() {
        assertThat(endOfOneThatSays(tools("read")))
                .isEqualTo(new Ending(
                        EndReason.CAPABILITY_MISMATCH,
                        "asked for by its agent file and not active in its runner: `grep`"));
    }

    @Test
    void aMissingToolThatNobodyAskedForIsOnlyRecorded() {
        ChildId id = started("{\"prompt\":\"look\",\"model\":\"scripted/demo\"}");
        ObjectNode evidence = honest(id);
        tools("read", "bash", "edit", "write", "grep", "find").accept(evidence);

        say(id, 1, evidence);

        world.awaitState(id, ChildState.RUNNING);
        assertThat(world.events(id))
                .filteredOn(event -> event.type().equals("omitted"))
                .singleElement()
                .satisfies(event -> assertThat(event.data()).isEqualTo("{\"names\":[\"ls\"]}"));
    }

    @Test
    void anotherModelIsTheEnd() {
        assertThat(endOfOneThatSays(evidence -> evidence.put("model", "scripted/other\u001b[2J"))
                        .message())
                .startsWith("its runner has model `scripted/other\\")
                .doesNotContain("\u001b")
                .endsWith("(expected: `scripted/demo`)");
        assertThat(endOfOneThatSays(evidence -> evidence.putNull("model")).reason())
                .isEqualTo(EndReason.CAPABILITY_MISMATCH);
    }

    @Test
    void aReportOfAnotherStartIsTheEnd() {
        ChildId other = started(READER);
        String earlier = honest(other).path("nonce").stringValue();

        ChildId id = world.spawn(READER);
        await().atMost(World.SOON).until(() -> world.driver.list().size() == 2);
        ObjectNode replayed = honest(id);
        assertThat(replayed.path("nonce").stringValue()).isNotEqualTo(earlier);
        say(id, 1, replayed.put("nonce", earlier));

        assertThat(world.awaitEnd(id))
                .isEqualTo(new Ending(EndReason.CAPABILITY_MISMATCH, "its runner reported the nonce of another start"));
    }

    @Test
    void whoeverReportsTwiceIsEnded() {
        ChildId id = started(READER);
        say(id, 1, honest(id));
        world.awaitState(id, ChildState.RUNNING);

        say(id, 1, honest(id));
        assertThat(world.child(id).ending()).isNull();
        say(id, 2, honest(id));

        assertThat(world.awaitEnd(id).message()).isEqualTo("it reported a second time what is active in its runner");
    }

    @Test
    void aSecondReportIsSeenByTheNextGatewayToo() {
        ChildId id = started(READER);
        ObjectNode evidence = honest(id);
        say(id, 1, evidence);
        world.awaitState(id, ChildState.RUNNING);

        world.restart();
        await().atMost(World.SOON).until(() -> world.lives.find(id).isPresent());
        say(id, 2, evidence);

        assertThat(world.awaitEnd(id).reason()).isEqualTo(EndReason.CAPABILITY_MISMATCH);
    }

    @Test
    void silenceIsTheEndWhenItsTimeIsOver() {
        ChildId id = started(READER);
        await().atMost(World.SOON)
                .until(() -> world.lives
                        .find(id)
                        .flatMap(LiveChild::deadline)
                        .filter(deadline -> deadline.reason() == EndReason.EVIDENCE_MISSING)
                        .isPresent());

        world.clock.advance(Duration.ofMinutes(3));
        world.lives.tick();

        assertThat(world.awaitEnd(id))
                .isEqualTo(new Ending(
                        EndReason.EVIDENCE_MISSING,
                        "its runner did not say what is active in it within its time of 120 s"));
        assertThatThrownBy(() -> world.atDoor(id)).isInstanceOf(RuntimeException.class);
    }

    @Test
    void evidenceThatComesAfterItsTimeChangesNothing() {
        ChildId id = started(READER);
        ObjectNode evidence = honest(id);
        var door = world.atDoor(id);
        world.clock.advance(Duration.ofMinutes(3));
        world.lives.tick();
        world.awaitEnd(id);

        assertThatThrownBy(() -> door.report(List.of(new Report(1, Report.Type.STARTED, evidence))))
                .isInstanceOf(DoorProblem.class);

        assertThat(world.child(id).state()).isEqualTo(ChildState.FAILED);
        assertThat(world.commands(id)).doesNotContain(Command.Type.TASK);
    }

    @Test
    void theFormerIncarnationCannotSpeakForTheNext() {
        ChildId id = started(READER);
        ObjectNode evidence = honest(id);
        var former = world.atDoor(id);

        world.restart();
        await().atMost(World.SOON)
                .until(() -> world.child(id).incarnation() == 2
                        && world.driver.list().contains(new SandboxId(id, 2)));

        assertThatThrownBy(() -> former.report(List.of(new Report(1, Report.Type.STARTED, evidence))))
                .isInstanceOf(DoorProblem.class);
        assertThat(world.child(id).state()).isEqualTo(ChildState.PREPARING);
        world.atDoor(id).report(List.of(new Report(1, Report.Type.STARTED, evidence)));
        assertThat(world.awaitEnd(id).message()).isEqualTo("its runner reported the nonce of another start");
    }

    @Test
    void aRunnerThatEndsWellWithoutAWordHasNotDoneItsTask() {
        ChildId id = started(READER);

        world.driver.exit(new SandboxId(id, 1), 0);

        assertThat(world.awaitEnd(id).reason()).isEqualTo(EndReason.EVIDENCE_MISSING);
    }

    @Test
    void aCommandHasNothingActiveButItsNonce() {
        ChildId id = started("{\"command\":[\"true\"]}");
        ObjectNode evidence = honest(id);
        assertThat(evidence.path("tools")).isEmpty();
        tools("read").accept(evidence);

        say(id, 1, evidence);

        assertThat(world.awaitEnd(id).message()).isEqualTo("active in its runner and not granted: `read`");
    }
}
