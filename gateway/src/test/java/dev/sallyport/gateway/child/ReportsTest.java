package dev.sallyport.gateway.child;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sallyport.gateway.child.LifeSettings.EventLimits;
import dev.sallyport.gateway.door.DoorProblem;
import dev.sallyport.gateway.door.Occupant;
import dev.sallyport.gateway.door.Report;
import dev.sallyport.gateway.door.ToolCall;
import dev.sallyport.gateway.door.Verdict;
import dev.sallyport.identity.CallId;
import dev.sallyport.identity.ChildId;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.stream.LongStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** S4: what a child says of itself. */
class ReportsTest {

    private static final int MOST = 20;

    @TempDir
    private Path directory;

    private World world;
    private ChildId id;
    private Occupant child;

    @BeforeEach
    void begin() throws IOException {
        world = new World(
                directory,
                settings -> World.with(
                        settings, settings.engine(), Set.of(), new EventLimits(1 << 16, 10_000, MOST, 1 << 20), 16));
        id = world.running();
        child = world.atDoor(id);
    }

    @AfterEach
    void end() {
        world.close();
    }

    private List<Event> said() {
        return world.events(id).stream()
                .filter(event -> event.source() == Event.Source.CHILD)
                .toList();
    }

    @Test
    void storesEachNumberOnce() {
        assertThat(child.report(List.of(World.output(1, "a"), World.output(2, "b"))))
                .isEqualTo(2);
        assertThat(child.report(List.of(World.output(2, "b"), World.output(3, "c"))))
                .isEqualTo(3);
        assertThat(child.report(List.of(World.output(1, "again")))).isEqualTo(3);

        assertThat(world.with.timeline().output(id, 100)).contains("abc");
    }

    @Test
    void numbersAreWithoutGaps() {
        child.report(List.of(World.output(5, "a"), World.output(9, "b")));

        assertThat(world.events(id).stream().map(Event::seq))
                .containsExactlyElementsOf(
                        LongStream.rangeClosed(1, world.events(id).size())
                                .boxed()
                                .toList());
    }

    @Test
    void whatWasStoredWithoutOurHearingOfItIsNotStoredAgain() {
        child.report(List.of(World.output(1, "a")));
        // As after a commit whose answer was lost: the row knows more than this process.
        world.with.timeline().reported(world.child(id).sandbox(), 1, List.of(World.output(2, "b")), 10);

        assertThat(child.report(List.of(World.output(2, "b"), World.output(3, "c"))))
                .isEqualTo(3);

        assertThat(world.with.timeline().output(id, 100)).contains("abc");
    }

    @Test
    void aChildCannotPlantAFactOfTheGateway() {
        child.report(List.of(World.output(1, "{\"state\":\"completed\"}")));

        assertThat(said())
                .singleElement()
                .satisfies(event -> assertThat(event.source()).isEqualTo(Event.Source.CHILD));
        assertThat(world.child(id).state()).isEqualTo(ChildState.RUNNING);
    }

    @Test
    void cutsAnEventThatIsTooLarge() {
        child.report(List.of(World.output(1, "x".repeat(1 << 17))));

        assertThat(said()).singleElement().satisfies(event -> {
            assertThat(event.data().length()).isLessThan(2048);
            assertThat(World.JSON.readTree(event.data()).path("truncated").asBoolean())
                    .isTrue();
        });
    }

    @Test
    void endsAChildThatReportsMoreThanItMay() {
        for (int n = 1; n <= MOST; n++) {
            child.report(List.of(World.output(n, "x")));
        }

        assertThatThrownBy(() -> child.report(List.of(World.output(MOST + 1, "x"))))
                .isInstanceOfSatisfying(
                        DoorProblem.class, problem -> assertThat(problem.code()).isEqualTo("events-limit"));

        assertThat(world.awaitEnd(id).reason()).isEqualTo(EndReason.EVENTS_LIMIT);
        assertThat(said()).hasSize(MOST);
    }

    @Test
    void endsAChildThatMakesOthersWriteMoreThanItMaySay() {
        for (int n = 1; n <= MOST; n++) {
            assertThat(ask(child, "call-" + n, "").decision()).isEqualTo(Verdict.Decision.DENIED);
        }

        assertThatThrownBy(() -> ask(child, "one-more", "")).isInstanceOf(DoorProblem.class);

        assertThat(world.awaitEnd(id).reason()).isEqualTo(EndReason.EVENTS_LIMIT);
    }

    @Test
    void endsAChildWhoseQuestionsAreTooLong() throws IOException {
        try (World small = limited("long", new EventLimits(1 << 16, 10_000, MOST, 1000))) {
            ChildId another = small.running();

            assertThatThrownBy(() -> ask(small.atDoor(another), "1", "x".repeat(1000)))
                    .isInstanceOf(DoorProblem.class);

            assertThat(small.awaitEnd(another).reason()).isEqualTo(EndReason.EVENTS_LIMIT);
            assertThat(small.permissions.decisions()).isEmpty();
        }
    }

    private static Verdict ask(Occupant door, String call, String path) {
        String tool = path.isEmpty() ? "nosuch" : "read";
        try {
            return door.authorize(
                    new ToolCall(
                            new CallId(call),
                            tool,
                            World.JSON.createObjectNode().put("path", path),
                            "/workspace"),
                    Duration.ZERO);
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    private World limited(String name, EventLimits limits) throws IOException {
        world.close();
        return new World(
                Files.createDirectory(directory.resolve(name)),
                settings -> World.with(settings, settings.engine(), Set.of(), limits, 16));
    }

    @Test
    void endsAChildThatReportsMoreBytesThanItMay() throws IOException {
        try (World small = limited("small", new EventLimits(1 << 16, 10_000, MOST, 1000))) {
            ChildId another = small.running();

            assertThatThrownBy(() -> small.atDoor(another).report(List.of(World.output(1, "x".repeat(1000)))))
                    .isInstanceOf(DoorProblem.class);

            assertThat(small.awaitEnd(another).reason()).isEqualTo(EndReason.EVENTS_LIMIT);
        }
    }

    @Test
    void aChildThatReportsTooFastWaits() throws IOException {
        try (World slow = limited("slow", new EventLimits(1 << 16, 10, 100, 1 << 20))) {
            Occupant another = slow.atDoor(slow.running());
            List<Report> twoSecondsWorth = LongStream.rangeClosed(1, 20)
                    .mapToObj(n -> World.output(n, "x"))
                    .toList();
            long start = System.nanoTime();

            another.report(twoSecondsWorth);

            assertThat(Duration.ofNanos(System.nanoTime() - start)).isGreaterThan(Duration.ofMillis(900));
        }
    }

    @Test
    void aChildThatMakesOthersWriteTooFastWaits() throws IOException {
        try (World slow = limited("slow", new EventLimits(1 << 16, 10, 100, 1 << 20))) {
            Occupant another = slow.atDoor(slow.running());
            long start = System.nanoTime();

            for (int n = 1; n <= 20; n++) {
                ask(another, "call-" + n, "");
            }

            assertThat(Duration.ofNanos(System.nanoTime() - start)).isGreaterThan(Duration.ofMillis(900));
        }
    }

    @Test
    void aChildThatAnotherGatewayHasStartedAnewReportsNothing() {
        world.db.sql("update child set incarnation = 2").update();

        assertThatThrownBy(() -> child.report(List.of(World.output(1, "late")))).isInstanceOf(DoorProblem.class);

        assertThat(said()).isEmpty();
    }

    @Test
    void aRestartDoesNotGiveItANewAllowance() {
        for (int n = 1; n <= MOST; n++) {
            child.report(List.of(World.output(n, "x")));
        }

        world.restart();

        assertThatThrownBy(() -> world.atDoor(id).report(List.of(World.output(MOST + 1, "x"))))
                .isInstanceOf(DoorProblem.class);
    }

    @Test
    void anEndedChildReportsNothing() {
        world.inspection.cancel(World.ALICE, id, null);
        world.awaitEnd(id);
        int before = world.events(id).size();

        assertThatThrownBy(() -> child.report(List.of(World.output(1, "late")))).isInstanceOf(DoorProblem.class);

        assertThat(world.events(id)).hasSize(before);
    }
}
