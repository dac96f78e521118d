package dev.sallyport.gateway.child;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.sallyport.gateway.door.Command;
import dev.sallyport.gateway.door.ModelUse;
import dev.sallyport.gateway.door.Observation;
import dev.sallyport.gateway.error.GatewayException.SteeredTooOften;
import dev.sallyport.gateway.sandbox.FileKey;
import dev.sallyport.gateway.sandbox.SandboxId;
import dev.sallyport.identity.ChildId;
import java.io.IOException;
import java.math.BigDecimal;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.random.RandomGenerator;
import java.util.random.RandomGeneratorFactory;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class LifeTest {

    @TempDir
    private Path directory;

    private World world;

    @BeforeEach
    void begin() throws IOException {
        world = new World(directory);
    }

    @AfterEach
    void end() {
        world.close();
    }

    @Test
    void leadsAChildFromTheQueueToItsEnd() {
        ChildId id = world.running();

        world.driver.exit(sandbox(id), 0);

        assertThat(world.awaitEnd(id).reason()).isEqualTo(EndReason.EXITED);
        assertThat(world.states(id)).containsExactly("queued", "preparing", "running", "completed");
        assertThat(world.child(id).ending().exitCode()).isEqualTo(0);
    }

    @Test
    void givesTheAssignmentBeforeTheTask() {
        ChildId id = world.running();

        assertThat(world.commands(id)).containsExactly(Command.Type.ASSIGNMENT, Command.Type.TASK);
    }

    @ParameterizedTest
    @CsvSource({"high,high", "max,max", "'',", ","})
    void tellsItsRunnerHowMuchToThink(@Nullable String asked, @Nullable String assigned) {
        ChildId id = world.running("{\"prompt\":\"x\",\"model\":\"scripted/demo\",\"thinking\":%s}"
                .formatted(asked == null ? null : "\"" + asked + "\""));

        Command assignment = world.with.timeline().commands(sandbox(id), 0).getFirst();

        assertThat(assignment.data().path("model").path("thinking").asString(null))
                .isEqualTo(assigned);
    }

    @Test
    void addsUpExactlyWhatItsCallsCost() {
        ChildId id = world.running();
        assertThat(cost(id)).isNull();

        for (String cost : Arrays.asList(null, "0.0000001", null, "0.1", "0.2")) {
            world.atDoor(id).used(new ModelUse("test", "m", 10, 5, cost == null ? null : new BigDecimal(cost), true));
        }

        assertThat(cost(id)).isEqualTo(new BigDecimal("0.3000001"));
        assertThat(ChildResponse.of(world.child(id)).usage().modelCalls()).isEqualTo(5);
    }

    private @Nullable BigDecimal cost(ChildId id) {
        return ChildResponse.of(world.child(id)).usage().costUsd();
    }

    @Test
    void takesAMinutesMessagesAtOnceAndTheNextInTime() {
        ChildId id = world.running();
        for (int i = 0; i < world.settings.steersPerMinute(); i++) {
            world.inspection.steer(World.ALICE, id, "faster");
        }

        assertThatThrownBy(() -> world.inspection.steer(World.ALICE, id, "faster"))
                .isInstanceOf(SteeredTooOften.class);
        world.clock.advance(Duration.ofSeconds(2));
        world.inspection.steer(World.ALICE, id, "faster");

        assertThat(world.commands(id).stream().filter(Command.Type.STEER::equals))
                .hasSize(world.settings.steersPerMinute() + 1);
    }

    @Test
    void leavesNothingBehind() {
        ChildId id = world.running();

        world.driver.exit(sandbox(id), 3);
        world.awaitEnd(id);

        assertThat(world.driver.list()).isEmpty();
        assertThat(world.door.isOpen(id)).isFalse();
        assertThat(world.child(id).uid()).isNull();
        await().atMost(World.SOON)
                .untilAsserted(() -> assertThat(world.permissions.ended()).containsExactly(id.value()));
        assertThat(world.with.children().unsettled()).isEmpty();
    }

    @Test
    void tellsExitCodesApart() {
        assertThat(endOfOneThatExits(3)).isEqualTo(new Ending(EndReason.EXIT_CODE, "it ended with exit code 3", 3));
        assertThat(endOfOneThatExits(125).reason()).isEqualTo(EndReason.RUNNER_FAILED);
        assertThat(endOfOneThatExits(137).reason()).isEqualTo(EndReason.EXIT_CODE);
    }

    private Ending endOfOneThatExits(int code) {
        ChildId id = world.running();
        world.driver.exit(sandbox(id), code);
        return world.awaitEnd(id);
    }

    @Test
    void saysWhenTheKernelKilledItForMemory() {
        ChildId id = world.running();

        world.driver.oomKill(sandbox(id));

        assertThat(world.awaitEnd(id).reason()).isEqualTo(EndReason.OOM_KILLED);
    }

    @Test
    void aSandboxThatVanishesIsLost() {
        ChildId id = world.running();

        world.driver.vanish(sandbox(id));

        assertThat(world.awaitEnd(id).reason()).isEqualTo(EndReason.RUNNER_LOST);
        assertThat(world.child(id).state()).isEqualTo(ChildState.LOST);
    }

    @Test
    void anExitAfterTheScriptRanOutSaysSo() {
        ChildId id = world.running();
        world.atDoor(id).observed(new Observation.ModelScriptExhausted("demo", 3));

        world.driver.exit(sandbox(id), 1);

        assertThat(world.awaitEnd(id).reason()).isEqualTo(EndReason.MODEL_SCRIPT_EXHAUSTED);
    }

    @Test
    void endsAChildThatIsPastItsWallClock() {
        ChildId id = world.running("{\"prompt\":\"x\",\"model\":\"scripted/demo\",\"limits\":{\"wall\":\"10m\"}}");

        world.clock.advance(Duration.ofMinutes(10).minusMillis(1));
        world.lives.tick();
        assertThat(world.child(id).ending()).isNull();
        world.clock.advance(Duration.ofMillis(1));
        world.lives.tick();

        assertThat(world.awaitEnd(id).reason()).isEqualTo(EndReason.WALL_CLOCK);
        assertThat(world.child(id).state()).isEqualTo(ChildState.TIMED_OUT);
        assertThat(world.driver.list()).isEmpty();
    }

    @Test
    void cancelsARunningChild() {
        ChildId id = world.running();

        world.inspection.cancel(World.ALICE, id, "wrong branch");

        assertThat(world.awaitEnd(id)).isEqualTo(new Ending(EndReason.CANCELLED, "cancelled by alice: wrong branch"));
        assertThat(world.driver.list()).isEmpty();
        assertThat(world.door.isOpen(id)).isFalse();
        assertThat(world.commands(id)).endsWith(Command.Type.CANCEL);
    }

    @Test
    void servesNothingAtTheDoorOfOneWhoseEndIsDecided() {
        ChildId id = world.running();
        world.driver.down(true);

        world.inspection.cancel(World.ALICE, id, null);

        assertThat(world.lives.live(id, 1)).isEmpty();
        world.driver.down(false);
        world.awaitEnd(id);
    }

    @Test
    void servesOnlyTheLiveIncarnation() {
        ChildId id = world.running();

        assertThat(world.lives.live(id, 2)).isEmpty();
        assertThat(world.lives.live(id, 1)).isPresent();
    }

    @Test
    void keepsTheRestInTheQueueWhenAllPlacesAreTaken() throws IOException {
        world.close();
        try (World small = new World(
                Files.createDirectory(directory.resolve("small")),
                settings -> World.with(settings, settings.engine(), Set.of(), settings.events(), 1))) {
            ChildId first = small.running();
            ChildId second = small.spawn();
            ChildId third = small.spawn();

            small.inspection.cancel(World.ALICE, second, null);
            small.awaitEnd(second);
            assertThat(small.child(third).state()).isEqualTo(ChildState.QUEUED);
            small.driver.exit(new SandboxId(first, 1), 0);

            small.awaitState(third, ChildState.RUNNING);
            assertThat(small.states(second)).containsExactly("queued", "cancelled");
        }
    }

    @Test // S7
    void givesEachLiveChildAUidOfItsOwn() {
        List<ChildId> ids = List.of(world.running(), world.running(), world.running());

        assertThat(ids.stream().map(id -> world.child(id).uid()))
                .doesNotContainNull()
                .doesNotHaveDuplicates();
        assertThat(world.driver.uids()).hasSize(3).allMatch(uid -> uid >= 20_000 && uid <= 20_099);
    }

    @Test // S5
    void endsAChildWhoseWorkspaceWasSwappedBeforeItLearnsItsTask() throws IOException {
        Path project = Files.createDirectory(world.root.resolve("project"));
        world.driver.swapWorkspaces(FileKey.of(world.root));

        ChildId id = world.spawn(
                "{\"prompt\":\"x\",\"model\":\"scripted/demo\",\"workspace\":\"read-only\",\"directory\":\"%s\"}"
                        .formatted(project));

        assertThat(world.awaitEnd(id).reason()).isEqualTo(EndReason.WORKSPACE_CHANGED);
        assertThat(world.commands(id)).doesNotContain(Command.Type.TASK);
        assertThat(world.driver.list()).isEmpty();
    }

    @Test // S11
    void refusesToRunWithoutWhatIsRequired() throws IOException {
        world.close();
        try (World strict = new World(
                Files.createDirectory(directory.resolve("strict")),
                settings -> World.with(settings, settings.engine(), Set.of("disk"), settings.events(), 16))) {
            ChildId id = strict.spawn();

            assertThat(strict.awaitEnd(id).reason()).isEqualTo(EndReason.CONTAINMENT_UNAVAILABLE);
            assertThat(strict.commands(id)).doesNotContain(Command.Type.TASK);
        }
    }

    @Test
    void anEndThatTheDatabaseKnowsAndThisProcessDoesNotIsCarriedOut() {
        ChildId id = world.running();
        // As after a commit whose answer was lost.
        world.with.children().decide(id, new Ending(EndReason.CANCELLED, "cancelled by alice"));

        world.driver.exit(sandbox(id), 0);

        assertThat(world.awaitEnd(id).reason()).isEqualTo(EndReason.CANCELLED);
    }

    @Test
    void registersTheChildBeforeItHasItsTask() {
        ChildId id = world.running();

        var registration = world.permissions.registrations().get(id.value());
        assertThat(registration.path("incarnation").asInt()).isEqualTo(1);
        assertThat(registration.path("agent").asString()).isEqualTo("ad-hoc");
        assertThat(registration.path("workspace").asString()).isEqualTo("none");
    }

    @Test
    void waitsForAnEngineThatComesBack() {
        world.driver.down(true);
        ChildId id = world.spawn();
        world.awaitState(id, ChildState.PREPARING);

        world.driver.down(false);

        world.awaitState(id, ChildState.RUNNING);
    }

    @Test
    void givesUpOnAnEngineThatStaysAway() {
        world.driver.down(true);
        ChildId id = world.spawn();

        Ending ending = world.awaitEnd(id);

        assertThat(ending.reason()).isEqualTo(EndReason.ENGINE_UNAVAILABLE);
        assertThat(world.child(id).state()).isEqualTo(ChildState.LOST);
    }

    @Test
    void theReaperLosesRunningChildrenOfAnEngineThatStaysAway() {
        ChildId id = world.running();
        world.driver.down(true);

        await().atMost(World.SOON).until(() -> {
            world.reaper.sweep();
            return world.child(id).ending() != null;
        });

        assertThat(world.awaitEnd(id).reason()).isEqualTo(EndReason.ENGINE_UNAVAILABLE);
        world.driver.down(false);
        world.reaper.sweep();
        assertThat(world.driver.list()).isEmpty();
        assertThat(world.with.children().unsettled()).isEmpty();
    }

    @Test
    void aPermissionServiceThatIsDownAtTheEndIsToldLater() {
        ChildId id = world.running();
        world.permissions.down(true);
        world.driver.exit(sandbox(id), 0);
        world.awaitEnd(id);
        assertThat(world.with.children().unsettled()).hasSize(1);

        world.permissions.down(false);
        world.reaper.sweep();

        assertThat(world.permissions.ended()).containsExactly(id.value());
        assertThat(world.with.children().unsettled()).isEmpty();
    }

    /** Whoever comes first decides; there is one ending, one last event, and a state that fits. */
    @Test
    void oneOfTwoEndingsWinsHoweverTheyInterleave() throws InterruptedException {
        RandomGenerator random =
                RandomGeneratorFactory.of("L64X128MixRandom").create(Long.getLong("sallyport.seed", 7));
        for (int round = 0; round < 200; round++) {
            ChildId id = world.running();
            SandboxId sandbox = sandbox(id);
            int first = random.nextInt(2000);
            int second = random.nextInt(2000);

            Thread cancel = Thread.ofVirtual().start(() -> {
                spin(first);
                world.inspection.cancel(World.ALICE, id, null);
            });
            Thread exit = Thread.ofVirtual().start(() -> {
                spin(second);
                world.driver.exit(sandbox, 0);
            });
            cancel.join();
            exit.join();

            Ending ending = world.awaitEnd(id);
            assertThat(ending.reason()).isIn(EndReason.EXITED, EndReason.CANCELLED);
            assertThat(world.child(id).state()).isEqualTo(ending.state());
            assertThat(world.events(id).stream().filter(Event::last))
                    .as("round %d", round)
                    .hasSize(1);
            assertThat(world.events(id).getLast().last()).isTrue();
            assertThat(world.driver.list()).isEmpty();
        }
    }

    private static void spin(int times) {
        for (int i = 0; i < times; i++) {
            Thread.onSpinWait();
        }
    }

    private static SandboxId sandbox(ChildId id) {
        return new SandboxId(id, 1);
    }
}
