package dev.sallyport.gateway.child;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.sallyport.containment.Limits;
import dev.sallyport.containment.RuntimeClass;
import dev.sallyport.gateway.door.Command;
import dev.sallyport.gateway.door.ToolCall;
import dev.sallyport.gateway.door.Verdict;
import dev.sallyport.gateway.sandbox.InMemorySandboxDriver;
import dev.sallyport.gateway.sandbox.SandboxId;
import dev.sallyport.gateway.sandbox.SandboxSpec;
import dev.sallyport.gateway.sandbox.SandboxUser;
import dev.sallyport.gateway.sandbox.VolumeId;
import dev.sallyport.gateway.sandbox.WorkspaceMount;
import dev.sallyport.identity.CallId;
import dev.sallyport.identity.ChildId;
import java.io.IOException;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A gateway that dies and comes back. The fake engine and the database go on meanwhile, as the real ones do. */
class RestartTest {

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

    @Test // T53
    void adoptsARunningChild() {
        ChildId id = world.running();
        world.atDoor(id).report(List.of(World.output(1, "before")));

        world.restart();

        world.atDoor(id).report(List.of(World.output(1, "before"), World.output(2, "after")));
        world.driver.exit(new SandboxId(id, 1), 0);
        assertThat(world.awaitEnd(id).reason()).isEqualTo(EndReason.EXITED);
        assertThat(world.with.timeline().output(id, 100)).contains("beforeafter");
        assertThat(world.driver.created()).isEqualTo(1);
    }

    @Test
    void doesNotGiveTheTaskTwice() {
        ChildId id = world.running();

        world.restart();

        assertThat(world.commands(id)).containsExactly(Command.Type.ASSIGNMENT, Command.Type.TASK);
    }

    @Test
    void finishesAChildThatEndedMeanwhileFromItsExitStatus() {
        ChildId id = world.running();
        world.lives.close();
        world.driver.exit(new SandboxId(id, 1), 4);

        world.restart();

        assertThat(world.awaitEnd(id)).isEqualTo(new Ending(EndReason.EXIT_CODE, "it ended with exit code 4", 4));
        assertThat(world.events(id)).extracting(Event::type).doesNotContain("adopted");
        assertThat(world.driver.list()).isEmpty();
    }

    @Test
    void aChildThatIsGoneIsLost() {
        ChildId id = world.running();
        world.lives.close();
        world.driver.vanish(new SandboxId(id, 1));

        world.restart();

        assertThat(world.awaitEnd(id).reason()).isEqualTo(EndReason.RUNNER_LOST);
    }

    @Test // S9
    void endsAChildThatTamperedWithItsDoorMeanwhile() {
        ChildId id = world.running();
        world.lives.close();
        world.door.tamper(id);

        world.restart();

        assertThat(world.awaitEnd(id).reason()).isEqualTo(EndReason.DOOR_TAMPERED);
        assertThat(world.driver.list()).isEmpty();
    }

    @Test
    void aChildWithoutATaskStartsOverInANewIncarnation() {
        world.driver.down(true);
        ChildId id = world.spawn();
        world.awaitState(id, ChildState.PREPARING);
        world.driver.goDownAfterCreate();
        world.driver.down(false);
        await().atMost(World.SOON).until(() -> world.driver.created() == 1);

        world.restart();
        assertThat(world.atDoor(id).incarnation()).isEqualTo(1);
        world.driver.down(false);

        world.awaitState(id, ChildState.RUNNING);
        assertThat(world.child(id).incarnation()).isEqualTo(2);
        assertThat(world.atDoor(id).incarnation()).isEqualTo(2);
        assertThat(world.lives.live(id, 1)).isEmpty();
        assertThat(world.commands(id)).containsExactly(Command.Type.ASSIGNMENT, Command.Type.TASK);
        assertThat(world.driver.list()).containsExactly(new SandboxId(id, 2));
    }

    @Test
    void carriesOutAnEndThatWasDecidedBefore() {
        ChildId id = world.running();
        world.lives.close();
        world.with.children().decide(id, new Ending(EndReason.CANCELLED, "cancelled by alice"));

        world.driver.down(true);

        world.restart();

        assertThat(world.lives.live(id, 1)).isEmpty();
        world.driver.down(false);
        assertThat(world.awaitEnd(id).reason()).isEqualTo(EndReason.CANCELLED);
        assertThat(world.driver.list()).isEmpty();
    }

    @Test
    void aGatewayThatGoesDownDecidesAndServesNothing() {
        ChildId id = world.running();
        LiveChild live = world.lives.find(id).orElseThrow();

        world.lives.close();

        assertThat(live.doorServes()).isFalse();
        assertThat(world.lives.cancel(live, "too late")).isFalse();
        assertThat(world.child(id).ending()).isNull();
    }

    @Test
    void theWallClockGoesOnWhileTheGatewayIsDown() {
        ChildId id = world.running("{\"prompt\":\"x\",\"model\":\"scripted/demo\",\"limits\":{\"wall\":\"5m\"}}");
        world.lives.close();
        world.clock.advance(Duration.ofMinutes(6));

        world.restart();
        world.lives.tick();

        assertThat(world.awaitEnd(id).reason()).isEqualTo(EndReason.WALL_CLOCK);
    }

    @Test
    void anAnswerGivenWhileTheGatewayWasDownIsFoundByTheSameCall() throws InterruptedException {
        ChildId id = world.running();
        world.permissions.answer("1:a", "pending", "ask1", null);
        ToolCall call = new ToolCall(new CallId("1:a"), "bash", World.JSON.createObjectNode(), "/workspace");
        world.atDoor(id).authorize(call, Duration.ofMillis(1));
        assertThat(world.child(id).state()).isEqualTo(ChildState.WAITING);

        world.restart();
        world.awaitState(id, ChildState.RUNNING);
        world.permissions.answer("1:a", "allowed", "ask1", "human");
        Verdict verdict = world.atDoor(id).authorize(call, Duration.ofSeconds(5));

        assertThat(verdict.decision()).isEqualTo(Verdict.Decision.ALLOWED);
        assertThat(world.child(id).decisions()).isEqualTo(new Child.Decisions(1, 0, 1, 1, 0));
    }

    @Test
    void neverTakesASandboxThatIsJustMadeForAnOrphan() {
        List<ChildId> made = new ArrayList<>();
        world.driver.onList(() -> made.add(world.running()));

        world.reaper.sweep();

        world.driver.onList(() -> {});
        assertThat(world.driver.list()).containsExactly(new SandboxId(made.getFirst(), 1));
    }

    @Test
    void oneOrphanThatStaysDoesNotProtectTheOthers() {
        SandboxId stubborn = new SandboxId(ChildId.random(new SecureRandom()), 1);
        world.driver.plant(spec(stubborn));
        world.driver.plant(spec(new SandboxId(ChildId.random(new SecureRandom()), 1)));
        world.driver.stubborn(stubborn);

        world.reaper.sweep();

        assertThat(world.driver.list()).containsExactly(stubborn);
    }

    @Test // S28
    void removesWhatNoChildClaimsAndNothingOfOthers() {
        ChildId live = world.running();
        SandboxId orphan = new SandboxId(ChildId.random(new SecureRandom()), 1);
        world.driver.plant(spec(orphan));
        world.driver.createVolume(
                new VolumeId(orphan.child()), InMemorySandboxDriver.IMAGE, new SandboxUser(20_001, 20_001), 1);

        world.reaper.sweep();

        assertThat(world.driver.list()).containsExactly(new SandboxId(live, 1));
        assertThat(world.driver.volumes()).isEmpty();
        assertThat(world.meters
                        .get(ChildMetrics.ORPHANS_REMOVED)
                        .tag("kind", "sandbox")
                        .counter()
                        .count())
                .isEqualTo(1);
    }

    private static SandboxSpec spec(SandboxId id) {
        return new SandboxSpec(
                id,
                InMemorySandboxDriver.IMAGE,
                new SandboxUser(20_001, 20_001),
                Path.of("/run/sallyport/x"),
                new WorkspaceMount.None(),
                Limits.DEFAULT,
                RuntimeClass.RUNC);
    }
}
