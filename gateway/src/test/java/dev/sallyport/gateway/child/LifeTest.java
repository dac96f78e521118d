package dev.sallyport.gateway.child;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.sallyport.gateway.door.Command;
import dev.sallyport.gateway.door.ModelUse;
import dev.sallyport.gateway.door.Observation;
import dev.sallyport.gateway.error.GatewayException;
import dev.sallyport.gateway.error.GatewayException.SteeredTooOften;
import dev.sallyport.gateway.sandbox.FileKey;
import dev.sallyport.gateway.sandbox.SandboxId;
import dev.sallyport.gateway.sandbox.SandboxSpec;
import dev.sallyport.gateway.sandbox.SandboxState;
import dev.sallyport.gateway.sandbox.WorkspaceMount;
import dev.sallyport.identity.ChildId;
import java.io.IOException;
import java.math.BigDecimal;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
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
        // Docker's flag, set for a grandchild.
        assertThat(Ending.of(new SandboxState.Exited(1, true)).reason()).isEqualTo(EndReason.EXIT_CODE);
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
        await().atMost(World.SOON).until(() -> !world.door.isOpen(id));
        // Decided is not ended: something of it may still run.
        assertThat(ChildResponse.of(world.child(id)).reason()).isNull();
        assertThatThrownBy(() -> world.inspection.result(World.ALICE, id, Duration.ZERO))
                .isInstanceOf(GatewayException.ChildNotEnded.class);
        world.driver.down(false);
        world.awaitEnd(id);
    }

    @Test
    void endsOneThatCannotBePreparedInTime() throws IOException {
        world.close();
        try (World patient = new World(
                Files.createDirectory(directory.resolve("patient")),
                settings -> World.with(settings, Duration.ofMinutes(10), Set.of(), settings.events(), 16))) {
            patient.driver.down(true);
            ChildId id = patient.spawn();
            patient.awaitState(id, ChildState.PREPARING);
            await().atMost(World.SOON)
                    .until(() ->
                            patient.lives.find(id).flatMap(LiveChild::deadline).isPresent());

            patient.clock.advance(patient.settings.prepare());
            patient.lives.tick();
            patient.driver.down(false);

            assertThat(patient.awaitEnd(id).reason()).isEqualTo(EndReason.PREPARE_TIMEOUT);
            assertThat(patient.commands(id)).doesNotContain(Command.Type.TASK);
        }
    }

    @Test
    void neverUsesASandboxOfAnUnknownState() {
        world.driver.goDownAfterCreate();
        ChildId id = world.spawn();
        await().atMost(World.SOON).until(() -> world.driver.created() == 1);

        world.driver.down(false);

        world.awaitState(id, ChildState.RUNNING);
        assertThat(world.driver.created()).isEqualTo(2);
        assertThat(world.driver.list()).containsExactly(sandbox(id));
    }

    @Test
    void oneThatEndsBeforeItIsLookedAtHasEnded() {
        world.driver.down(true);
        ChildId id = world.spawn();
        world.driver.exit(sandbox(id), 3);

        world.driver.down(false);

        assertThat(world.awaitEnd(id)).isEqualTo(new Ending(EndReason.EXIT_CODE, "it ended with exit code 3", 3));
    }

    @Test // S11
    void oneThatCannotBeLookedAtDoesNotGetItsTask() {
        world.driver.opaque();
        ChildId id = world.spawn();

        assertThat(world.awaitEnd(id).reason()).isEqualTo(EndReason.CONTAINMENT_UNAVAILABLE);
        assertThat(world.commands(id)).doesNotContain(Command.Type.TASK);
    }

    @Test // S7
    void aWriterIsTheOwnerOfItsWorkspaceAndAReaderSomebodyWhoCannotWrite() throws IOException {
        Path project = Files.createDirectory(world.root.resolve("project"));
        if (Objects.equals(Files.getAttribute(project, "unix:uid"), 0)) {
            Files.setAttribute(project, "unix:uid", 12_345);
            Files.setAttribute(project, "unix:gid", 12_345);
        }
        int owner = (Integer) Files.getAttribute(project, "unix:uid");
        String body = "{\"prompt\":\"x\",\"model\":\"scripted/demo\",\"workspace\":\"%s\",\"directory\":\"%s\"}";

        SandboxSpec reader = spec(world.running(body.formatted("read-only", project)));
        SandboxSpec writer = spec(world.running(body.formatted("read-write", project)));

        assertThat(reader.user().uid()).isBetween(20_000, 20_099);
        assertThat(reader.workspace())
                .isInstanceOfSatisfying(
                        WorkspaceMount.Bind.class,
                        bind -> assertThat(bind.readOnly()).isTrue());
        assertThat(writer.user().uid()).isEqualTo(owner);
        assertThat(writer.workspace())
                .isInstanceOfSatisfying(
                        WorkspaceMount.Bind.class,
                        bind -> assertThat(bind.readOnly()).isFalse());
    }

    private SandboxSpec spec(ChildId id) {
        return world.driver.spec(sandbox(id)).orElseThrow();
    }

    @Test // S5
    void aReaderBelowAWritersMountGetsThatWhole() throws IOException {
        Path project = Files.createDirectories(world.root.resolve("project"));
        Path below = Files.createDirectory(project.resolve("below"));
        ChildId writer = world.running();
        world.db
                .sql("update child set terms = ?::json where id = ?")
                .params(
                        World.JSON
                                .writeValueAsString(world.child(writer).terms())
                                .replace("\"access\":\"NONE\"", "\"access\":\"READ_WRITE\"")
                                .replace("\"mounted\":null", "\"mounted\":\"%s\"".formatted(project)),
                        writer.value())
                .update();

        ChildId reader = world.running(
                "{\"prompt\":\"x\",\"model\":\"scripted/demo\",\"workspace\":\"read-only\",\"directory\":\"%s\"}"
                        .formatted(below));

        assertThat(world.child(reader).terms().workspace().mounted()).isEqualTo(project.toString());
        assertThat(spec(reader).workspace())
                .isInstanceOfSatisfying(
                        WorkspaceMount.Bind.class,
                        bind -> assertThat(bind.source().path()).isEqualTo(project));
    }

    @Test
    void isLedByOneThreadHoweverOftenItIsFound() {
        ChildId id = world.running();
        LiveChild live = world.lives.find(id).orElseThrow();

        world.lives.lead(world.child(id));

        assertThat(world.lives.find(id)).containsSame(live);
    }

    @Test
    void anEndIsNotForgottenWhileTheDatabaseIsAway() {
        ChildId id = world.running();
        world.database.down(true);
        world.driver.exit(sandbox(id), 3);
        await().atMost(World.SOON).until(() -> world.database.refused() > 0);

        world.database.down(false);

        assertThat(world.awaitEnd(id).reason()).isEqualTo(EndReason.EXIT_CODE);
    }

    @Test
    void theRoundsGoOnAfterOneThatFailed() {
        ChildId id = world.running("{\"prompt\":\"x\",\"model\":\"scripted/demo\",\"limits\":{\"wall\":\"10m\"}}");
        Rounds rounds = new Rounds(world.reaper, world.lives);
        rounds.start();
        try {
            world.database.down(true);
            world.clock.advance(Duration.ofMinutes(10));
            await().atMost(World.SOON).until(() -> world.database.refused() > 2);
            world.database.down(false);

            assertThat(world.awaitEnd(id).reason()).isEqualTo(EndReason.WALL_CLOCK);
        } finally {
            rounds.stop();
        }
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

    /** One child has the only place, so that what is spawned now waits in the queue. */
    private World withOnePlace(String name, Duration permission) throws IOException {
        world.close();
        return new World(
                Files.createDirectory(directory.resolve(name)),
                settings -> World.with(settings, settings.engine(), permission, Set.of(), settings.events(), 1));
    }

    @Test
    void doesNotBeginOneThatTheDatabaseKnowsToBeDecided() throws IOException {
        try (World small = withOnePlace("decided", Duration.ofMinutes(2))) {
            ChildId first = small.running();
            ChildId second = small.spawn();
            small.with.children().decide(second, new Ending(EndReason.CANCELLED, "cancelled by alice"));

            small.driver.exit(sandbox(first), 0);

            await().atMost(World.SOON).until(() -> small.lives.find(second).isEmpty());
            assertThat(small.driver.created()).isEqualTo(1);
        }
    }

    @Test // S5
    void endsOneWhoseDirectoryWasReplacedWhileItWaited() throws IOException {
        try (World small = withOnePlace("replaced", Duration.ofMinutes(2))) {
            Path project = Files.createDirectory(small.root.resolve("project"));
            ChildId first = small.running();
            ChildId second = small.spawn(
                    "{\"prompt\":\"x\",\"model\":\"scripted/demo\",\"workspace\":\"read-only\",\"directory\":\"%s\"}"
                            .formatted(project));
            Files.move(project, small.root.resolve("moved"));
            Files.createDirectory(project);

            small.driver.exit(sandbox(first), 0);

            assertThat(small.awaitEnd(second).reason()).isEqualTo(EndReason.WORKSPACE_CHANGED);
            assertThat(small.driver.created()).isEqualTo(1);
        }
    }

    @Test
    void nobodyBeginsWhomThePermissionServiceDoesNotKnow() throws IOException {
        try (World small = withOnePlace("unknown", Duration.ofMillis(300))) {
            ChildId first = small.running();
            ChildId second = small.spawn();
            small.permissions.down(true);

            small.driver.exit(sandbox(first), 0);

            assertThat(small.awaitEnd(second).reason()).isEqualTo(EndReason.PERMISSION_SERVICE_UNAVAILABLE);
            assertThat(small.driver.created()).isEqualTo(1);
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
        // It may still run: nobody else gets its uid, and it is not forgotten.
        assertThat(world.child(id).uid()).isNotNull();
        assertThat(world.with.children().unsettled()).hasSize(1);
        world.driver.down(false);
        world.reaper.sweep();
        assertThat(world.driver.list()).isEmpty();
        assertThat(world.with.children().unsettled()).isEmpty();
    }

    @Test
    void theReaperWaitsForAnEngineAndEachTimeAnew() throws IOException {
        world.close();
        Duration patience = Duration.ofMillis(300);
        try (World brief = new World(
                Files.createDirectory(directory.resolve("brief")),
                settings -> World.with(settings, patience, Set.of(), settings.events(), 16))) {
            ChildId id = brief.running();
            long start = System.nanoTime();
            brief.driver.down(true);
            brief.reaper.sweep();
            brief.driver.down(false);
            brief.reaper.sweep();
            await().atMost(World.SOON).until(() -> System.nanoTime() - start > patience.toNanos());

            brief.driver.down(true);
            brief.reaper.sweep();

            assertThat(brief.child(id).ending()).isNull();
            brief.driver.down(false);
        }
    }

    @Test
    void theReaperLosesNobodyBeforeItsPatienceIsOver() throws IOException {
        world.close();
        try (World patient = new World(
                Files.createDirectory(directory.resolve("patient")),
                settings -> World.with(settings, Duration.ofMinutes(10), Set.of(), settings.events(), 16))) {
            ChildId id = patient.running();
            patient.driver.down(true);

            patient.reaper.sweep();
            patient.reaper.sweep();

            assertThat(patient.child(id).ending()).isNull();
            patient.driver.down(false);
        }
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
        int rounds = Boolean.getBoolean("sallyport.soak") ? 200 : 20;
        for (int round = 0; round < rounds; round++) {
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
