package dev.sallyport.gateway.child;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sallyport.gateway.door.Delegates;
import dev.sallyport.gateway.door.DoorProblem;
import dev.sallyport.gateway.error.GatewayException.BatchRefused;
import dev.sallyport.gateway.error.GatewayException.ParentEnded;
import dev.sallyport.gateway.error.GatewayException.SharedWrites;
import dev.sallyport.gateway.sandbox.SandboxId;
import dev.sallyport.identity.CallId;
import dev.sallyport.identity.ChildId;
import dev.sallyport.toolscope.DelegationTools;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.node.ObjectNode;

/** Children of children: no child can widen itself, leave its family or crowd out others by having some. */
class DelegationTest {

    private static final String LEAD = "{\"agent\":\"lead\",\"prompt\":\"lead\"}";
    private static final String WORKER = "{\"agent\":\"worker\",\"prompt\":\"work\"}";

    @TempDir
    private Path directory;

    private World world;
    private final AtomicInteger calls = new AtomicInteger();

    @BeforeEach
    void begin() throws IOException {
        world = new World(directory);
        world.agent("lead", "model: scripted/demo\nallowed_subagents: worker, lead");
        world.agent("worker", "model: scripted/demo\ntools: read, ls");
        world.agent("outsider", "model: scripted/demo");
    }

    @AfterEach
    void end() {
        world.close();
    }

    private Delegates at(ChildId parent) {
        return world.atDoor(parent).delegates();
    }

    private ObjectNode ask(ChildId parent, String request) throws InterruptedException {
        return at(parent)
                .spawn(
                        (ObjectNode) World.JSON.readTree(request),
                        new CallId("spawn/" + calls.incrementAndGet()),
                        Duration.ofSeconds(5));
    }

    private ChildId spawn(ChildId parent, String request) throws InterruptedException {
        return new ChildId(ask(parent, request).path("child").path("id").asString());
    }

    private ChildId running(ChildId parent, String request) throws InterruptedException {
        ChildId id = spawn(parent, request);
        world.awaitState(id, ChildState.RUNNING);
        return id;
    }

    private static void assertRefused(ThrowingCallable attempt, int status, String code) {
        assertThatThrownBy(attempt).isInstanceOfSatisfying(DoorProblem.class, problem -> {
            assertThat(problem.status()).isEqualTo(status);
            assertThat(problem.code()).isEqualTo(code);
        });
    }

    @Test
    void aChildOfAChildBelongsToTheFamilyThatTheGatewayKnows() throws Exception {
        ChildId lead = world.running(LEAD);

        ChildId worker = running(lead, WORKER);

        Child parent = world.child(lead);
        Child child = world.child(worker);
        assertThat(child.parent()).isEqualTo(lead);
        assertThat(child.session()).isEqualTo(parent.session());
        assertThat(child.tenant()).isEqualTo(parent.tenant());
        assertThat(child.owner()).isEqualTo(parent.owner());
        assertThat(child.terms().delegation().depth()).isEqualTo(2);
        assertThat(world.permissions
                        .registrations()
                        .get(worker.value())
                        .path("parent")
                        .asString())
                .isEqualTo(lead.value());
        assertThat(parent.terms().tools()).containsAll(DelegationTools.NAMES);
        assertThat(child.terms().tools()).containsExactly("read", "ls");
    }

    @Test
    void nobodyDelegatesFromTheLowestDepth() throws Exception {
        ChildId lead = world.running(LEAD);
        ChildId second = running(lead, LEAD);

        assertThat(world.child(second).terms().tools()).doesNotContainAnyElementsOf(DelegationTools.NAMES);
        assertRefused(() -> at(second), 403, "delegation-not-allowed");
        assertThatThrownBy(() -> world.spawning.below(world.child(second), World.request(WORKER), "k"))
                .hasMessageContaining("depth 2 of 2");
    }

    @Test
    void anAgentFileThatNamesNobodyMayStartNobody() {
        ChildId worker = world.running(WORKER);

        assertRefused(() -> at(worker), 403, "delegation-not-allowed");
    }

    /** S1: code in the child asks its door without the tool. */
    @Test
    void whoIsDeniedTheToolHasNotTheRouteEither() throws Exception {
        world.agent("mute", "model: scripted/demo\nallowed_subagents: worker\ndisallowed_tools: Agent");

        ChildId mute = world.running("{\"agent\":\"mute\",\"prompt\":\"lead\"}");

        assertThat(world.child(mute).terms().tools()).doesNotContainAnyElementsOf(DelegationTools.NAMES);
        assertRefused(() -> at(mute), 403, "delegation-not-allowed");
    }

    @Test
    void whatIsDeniedOfItsChildrenIsDeniedAtItsDoor() throws Exception {
        world.agent(
                "aloof",
                "model: scripted/demo\nallowed_subagents: worker\n"
                        + "disallowed_tools: steer_subagent, cancel_subagent, list_subagents, get_subagent_result");
        ChildId aloof = world.running("{\"agent\":\"aloof\",\"prompt\":\"lead\"}");

        ChildId worker = running(aloof, WORKER);

        assertThat(world.child(aloof).terms().tools())
                .contains(DelegationTools.SPAWN)
                .doesNotContain(
                        DelegationTools.STEER, DelegationTools.CANCEL, DelegationTools.LIST, DelegationTools.RESULT);
        assertRefused(() -> at(aloof).steer(worker, "obey"), 403, "delegation-not-allowed");
        assertRefused(() -> at(aloof).cancel(worker, null), 403, "delegation-not-allowed");
        assertRefused(() -> at(aloof).list(), 403, "delegation-not-allowed");
        assertRefused(() -> at(aloof).show(worker), 403, "delegation-not-allowed");
        assertRefused(() -> at(aloof).result(worker, Duration.ZERO), 409, "child-not-ended");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{\"agent\":\"outsider\",\"prompt\":\"x\"}",
                "{\"agent\":\"general-purpose\",\"prompt\":\"x\"}",
                "{\"agent\":\"nobody\",\"prompt\":\"x\"}",
                "{\"agent\":\" \",\"prompt\":\"x\"}",
                "{\"prompt\":\"x\"}",
                "{\"command\":[\"sh\"]}"
            })
    void startsNobodyButWhomTheAgentFileNames(String request) {
        ChildId lead = world.running(LEAD);

        assertRefused(() -> ask(lead, request), 403, "delegation-not-allowed");
        assertThat(world.with.children().below(lead)).isEmpty();
    }

    @Test
    void startsNobodyWithoutPermissionWhateverTheRunnerAsked() throws Exception {
        ChildId lead = world.running(LEAD);
        world.permissions.standard("denied");

        assertThat(ask(lead, WORKER).path("decision").asString()).isEqualTo("denied");
        assertThat(world.with.children().below(lead)).isEmpty();
    }

    @Test
    void isNeverAboveItsParentHoweverItAsks() throws Exception {
        ChildId lead =
                world.running("{\"agent\":\"lead\",\"prompt\":\"x\",\"limits\":{\"memory\":\"256m\",\"wall\":\"5m\"}}");

        ChildId worker = spawn(
                lead,
                "{\"agent\":\"worker\",\"prompt\":\"x\",\"network\":[\"example.com:443\"],\"limits\":{\"memory\":\"1g\",\"wall\":\"10m\"}}");

        Terms terms = world.child(worker).terms();
        assertThat(terms.network()).isEmpty();
        assertThat(terms.limits().memoryBytes()).isEqualTo(256L << 20);
        assertThat(terms.limits().wall()).isEqualTo(Duration.ofMinutes(5));
    }

    @Test
    void onlyTheParentSeesOrControlsAChild() throws Exception {
        ChildId lead = world.running(LEAD);
        ChildId sister = world.running(LEAD);
        ChildId child = running(lead, LEAD);
        ChildId cousin = running(sister, WORKER);

        assertThat(at(lead).show(child).path("id").asString()).isEqualTo(child.value());
        assertThat(at(lead).list().path("children")).hasSize(1);
        for (ChildId other : List.of(cousin, sister, lead)) {
            assertRefused(() -> at(lead).show(other), 404, "child-not-found");
            assertRefused(() -> at(lead).result(other, Duration.ZERO), 404, "child-not-found");
            assertRefused(() -> at(lead).cancel(other, null), 404, "child-not-found");
            assertRefused(() -> at(lead).steer(other, "obey"), 404, "child-not-found");
        }
        assertThat(world.child(cousin).ending()).isNull();
    }

    @Test
    void aGrandparentIsNoParent() throws Exception {
        ChildId lead = world.running(LEAD);
        ChildId child = running(lead, LEAD);
        ChildId grandchild = running(lead, WORKER);
        world.db
                .sql("update child set parent = ? where id = ?")
                .params(child.value(), grandchild.value())
                .update();

        assertRefused(() -> at(lead).show(grandchild), 404, "child-not-found");
        assertRefused(() -> at(lead).cancel(grandchild, null), 404, "child-not-found");
        assertThat(at(lead).list().path("children")).hasSize(1);
    }

    @Test
    void hasNoPathOfTheHostInWhatAParentSees() throws Exception {
        ChildId lead = world.running(LEAD);
        ChildId worker = running(lead, WORKER);

        world.driver.exit(new SandboxId(worker, 1), 0);
        world.awaitEnd(worker);

        assertThat(at(lead).result(worker, Duration.ofSeconds(5))
                        .path("outcome")
                        .asString())
                .isEqualTo("completed");
        assertThat(at(lead).show(worker).has("directory")).isFalse();
        assertThat(at(lead).result(worker, Duration.ZERO).has("salvage")).isFalse();
    }

    @Test
    void whoeverAParentLeavesEndsWithIt() throws Exception {
        ChildId lead = world.running(LEAD);
        ChildId worker = running(lead, WORKER);
        ChildId done = running(lead, WORKER);
        world.driver.exit(new SandboxId(done, 1), 0);
        world.awaitEnd(done);

        world.driver.exit(new SandboxId(lead, 1), 0);

        assertThat(world.awaitEnd(worker).reason()).isEqualTo(EndReason.PARENT_ENDED);
        assertThat(world.awaitEnd(worker).message()).contains(lead.value());
        assertThat(world.awaitEnd(done).reason()).isEqualTo(EndReason.EXITED);
    }

    @Test
    void whoeverWasLeftWhileNoGatewayRanEndsTooEventually() throws Exception {
        ChildId lead = world.running(LEAD);
        ChildId worker = running(lead, WORKER);
        world.lives.close();
        world.db
                .sql("update child set ended_at = now(), ending = 'exited', ending_message = 'x', state = 'completed',"
                        + " settled = true where id = ?")
                .param(lead.value())
                .update();

        world.restart();
        world.reaper.sweep();

        assertThat(world.awaitEnd(worker).reason()).isEqualTo(EndReason.PARENT_ENDED);
    }

    @Test
    void aParentThatIsEndingStartsNobody() {
        ChildId lead = world.running(LEAD);
        Child parent = world.child(lead);
        world.with.children().decide(lead, new Ending(EndReason.CANCELLED, "enough"));

        assertThatThrownBy(() -> world.spawning.below(parent, World.request(WORKER), "k"))
                .isInstanceOf(ParentEnded.class);
    }

    @Test
    void theSameCallIsTheSameChild() throws Exception {
        ChildId lead = world.running(LEAD);
        ObjectNode request = (ObjectNode) World.JSON.readTree(WORKER);
        CallId call = new CallId("spawn/k");

        ObjectNode one = at(lead).spawn(request, call, Duration.ofSeconds(5));
        ObjectNode two = at(lead).spawn(request, call, Duration.ofSeconds(5));

        assertThat(two.path("child").path("id")).isEqualTo(one.path("child").path("id"));
        assertThat(world.with.children().below(lead)).hasSize(1);
        assertThat(world.events(lead).stream().filter(event -> event.type().equals("child-started")))
                .hasSize(1);
    }

    @Test // T72
    void aTreeHasAnEndHoweverFewLiveAtATime() throws Exception {
        ChildId lead = world.running(LEAD);
        for (int i = 0; i < World.PER_TREE; i++) {
            ChildId child = spawn(lead, WORKER);
            at(lead).cancel(child, "enough");
            world.awaitEnd(child);
        }

        assertRefused(() -> spawn(lead, WORKER), 409, "children-limit");

        assertThat(spawn(world.running(LEAD), WORKER)).isNotNull();
    }

    /** of many who ask at once, on connections of their own, no more are let in than there is room. */
    @Test
    void neverAdmitsMoreThanItsPlacesHoweverManyAskAtOnce() throws Exception {
        ChildId lead = world.running(LEAD);
        Child parent = world.child(lead);
        List<Callable<String>> attempts = new ArrayList<>();
        for (int i = 0; i < 40; i++) {
            String key = "k" + i;
            attempts.add(() -> {
                try {
                    return world.spawning
                            .below(parent, World.request(WORKER), key)
                            .id()
                            .value();
                } catch (dev.sallyport.gateway.error.GatewayException.NotAdmitted e) {
                    return e.problem().code();
                }
            });
        }

        List<String> answers = new ArrayList<>();
        try (ExecutorService threads = Executors.newFixedThreadPool(16)) {
            for (Future<String> answer : threads.invokeAll(attempts)) {
                answers.add(answer.get());
            }
        }

        // One of the ten places of the session is the parent's.
        assertThat(answers.stream().filter(answer -> !answer.equals("children-limit")))
                .hasSize(9);
        assertThat(world.with.children().below(parent.id())).hasSize(9);
    }

    @Test
    void aSessionThatIsFullWaitsAndOthersDoNot() {
        String session = world.child(world.running()).session().value();
        String more = "{\"session\":\"%s\",\"prompt\":\"x\",\"model\":\"scripted/demo\"}".formatted(session);
        List<ChildId> crowd = new ArrayList<>();
        for (int i = 0; i < 10; i++) {
            crowd.add(world.spawn(more));
        }
        crowd.subList(0, 9).forEach(id -> world.awaitState(id, ChildState.RUNNING));

        world.running();

        assertThat(world.child(crowd.get(9)).state()).isEqualTo(ChildState.QUEUED);
        world.driver.exit(new SandboxId(crowd.get(0), 1), 0);
        world.awaitState(crowd.get(9), ChildState.RUNNING);
    }

    private Path project() throws IOException {
        Path project = Files.createDirectories(world.root.resolve("project"));
        Files.createDirectories(project.resolve("sub"));
        try (var files = Files.walk(project)) {
            for (Path file : files.toList()) {
                Files.setAttribute(file, "unix:uid", 12_345);
                Files.setAttribute(file, "unix:gid", 12_345);
            }
        }
        return project;
    }

    private static String on(Path project, String access) {
        return "{\"agent\":\"lead\",\"prompt\":\"x\",\"directory\":\"%s\",\"workspace\":\"%s\"}"
                .formatted(project, access);
    }

    @Test
    void twoWritersDoNotShareADirectory() throws Exception {
        Path project = project();
        ChildId lead = world.running(on(project, "read-write"));

        assertRefused(
                () -> ask(lead, "{\"agent\":\"lead\",\"prompt\":\"x\",\"workspace\":\"read-write\"}"),
                409,
                "shared-writes");
        assertThatThrownBy(() -> world.spawn(on(project, "read-write"))).isInstanceOf(SharedWrites.class);
        assertThatThrownBy(() -> world.spawn(on(project, "read-write").replace("}", ",\"allowSharedWrites\":true}")))
                .isInstanceOf(SharedWrites.class);
    }

    @Test
    void writersShareADirectoryWhereTheOperatorAndEveryOneOfThemAllowIt() throws Exception {
        world.sharedWriters = true;
        world.restart();
        String alone = on(project(), "read-write");
        String shared = alone.replace("}", ",\"allowSharedWrites\":true}");
        world.running(shared);

        assertThatThrownBy(() -> world.spawn(alone)).isInstanceOf(SharedWrites.class);

        world.running(shared);
    }

    /** S5: below what a live child can write, nothing is a source but the whole of it. */
    @Test
    void mountsAWritersDirectoryWholeHoweverDeepItsChildWorks() throws Exception {
        Path project = project();
        ChildId lead = world.running(on(project, "read-write"));

        ChildId reader = running(
                lead,
                "{\"agent\":\"worker\",\"prompt\":\"x\",\"workspace\":\"read-only\",\"directory\":\"/workspace/sub\"}");

        Terms.Workspace workspace = world.child(reader).terms().workspace();
        assertThat(workspace.mounted()).isEqualTo(project.toRealPath().toString());
        assertThat(workspace.subdirectory()).isEqualTo("sub");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "/etc",
                "..",
                "../other",
                "/workspace/../other",
                "/workspace/link",
                "link",
                "gone",
                "/workspace/sub/../../other"
            })
    void leavesItsWorkspaceByNoName(String name) throws Exception {
        Path project = project();
        Files.createDirectories(world.root.resolve("other"));
        Files.createSymbolicLink(project.resolve("link"), world.root.resolve("other"));
        ChildId lead = world.running(on(project, "read-only"));

        assertRefused(
                () -> ask(lead, "{\"agent\":\"worker\",\"prompt\":\"x\",\"directory\":\"%s\"}".formatted(name)),
                422,
                "workspace-refused");
    }

    /** S3: an agent file that a child wrote is nobody's until a person trusts it, nor is what it hides. */
    @Test
    void startsNobodyThatAChildCouldHaveWritten() throws Exception {
        Path project = project();
        ChildId lead = world.running(on(project, "read-write"));
        Path agents = Files.createDirectories(project.resolve(".pi/agents"));
        Files.writeString(
                agents.resolve("worker.md"), "---\nmodel: scripted/demo\nmax_turns: 99\n---\nYou are mine.\n");
        String worker = "{\"agent\":\"worker\",\"prompt\":\"x\",\"workspace\":\"read-only\"}";

        assertRefused(() -> ask(lead, worker), 403, "authority-refused");

        world.trust(World.ALICE, project);
        assertThat(world.child(spawn(lead, worker)).terms().systemPrompt()).contains("You are mine.");
    }

    /** What a person trusts is what they saw, not where they saw it. */
    @Test
    void startsNobodyWhomAChildHasChangedSinceAPersonLooked() throws Exception {
        Path project = project();
        Path agents = Files.createDirectories(project.resolve(".pi/agents"));
        Path file = Files.writeString(agents.resolve("worker.md"), "---\nmodel: scripted/demo\n---\nLooked at.\n");
        world.trust(World.ALICE, project);
        ChildId lead = world.running(on(project, "read-write"));
        String worker = "{\"agent\":\"worker\",\"prompt\":\"x\",\"workspace\":\"read-only\"}";
        assertThat(world.child(spawn(lead, worker)).terms().systemPrompt()).contains("Looked at.");

        Files.writeString(file, "---\nmodel: scripted/demo\n---\nYou are mine.\n");

        assertRefused(() -> ask(lead, worker), 403, "authority-refused");
    }

    @Test
    void aBatchReturnsAtOnceInOneSession() {
        List<Child> batch =
                world.spawning.batch(World.ALICE, null, List.of(World.request(LEAD), World.request(WORKER)), "key");

        assertThat(batch).extracting(child -> child.terms().agent()).containsExactly("lead", "worker");
        assertThat(batch)
                .extracting(Child::session)
                .containsOnly(batch.getFirst().session());
        assertThat(world.spawning.batch(World.ALICE, null, List.of(World.request(LEAD), World.request(WORKER)), "key"))
                .extracting(Child::id)
                .isEqualTo(batch.stream().map(Child::id).toList());
    }

    @Test
    void aBatchOnlyLooksUnlessItAsksForMore() {
        List<Child> batch = world.spawning.batch(
                World.ALICE,
                null,
                List.of(
                        World.request("{\"agent\":\"outsider\",\"prompt\":\"x\"}"),
                        World.request("{\"agent\":\"outsider\",\"prompt\":\"x\",\"profile\":\"general\"}")),
                null);

        assertThat(batch.getFirst().terms().tools()).containsExactlyInAnyOrder("read", "grep", "find", "ls");
        assertThat(batch.getLast().terms().tools()).contains("bash", "write");
    }

    @Test
    void aBatchOfCommandsIsNotRefusedForAProfileThatNobodyAskedFor() {
        List<Child> batch = world.spawning.batch(
                World.ALICE, null, List.of(World.request("{\"harness\":\"command\",\"command\":[\"true\"]}")), null);

        assertThat(batch).hasSize(1);
    }

    @Test
    void aBatchWithOneBadChildStartsNone() {
        assertThatThrownBy(() -> world.spawning.batch(
                        World.ALICE,
                        null,
                        List.of(
                                World.request(WORKER),
                                World.request("{\"agent\":\"worker\",\"prompt\":\"x\",\"workspace\":\"read-only\"}"),
                                World.request("{\"agent\":\"worker\",\"prompt\":\"x\",\"workspace\":\"clone\"}")),
                        null))
                .isInstanceOfSatisfying(
                        BatchRefused.class,
                        refused -> assertThat(refused.body().getProperties().get("refused"))
                                .asString()
                                .contains("index=1", "index=2"));
        assertThat(world.with.children().list(World.ALICE.tenant(), null, null)).isEmpty();
    }
}
