package dev.sallyport.gateway.child;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sallyport.containment.Budgets;
import dev.sallyport.gateway.child.Children.NewChild;
import dev.sallyport.gateway.door.Command;
import dev.sallyport.gateway.sandbox.SandboxId;
import dev.sallyport.identity.ChildId;
import dev.sallyport.identity.Tenant;
import java.io.IOException;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** What the rows themselves refuse, whoever asks and in whatever order. Nobody leads these children. */
@Timeout(60)
class ChildrenTest {

    private static final Duration LONG = Duration.ofHours(1);
    private static final Ending CANCELLED = new Ending(EndReason.CANCELLED, "cancelled by alice");

    @TempDir
    private Path directory;

    private World world;
    private Children children;
    private Timeline timeline;
    private Child model;

    @BeforeEach
    void begin() throws IOException {
        world = new World(directory);
        children = world.with.children();
        timeline = world.with.timeline();
        model = world.child(world.running());
    }

    @AfterEach
    void end() {
        world.close();
    }

    private ChildId queued() {
        ChildId id = ChildId.random(new SecureRandom());
        assertThat(insert(id, Tenant.DEFAULT, "alice", null)).isTrue();
        return id;
    }

    private boolean insert(ChildId id, Tenant tenant, String principal, @Nullable String key) {
        return children.insert(List.of(new NewChild(
                id,
                tenant,
                model.session(),
                "alice",
                principal,
                null,
                key,
                "digest",
                model.terms(),
                false,
                Budgets.UNLIMITED,
                0,
                null,
                "{}",
                "",
                "{}",
                null)));
    }

    private ChildId running() {
        ChildId id = queued();
        assertThat(children.preparing(id, LONG)).isTrue();
        assertThat(children.running(id, LONG)).isTrue();
        return id;
    }

    @Test
    void nothingBeginsWhoseEndIsDecided() {
        ChildId queued = queued();
        ChildId preparing = queued();
        children.preparing(preparing, LONG);

        assertThat(children.decide(queued, CANCELLED)).isTrue();
        assertThat(children.decide(preparing, CANCELLED)).isTrue();

        assertThat(children.preparing(queued, LONG)).isFalse();
        assertThat(children.again(queued)).isFalse();
        assertThat(children.running(preparing, LONG)).isFalse();
        assertThat(children.decide(queued, new Ending(EndReason.EXITED, "it finished", 0)))
                .isFalse();
        assertThat(world.child(queued).ending()).isEqualTo(CANCELLED);
    }

    @Test
    void everyStateHasOnlyItsOwnSuccessors() {
        ChildId id = queued();

        assertThat(children.running(id, LONG)).isFalse();
        assertThat(children.waiting(id)).isFalse();
        assertThat(children.resumed(id)).isFalse();
        assertThat(children.preparing(id, LONG)).isTrue();
        assertThat(children.preparing(id, LONG)).isFalse();
        assertThat(children.running(id, LONG)).isTrue();
        assertThat(children.again(id)).isFalse();
        assertThat(children.resumed(id)).isFalse();
        assertThat(children.waiting(id)).isTrue();
        assertThat(children.waiting(id)).isFalse();
    }

    @Test
    void whatHasEndedChangesNoMore() {
        ChildId id = running();
        assertThat(children.end(id, CANCELLED, true)).isTrue();
        List<Event> events = world.events(id);

        assertThat(children.end(id, new Ending(EndReason.EXITED, "it finished", 0), true))
                .isFalse();
        assertThat(children.waiting(id)).isFalse();
        assertThat(children.claimUid(id, 20_000, 20_099)).isEmpty();

        assertThat(world.events(id)).isEqualTo(events);
        assertThat(world.child(id).state()).isEqualTo(ChildState.CANCELLED);
    }

    @Test // S7
    void aUidIsGivenToAnotherOnlyWhenNothingRunsAsItAnyMore() {
        ChildId first = running();
        ChildId second = running();
        assertThat(children.claimUid(first, 30_000, 30_000)).contains(30_000);

        assertThat(children.claimUid(second, 30_000, 30_000)).isEmpty();
        children.end(first, CANCELLED, false);
        assertThat(children.claimUid(second, 30_000, 30_000)).isEmpty();
        children.settled(first);

        assertThat(children.claimUid(second, 30_000, 30_000)).contains(30_000);
    }

    @Test
    void onlyWhatHasEndedIsSettledAndOnlyWhatIsSettledIsDeleted() {
        ChildId id = running();
        children.settled(id);
        assertThat(children.delete(id)).isFalse();

        children.end(id, CANCELLED, false);
        assertThat(children.delete(id)).isFalse();
        assertThat(children.unsettled()).extracting(Child::id).contains(id);

        children.settled(id);
        assertThat(children.delete(id)).isTrue();
    }

    @Test // S29
    void anIdempotencyKeyBelongsToOnePrincipalOfOneTenant() {
        Tenant other = new Tenant("other");
        ChildId id = ChildId.random(new SecureRandom());
        assertThat(insert(id, Tenant.DEFAULT, "alice", "k")).isTrue();

        assertThat(insert(ChildId.random(new SecureRandom()), Tenant.DEFAULT, "alice", "k"))
                .isFalse();
        assertThat(children.earlier(other, "alice", "k")).isEmpty();
        assertThat(children.earlier(Tenant.DEFAULT, "bob", "k")).isEmpty();
        assertThat(insert(ChildId.random(new SecureRandom()), other, "alice", "k"))
                .isTrue();
        assertThat(children.earlier(Tenant.DEFAULT, "alice", "k"))
                .map(Children.Earlier::id)
                .contains(id);
    }

    @Test // S5
    void onlyLiveWritersCountAsWriters() {
        ChildId id = running();
        Path project = world.root.resolve("project");
        world.db
                .sql("update child set terms = ?::json where id = ?")
                .params(
                        World.JSON
                                .writeValueAsString(model.terms())
                                .replace("\"access\":\"NONE\"", "\"access\":\"READ_WRITE\"")
                                .replace("\"mounted\":null", "\"mounted\":\"%s\"".formatted(project)),
                        id.value())
                .update();
        assertThat(children.writable()).containsExactly(project);
        assertThat(children.writableByOthers(id)).isEmpty();
        assertThat(children.writableByOthers(model.id())).containsExactly(project);

        children.end(id, CANCELLED, true);

        assertThat(children.writable()).isEmpty();
    }

    @Test
    void anotherIncarnationIsNeitherHeardNorToldAnything() {
        ChildId id = running();
        SandboxId earlier = new SandboxId(id, 2);

        timeline.command(earlier, Command.Type.CANCEL, World.JSON.createObjectNode());
        timeline.command(new SandboxId(id, 1), Command.Type.TASK, World.JSON.createObjectNode());

        assertThat(timeline.reported(earlier, 0, List.of(World.output(1, "x")), 1))
                .isFalse();
        assertThat(timeline.commands(earlier, 0)).isEmpty();
        assertThat(world.commands(id)).containsExactly(Command.Type.TASK);
        assertThat(timeline.commands(new SandboxId(id, 1), 1)).isEmpty();
    }

    @Test // S4
    void noWordOfTheChildCountsAsAFactAndNoFactAsItsWord() {
        ChildId id = running();
        for (String type : List.of(ChildAtDoor.SCRIPT_EXHAUSTED, "workspace-imported")) {
            world.db
                    .sql("insert into event select id, last_seq + ?, now(), 'child', ?, ? from child where id = ?")
                    .params(type.length(), type, "{\"files\":[\"planted\"]}", id.value())
                    .update();
        }

        assertThat(timeline.has(id, ChildAtDoor.SCRIPT_EXHAUSTED)).isFalse();
        assertThat(timeline.changedFiles(id)).isEmpty();
        timeline.fact(id, "result", World.JSON.createObjectNode().put("text", "ours"));
        assertThat(timeline.output(id, 100)).isEmpty();
    }
}
