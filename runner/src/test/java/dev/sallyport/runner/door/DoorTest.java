package dev.sallyport.runner.door;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sallyport.identity.CallId;
import dev.sallyport.testing.Golden;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeoutException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;

@Timeout(60)
class DoorTest {

    private static final CallId CALL = new CallId("1.1:toolu_01");
    private static final JsonNode ARGUMENTS = Json.read("{\"command\":\"./test.sh\"}");

    @TempDir
    Path directory;

    private FakeDoor gateway;
    private Door door;

    @BeforeEach
    void open() throws IOException {
        gateway = new FakeDoor(directory);
        door = new Door(gateway.socket(), Duration.ofSeconds(30));
    }

    @AfterEach
    void close() throws IOException {
        gateway.close();
    }

    @Test
    void asksTheSameQuestionAgainWhileItIsPending() throws Exception {
        Iterator<String> answers = List.of(
                        "{\"decision\":\"pending\",\"askId\":\"a\"}",
                        "{\"decision\":\"pending\",\"askId\":\"a\"}",
                        "{\"decision\":\"allowed\"}")
                .iterator();
        gateway.authorize(_ -> answers.next());

        Decision decision = authorize();

        assertThat(decision.outcome()).isEqualTo(Decision.Outcome.ALLOWED);
        assertThat(gateway.questions())
                .hasSize(3)
                .containsOnly(gateway.questions().getFirst());
    }

    @Test
    void asksTheSameQuestionAgainAfterTheGatewayDiedOverIt() throws Exception {
        Iterator<String> answers =
                new ArrayList<>(java.util.Arrays.asList(null, null, "{\"decision\":\"allowed\"}")).iterator();
        gateway.authorize(_ -> answers.next());

        assertThat(authorize().outcome()).isEqualTo(Decision.Outcome.ALLOWED);
        assertThat(gateway.questions())
                .hasSize(3)
                .containsOnly(gateway.questions().getFirst());
    }

    @Test
    void waitsForAGatewayThatRestarts() throws Exception {
        authorize();
        gateway.die();
        LinkedBlockingQueue<Decision> decisions = new LinkedBlockingQueue<>();
        Thread asker = Thread.ofVirtual().start(() -> {
            try {
                decisions.add(authorize());
            } catch (IOException | InterruptedException e) {
                throw new AssertionError(e);
            }
        });
        while (asker.getState() != Thread.State.TIMED_WAITING) {
            Thread.onSpinWait();
        }

        gateway.comeBack();

        assertThat(decisions.take().outcome()).isEqualTo(Decision.Outcome.ALLOWED);
    }

    @Test
    void waitsWithAModelCallForAGatewayThatRestarts() throws Exception {
        gateway.model("{\"content\":[]}").die();
        LinkedBlockingQueue<Integer> answers = new LinkedBlockingQueue<>();
        Thread caller = Thread.ofVirtual().start(() -> {
            try {
                answers.add(door.model("/model/p/v1/messages", new byte[] {'{', '}'})
                        .status());
            } catch (IOException | InterruptedException e) {
                throw new AssertionError(e);
            }
        });
        // Longer than a connection that is merely busy is tried.
        long until = System.nanoTime() + Duration.ofMillis(500).toNanos();
        while (System.nanoTime() < until) {
            assertThat(caller.isAlive()).isTrue();
            Thread.onSpinWait();
        }

        gateway.comeBack();

        assertThat(answers.take()).isEqualTo(200);
    }

    @Test
    void givesUpOnAGatewayThatStaysAway() throws Exception {
        gateway.die();
        Door impatient = new Door(gateway.socket(), Duration.ofMillis(100));

        assertThatThrownBy(() -> impatient.authorize(CALL, "bash", ARGUMENTS, "/workspace"))
                .isInstanceOf(DoorLostException.class);
    }

    @ParameterizedTest
    @CsvSource({
        "denied,DENIED",
        "unavailable,UNAVAILABLE",
        "expired,EXPIRED",
        "cancelled,CANCELLED",
        "allow,DENIED",
        "'',DENIED"
    })
    void takesOnlyAllowedForAllowed(String word, Decision.Outcome outcome) throws Exception {
        gateway.authorize(_ -> "{\"decision\":\"%s\"}".formatted(word));

        assertThat(authorize().outcome()).isEqualTo(outcome);
    }

    @Test // S26
    void aQuestionThatIsRefusedIsDenied() throws Exception {
        gateway.authorize(_ -> "{\"code\":\"call-id-conflict\",\"detail\":\"another call has this id\"}");

        assertThat(authorize()).isEqualTo(new Decision(Decision.Outcome.DENIED, "another call has this id"));
    }

    @Test
    void sendsTheRestOfWhatWasAcknowledgedInPart() throws Exception {
        gateway.mostTaken(1);

        door.report(List.of(
                Event.turn(1).numbered(1),
                Event.turn(2).numbered(2),
                Event.turn(3).numbered(3)));

        assertThat(gateway.events("turn")).hasSize(3);
        gateway.mostTaken(0);
        assertThatThrownBy(() -> door.report(List.of(Event.turn(4).numbered(4))))
                .hasMessage("the door acknowledges nothing");
    }

    @Test
    void aCancelledModelCallIsNoFailedOne() throws Exception {
        LinkedBlockingQueue<String> ended = new LinkedBlockingQueue<>();
        Thread caller = Thread.ofVirtual().unstarted(() -> {
            try {
                door.model("/model/p/v1/messages", new byte[] {'{', '}'});
            } catch (InterruptedException e) {
                ended.add("interrupted");
            } catch (IOException e) {
                ended.add(e.toString());
            }
        });
        gateway.onModelRequest(() -> {
            caller.interrupt();
            try {
                caller.join();
            } catch (InterruptedException e) {
                throw new AssertionError(e);
            }
        });

        caller.start();

        assertThat(ended.take()).isEqualTo("interrupted");
    }

    private Path other() {
        return directory.resolve("other.sock");
    }

    @Test
    void takesNothingElseForAnHttpAnswerAndLeaves() throws Exception {
        try (RawDoor server = new RawDoor(other(), "SSH-2.0-x\r\n\r\n")) {
            assertThatThrownBy(() -> new Door(other(), Duration.ZERO).model("/model/p", new byte[0]))
                    .isInstanceOf(IOException.class)
                    .hasMessage("not an HTTP answer");
            server.awaitLeaving();
        }
        Path another = directory.resolve("another.sock");
        try (RawDoor server = new RawDoor(another, "SSH-2.0-x\r\n\r\n")) {
            assertThatThrownBy(() -> new Door(another, Duration.ZERO).get("/"))
                    .hasMessage("no answer at the door for 0 s: not an HTTP answer");
            server.awaitLeaving();
        }
    }

    @Test
    void leavesAConnectionOpenUnlessTheDoorClosesIt() throws Exception {
        String answer = "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n%s\r\n";
        try (RawDoor keeps = new RawDoor(other(), answer.formatted(""));
                RawDoor closes = new RawDoor(directory.resolve("closes"), answer.formatted("Connection: close\r\n"))) {
            Door kept = new Door(other(), Duration.ofSeconds(5));
            Door closed = new Door(directory.resolve("closes"), Duration.ofSeconds(5));
            for (int i = 0; i < 3; i++) {
                assertThat(kept.get("/").ok()).isTrue();
                assertThat(closed.get("/").ok()).isTrue();
            }

            assertThat(keeps.came()).isEqualTo(1);
            assertThat(closes.came()).isEqualTo(3);
        }
    }

    @Test
    void passesOverWhatComesBeforeAnAnswerAndTakesOneWithoutABodyForWhole() throws Exception {
        String answer =
                "HTTP/1.1 100 Continue\r\nA: b\r\n\r\nHTTP/1.1 103 Early\r\n\r\nHTTP/1.1 204 No Content\r\n\r\n";
        try (RawDoor server = new RawDoor(other(), answer)) {
            Door door = new Door(other(), Duration.ofSeconds(5));

            assertThat(door.get("/").status()).isEqualTo(204);
            assertThat(door.get("/").status()).isEqualTo(204);
            assertThat(server.came()).isEqualTo(1);
        }
    }

    @Test // S15
    void neverDeliversHalfAResultAsAWhole() throws Exception {
        try (RawDoor server = new RawDoor(other(), "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")) {
            Door door = new Door(other(), Duration.ofSeconds(5));

            assertThatThrownBy(() -> door.deliverWorkspace(out -> {
                        out.write(1);
                        throw new TimeoutException("git was killed");
                    }))
                    .hasMessage("git was killed");
            server.awaitLeaving();

            assertThat(server.answered()).isZero();
        }
    }

    @Test
    void writingNothingIsNotTheEndOfAResult() throws Exception {
        door.deliverWorkspace(out -> {
            out.write(new byte[0]);
            out.write('x');
        });

        assertThat(gateway.delivered()).asString().isEqualTo("x");
    }

    @Test
    void takesAnAnswerThatIsNoJsonForOneThatSaysNothing() throws Exception {
        String answer = "HTTP/1.1 400 Bad\r\nContent-Length: 6\r\n\r\n<html>";
        try (RawDoor _ = new RawDoor(other(), answer)) {
            Answer said = new Door(other(), Duration.ofSeconds(5)).get("/");

            assertThat(said.code()).isEmpty();
            assertThat(said.detail()).isEqualTo("status 400");
        }
    }

    @Test
    void takesNoAnswerIntoMemoryBeyondItsBound() throws Exception {
        byte[] piece = new byte[1 << 20];
        try (DoorServer _ = DoorServer.open(other(), (_, answer) -> {
            OutputStream out = answer.stream("application/json");
            for (int i = 0; i < 9; i++) {
                out.write(piece);
            }
        })) {
            assertThatThrownBy(() -> new Door(other(), Duration.ofSeconds(5)).model("/model/p", new byte[0]))
                    .hasMessage("answer is larger than 8388608 bytes");
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {408, 429, 500, 503})
    void takesNoPassingFailureForAnAnswer(int status) throws Exception {
        gateway.refuseEvents(status, "{}");
        gateway.refuseControl(status, "{}");
        Door impatient = new Door(gateway.socket(), Duration.ofMillis(60));

        assertThatThrownBy(() -> impatient.report(List.of(Event.turn(1).numbered(1))))
                .isInstanceOf(DoorLostException.class)
                .hasMessage("no answer at the door for 0 s: status " + status);
        assertThat(gateway.eventPosts()).isGreaterThan(1);
    }

    @Test
    void isLostToAGatewayThatHasNoControlStreamForIt() {
        gateway.refuseControl(410, "{\"code\":\"child-ended\"}");

        assertThatThrownBy(() -> new Door(gateway.socket(), Duration.ofMillis(60)).listen(_ -> {}))
                .isInstanceOf(DoorLostException.class)
                .hasMessage("no answer at the door for 0 s: control stream ended with status 410");
        assertThat(gateway.lastEventIds()).hasSizeBetween(2, 10);
    }

    @Test
    void doesNotAskInALoop() throws Exception {
        long until = System.nanoTime() + Duration.ofMillis(300).toNanos();
        gateway.authorize(_ -> System.nanoTime() < until ? "{\"decision\":\"pending\"}" : "{\"decision\":\"allowed\"}");

        assertThat(authorize().outcome()).isEqualTo(Decision.Outcome.ALLOWED);

        assertThat(gateway.questions()).hasSizeBetween(2, 10);
    }

    @Test
    void asksAsTheDoorExpects() throws Exception {
        authorize();

        Golden.assertMessage(
                "door-authorize.json", gateway.questions().getFirst().toPrettyString());
    }

    @Test
    void readsTheDoorsAnswer() throws Exception {
        assertThat(Decision.of(Json.read(Golden.message("door-authorize-answer.json"))))
                .isEqualTo(new Decision(Decision.Outcome.DENIED, "rule bash:rm * denies it"));
    }

    @Test
    void hearsEachCommandOnceAcrossBrokenStreams() throws Exception {
        LinkedBlockingQueue<String> heard = new LinkedBlockingQueue<>();
        Thread listener = Thread.ofVirtual().start(() -> {
            try {
                door.listen(command -> heard.add(command.type()));
            } catch (IOException | InterruptedException e) {
                heard.add(e.toString());
            }
        });
        gateway.command("assignment", "{}").command("task", "{}");
        assertThat(List.of(heard.take(), heard.take())).containsExactly("assignment", "task");

        gateway.die();
        gateway.command("steer", "{}");
        gateway.comeBack();

        assertThat(heard.take()).isEqualTo("steer");
        assertThat(gateway.lastEventIds()).first().isEqualTo("");
        assertThat(gateway.lastEventIds()).last().isEqualTo("2");
        listener.interrupt();
        listener.join();
    }

    @Test
    void countsItsPatienceFromTheEndOfAStream() throws Exception {
        Duration patience = Duration.ofMillis(200);
        LinkedBlockingQueue<String> heard = new LinkedBlockingQueue<>();
        Thread listener = Thread.ofVirtual().start(() -> {
            try {
                new Door(gateway.socket(), patience).listen(command -> heard.add(command.type()));
            } catch (IOException | InterruptedException e) {
                heard.add(e.toString());
            }
        });
        gateway.command("assignment", "{}");
        assertThat(heard.take()).isEqualTo("assignment");
        // As long as it takes to lose another door.
        assertThatThrownBy(() -> new Door(directory.resolve("nobody"), patience).get("/"))
                .isInstanceOf(DoorLostException.class);

        gateway.hangUp();
        gateway.command("steer", "{}");

        assertThat(heard.take()).isEqualTo("steer");
        listener.interrupt();
        listener.join();
    }

    @Test
    void neverRepeatsAModelCallByItself() {
        gateway.modelFails(0, "");

        assertThatThrownBy(() -> door.model("/model/anthropic/v1/messages", new byte[] {'{', '}'}))
                .isInstanceOf(IOException.class);
        assertThat(gateway.modelRequests()).hasSize(1);
    }

    @Test
    void isInterruptedInTheMiddleOfAQuestion() throws Exception {
        gateway.deaf(true);
        LinkedBlockingQueue<String> ended = new LinkedBlockingQueue<>();
        Thread speaker = Thread.ofVirtual().start(() -> {
            try {
                door.report(List.of(Event.turn(1).numbered(1)));
            } catch (InterruptedException e) {
                ended.add("interrupted");
            } catch (IOException e) {
                ended.add(e.toString());
            }
        });
        gateway.await(() -> gateway.eventPosts() == 1);

        speaker.interrupt();

        assertThat(ended.take()).isEqualTo("interrupted");
        gateway.deaf(false);
    }

    private Decision authorize() throws IOException, InterruptedException {
        return door.authorize(CALL, "bash", ARGUMENTS, "/workspace");
    }
}
