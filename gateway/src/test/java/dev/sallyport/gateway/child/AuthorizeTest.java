package dev.sallyport.gateway.child;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.sallyport.containment.HostPort;
import dev.sallyport.gateway.door.Observation;
import dev.sallyport.gateway.door.Occupant;
import dev.sallyport.gateway.door.ToolCall;
import dev.sallyport.gateway.door.Verdict;
import dev.sallyport.gateway.door.Verdict.Decision;
import dev.sallyport.identity.CallId;
import dev.sallyport.identity.ChildId;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;

class AuthorizeTest {

    private static final Duration LONG = Duration.ofSeconds(10);

    @TempDir
    private Path directory;

    private World world;
    private ChildId id;
    private Occupant child;

    @BeforeEach
    void begin() throws IOException {
        world = new World(directory);
        Path agents = Files.createDirectories(directory.resolve("agent/agents"));
        Files.writeString(agents.resolve("reader.md"), "---\ndescription: reads\ntools: read, ls\n---\nRead.\n");
        id = world.running(
                "{\"agent\":\"reader\",\"prompt\":\"x\",\"model\":\"scripted/demo\",\"network\":[\"example.com\"]}");
        child = world.atDoor(id);
    }

    @AfterEach
    void end() {
        world.close();
    }

    private static ToolCall call(String callId, String tool) {
        return new ToolCall(
                new CallId(callId), tool, World.JSON.createObjectNode().put("path", "a.txt"), "/workspace");
    }

    private CompletableFuture<Verdict> asking(ToolCall call) {
        CompletableFuture<Verdict> verdict = new CompletableFuture<>();
        Thread.ofVirtual().start(() -> {
            try {
                verdict.complete(child.authorize(call, LONG));
            } catch (InterruptedException | RuntimeException e) {
                verdict.completeExceptionally(e);
            }
        });
        return verdict;
    }

    @Test
    void asksThePermissionServiceWithWhatTheGatewayKnows() throws InterruptedException {
        Verdict verdict = child.authorize(call("1:a", "read"), LONG);

        assertThat(verdict.decision()).isEqualTo(Decision.ALLOWED);
        JsonNode asked = world.permissions.decisions().getFirst();
        assertThat(asked.path("child").asString()).isEqualTo(id.value());
        assertThat(asked.path("session").asString())
                .isEqualTo(world.child(id).session().value());
        assertThat(asked.path("incarnation").asInt()).isEqualTo(1);
        assertThat(asked.path("callId").asString()).isEqualTo("1:a");
        assertThat(asked.path("kind").asString()).isEqualTo("tool");
        assertThat(asked.path("arguments").path("path").asString()).isEqualTo("a.txt");
    }

    @Test
    void deniesAToolOutOfScopeWithoutAskingAnybody() throws InterruptedException {
        Verdict verdict = child.authorize(call("1:a", "bash"), LONG);

        assertThat(verdict.decision()).isEqualTo(Decision.DENIED);
        assertThat(verdict.reason()).contains("`bash`").contains("read, ls");
        assertThat(world.permissions.decisions()).isEmpty();
        assertThat(world.child(id).decisions().denied()).isEqualTo(1);
    }

    @Test
    void waitsWhileAPersonIsAskedAndRunsOnAfterwards() throws Exception {
        world.permissions.answer("1:a", "pending", "ask1", null);

        CompletableFuture<Verdict> verdict = asking(call("1:a", "read"));
        world.awaitState(id, ChildState.WAITING);
        world.permissions.answer("1:a", "allowed", "ask1", "human");

        assertThat(verdict.get(20, TimeUnit.SECONDS).decision()).isEqualTo(Decision.ALLOWED);
        assertThat(world.child(id).state()).isEqualTo(ChildState.RUNNING);
        assertThat(world.child(id).decisions()).isEqualTo(new Child.Decisions(1, 0, 1, 1, 0));
        assertThat(world.events(id).stream().map(Event::type)).contains("ask", "decision");
    }

    @Test
    void denied_unavailable_and_expired_stayThreeThings() throws InterruptedException {
        world.permissions.answer("1:a", "denied", null, "rule");
        world.permissions.answer("1:b", "unavailable", "ask2", null);
        world.permissions.answer("1:c", "expired", "ask3", null);

        assertThat(child.authorize(call("1:a", "read"), LONG).decision()).isEqualTo(Decision.DENIED);
        assertThat(child.authorize(call("1:b", "read"), LONG).decision()).isEqualTo(Decision.UNAVAILABLE);
        assertThat(child.authorize(call("1:c", "read"), LONG).decision()).isEqualTo(Decision.EXPIRED);
    }

    @Test
    void aQuestionThatWasWithdrawnAllowsNothing() throws InterruptedException {
        world.permissions.answer("1:a", "cancelled", "ask1", null);
        world.permissions.answer("1:b", "superseded", "ask2", null);

        assertThat(child.authorize(call("1:a", "read"), LONG).decision()).isEqualTo(Decision.CANCELLED);
        assertThat(child.authorize(call("1:b", "read"), LONG).decision()).isEqualTo(Decision.CANCELLED);
    }

    @Test // S26
    void aQuestionThatCannotBeAskedIsDeniedAndOnRecord() throws InterruptedException {
        world.permissions.answer("1:a", "conflict", null, null);

        Verdict verdict = child.authorize(call("1:a", "read"), LONG);

        assertThat(verdict.decision()).isEqualTo(Decision.DENIED);
        assertThat(verdict.reason()).contains("call-id-conflict");
        assertThat(world.child(id).decisions().denied()).isEqualTo(1);
    }

    @Test
    void anAnswerInBetweenRenewsThePatience() throws InterruptedException {
        Duration brief = Duration.ofMillis(300);
        world.permissions.down(true);
        child.authorize(call("1:a", "read"), brief);
        world.permissions.down(false);
        world.permissions.answer("1:a", "pending", "ask1", null);
        child.authorize(call("1:a", "read"), brief);
        world.clock.advance(Duration.ofMinutes(3));
        world.permissions.down(true);

        assertThat(child.authorize(call("1:a", "read"), brief).decision()).isEqualTo(Decision.PENDING);
    }

    @Test
    void anUnknownAnswerIsNoAnswer() throws InterruptedException {
        world.permissions.standard("sure");

        assertThat(child.authorize(call("1:a", "read"), Duration.ofMillis(300)).decision())
                .isEqualTo(Decision.PENDING);
    }

    @Test
    void aPermissionServiceThatIsDownNeverAllows() throws InterruptedException {
        world.permissions.down(true);

        assertThat(child.authorize(call("1:a", "read"), Duration.ofMillis(300)).decision())
                .isEqualTo(Decision.PENDING);
        world.clock.advance(Duration.ofMinutes(2));
        Verdict verdict = child.authorize(call("1:a", "read"), LONG);

        assertThat(verdict.decision()).isEqualTo(Decision.UNAVAILABLE);
        assertThat(verdict.reason()).isEqualTo("the permission-service does not answer");
    }

    @Test
    void aPermissionServiceThatComesBackIsAskedAgain() throws Exception {
        world.permissions.down(true);
        CompletableFuture<Verdict> verdict = asking(call("1:a", "read"));

        world.permissions.down(false);

        assertThat(verdict.get(20, TimeUnit.SECONDS).decision()).isEqualTo(Decision.ALLOWED);
    }

    @Test
    void countsACallOnceHoweverOftenItIsSent() throws InterruptedException {
        child.authorize(call("1:a", "read"), LONG);
        child.authorize(call("1:a", "read"), LONG);

        assertThat(world.child(id).decisions().allowed()).isEqualTo(1);
        assertThat(world.events(id).stream().filter(event -> event.type().equals("decision")))
                .hasSize(1);
    }

    @Test
    void aChildThatDoesNotComeBackForItsAnswerDoesNotWaitForEver() throws InterruptedException {
        world.permissions.answer("1:a", "pending", "ask1", null);
        child.authorize(call("1:a", "read"), Duration.ofMillis(1));
        assertThat(world.child(id).state()).isEqualTo(ChildState.WAITING);

        world.clock.advance(Duration.ofMinutes(1));
        world.lives.tick();

        assertThat(world.child(id).state()).isEqualTo(ChildState.RUNNING);
    }

    @Test
    void connectsOnlyToListedHostsAndOnlyWhenAllowed() throws InterruptedException {
        HostPort listed = HostPort.parse("example.com");

        assertThat(child.mayConnect(HostPort.parse("example.com:80"), LONG).decision())
                .isEqualTo(Decision.DENIED);
        assertThat(world.permissions.decisions()).isEmpty();
        assertThat(child.mayConnect(listed, LONG).decision()).isEqualTo(Decision.ALLOWED);

        JsonNode asked = world.permissions.decisions().getFirst();
        assertThat(asked.path("kind").asString()).isEqualTo("network");
        assertThat(asked.path("host").asString()).isEqualTo("example.com");
        assertThat(asked.path("port").asInt()).isEqualTo(443);
    }

    @Test // S21
    void aLaterApprovalAppliesToTheRetryOfAConnection() throws InterruptedException {
        HostPort listed = HostPort.parse("example.com");
        world.permissions.answer("network/example.com:443/1", "pending", "ask1", null);
        assertThat(child.mayConnect(listed, Duration.ofMillis(1)).decision()).isEqualTo(Decision.PENDING);

        world.permissions.answer("network/example.com:443/1", "allowed", "ask1", "human");

        assertThat(child.mayConnect(listed, LONG).decision()).isEqualTo(Decision.ALLOWED);
    }

    @Test
    void aConnectionNobodyAnsweredForMayBeAskedAboutAnew() throws InterruptedException {
        HostPort listed = HostPort.parse("example.com");
        world.permissions.answer("network/example.com:443/1", "unavailable", "ask1", null);

        assertThat(child.mayConnect(listed, LONG).decision()).isEqualTo(Decision.UNAVAILABLE);
        assertThat(child.mayConnect(listed, LONG).decision()).isEqualTo(Decision.ALLOWED);
    }

    @Test
    void aConnectionThatWasDeniedIsNotAskedAboutAnew() throws InterruptedException {
        HostPort listed = HostPort.parse("example.com");
        world.permissions.answer("network/example.com:443/1", "denied", "ask1", "human");

        assertThat(child.mayConnect(listed, LONG).decision()).isEqualTo(Decision.DENIED);
        assertThat(child.mayConnect(listed, LONG).decision()).isEqualTo(Decision.DENIED);
    }

    @Test
    void aHostOfAnyLengthCanBeAskedAbout() throws InterruptedException {
        String host = "%s.%s.%s.example.com".formatted("a".repeat(60), "b".repeat(60), "c".repeat(60));
        Occupant another = world.atDoor(
                world.running("{\"prompt\":\"x\",\"model\":\"scripted/demo\",\"network\":[\"%s\"]}".formatted(host)));

        assertThat(another.mayConnect(HostPort.parse(host), LONG).decision()).isEqualTo(Decision.ALLOWED);
    }

    @Test
    void whatAChildCanMakeHappenAtWillDoesNotFloodItsTimeline() {
        for (int i = 0; i < 500; i++) {
            child.observed(new Observation.Egress("evil.test:443", false, "not-listed"));
        }

        assertThat(world.events(id))
                .filteredOn(event -> event.type().equals("egress"))
                .hasSizeBetween(1, 499);
    }

    @Test
    void aCancelledChildIsAllowedNothing() throws Exception {
        world.permissions.answer("1:a", "pending", "ask1", null);
        CompletableFuture<Verdict> verdict = asking(call("1:a", "read"));
        world.awaitState(id, ChildState.WAITING);

        world.inspection.cancel(World.ALICE, id, null);
        world.awaitEnd(id);
        world.permissions.answer("1:a", "allowed", "ask1", "human");

        await().atMost(World.SOON).until(verdict::isDone);
        assertThat(verdict.get().decision()).isEqualTo(Decision.CANCELLED);
    }
}
