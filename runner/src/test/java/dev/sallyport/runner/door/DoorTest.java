package dev.sallyport.runner.door;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sallyport.identity.CallId;
import dev.sallyport.testing.Golden;
import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.concurrent.LinkedBlockingQueue;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
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

    @Test
    void takesNothingElseForAnHttpAnswer() throws Exception {
        Path socket = directory.resolve("other.sock");
        try (ServerSocketChannel server =
                ServerSocketChannel.open(StandardProtocolFamily.UNIX).bind(UnixDomainSocketAddress.of(socket))) {
            Thread.ofVirtual().start(() -> {
                try (SocketChannel peer = server.accept()) {
                    // Closed with something unread, it would break the pipe of whoever still writes.
                    peer.read(ByteBuffer.allocate(4096));
                    peer.write(ByteBuffer.wrap("SSH-2.0-x\r\n\r\n".getBytes(StandardCharsets.US_ASCII)));
                } catch (IOException e) {
                    throw new AssertionError(e);
                }
            });

            assertThatThrownBy(() -> new Door(socket, Duration.ofSeconds(5)).model("/model/p", new byte[0]))
                    .isInstanceOf(IOException.class)
                    .hasMessage("not an HTTP answer");
        }
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
