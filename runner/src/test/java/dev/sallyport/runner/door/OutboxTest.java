package dev.sallyport.runner.door;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sallyport.identity.CallId;
import dev.sallyport.testing.Golden;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

@Timeout(60)
class OutboxTest {

    private static final int CAPACITY = 10_000;

    @TempDir
    Path directory;

    private FakeDoor gateway;
    private Outbox outbox;
    private Outbox roomy;

    @BeforeEach
    void open() throws IOException {
        gateway = new FakeDoor(directory);
        outbox = new Outbox(new Door(gateway.socket(), Duration.ofSeconds(30)), CAPACITY);
        roomy = new Outbox(new Door(gateway.socket(), Duration.ofSeconds(30)), 1 << 20);
    }

    @AfterEach
    void close() throws IOException {
        outbox.close();
        roomy.close();
        gateway.close();
    }

    @Test
    void numbersEventsWithoutGapsInTheirOrder() throws Exception {
        for (int i = 1; i <= 50; i++) {
            outbox.emit(Event.turn(i));
        }

        assertThat(outbox.flush()).isTrue();
        assertThat(gateway.events().stream().map(event -> event.path("n").asInt()))
                .containsExactlyElementsOf(IntStream.rangeClosed(1, 50).boxed().toList());
        assertThat(gateway.events("turn").stream().map(data -> data.path("n").asInt()))
                .containsExactlyElementsOf(IntStream.rangeClosed(1, 50).boxed().toList());
    }

    @Test
    void sendsUnderTheSameNumbersUntilAcknowledged() throws Exception {
        gateway.mute(true);
        outbox.emit(Event.turn(1));
        gateway.await(() -> gateway.eventPosts() >= 3);
        gateway.mute(false);

        assertThat(outbox.flush()).isTrue();
        assertThat(gateway.events()).hasSize(1);
    }

    @Test
    void keepsWhatIsSaidWhileTheGatewayRestarts() throws Exception {
        outbox.emit(Event.turn(1));
        outbox.flush();
        gateway.die();
        outbox.emit(Event.turn(2));
        outbox.emit(Event.turn(3));

        gateway.comeBack();

        assertThat(outbox.flush()).isTrue();
        assertThat(gateway.events("turn")).hasSize(3);
    }

    @Test
    void dropsOutputBeforeAnythingElseAndSaysHowMuch() throws Exception {
        gateway.deaf(true);
        outbox.emit(Event.turn(1));
        gateway.await(() -> gateway.eventPosts() == 1);
        String block = "x".repeat(999) + "\n";
        for (int i = 0; i < 100; i++) {
            // Streams take turns, so that nothing is joined.
            outbox.emit(Event.output(i % 2 == 0 ? "stdout" : "stderr", block));
        }
        // Nobody listens: there is room for it because output goes.
        outbox.emit(Event.assistant("y".repeat(5000)));
        outbox.emit(Event.error("code", "the end"));

        gateway.deaf(false);

        assertThat(outbox.flush()).isTrue();
        assertThat(gateway.events("assistant")).hasSize(1);
        assertThat(gateway.events("error")).hasSize(1);
        List<JsonNode> output = gateway.events("output");
        long kept = output.stream()
                .filter(data -> data.path("text").asString().equals(block))
                .count();
        assertThat(kept).isBetween(1L, 10L);
        assertThat(output.getFirst().path("text").asString())
                .isEqualTo("[%d characters of output dropped here]\n".formatted((100 - kept) * 1000));
    }

    @Test
    void keepsNoMoreOutputThanItHasRoomFor() throws Exception {
        gateway.deaf(true);
        outbox.emit(Event.turn(1));
        gateway.await(() -> gateway.eventPosts() == 1);
        for (int i = 0; i < 100; i++) {
            outbox.emit(Event.output(i % 2 == 0 ? "stdout" : "stderr", "x".repeat(1000)));
        }

        gateway.deaf(false);

        assertThat(outbox.flush()).isTrue();
        assertThat(gateway.events("output").toString()).hasSizeLessThan(CAPACITY + 1000);
    }

    @Test // S4
    void endsQuietlyWhenTheGatewayTakesNoMore() throws Exception {
        gateway.refuseEvents(429, "{\"code\":\"events-limit\"}");
        outbox.emit(Event.turn(1));
        outbox.emit(Event.turn(2));

        assertThat(outbox.flush()).isTrue();
        assertThat(gateway.eventPosts()).isLessThanOrEqualTo(2);
    }

    @Test
    void makesWhoeverSaysSomethingElseWaitForRoom() throws Exception {
        gateway.deaf(true);
        outbox.emit(Event.turn(1));
        gateway.await(() -> gateway.eventPosts() == 1);
        Thread speaker = Thread.ofPlatform().start(() -> {
            try {
                for (int i = 0; i < 20; i++) {
                    outbox.emit(Event.assistant("x".repeat(1000)));
                }
            } catch (InterruptedException e) {
                throw new AssertionError(e);
            }
        });
        while (speaker.getState() != Thread.State.WAITING) {
            assertThat(speaker.isAlive()).isTrue();
            Thread.onSpinWait();
        }

        gateway.deaf(false);
        speaker.join();

        assertThat(outbox.flush()).isTrue();
        assertThat(gateway.events("assistant")).hasSize(20);
    }

    @Test
    void whatIsLargerThanAllItsRoomIsSaidAllTheSame() throws Exception {
        try (Outbox tiny = new Outbox(new Door(gateway.socket(), Duration.ofSeconds(30)), 1)) {
            tiny.emit(Event.turn(1));
            tiny.emit(Event.turn(2));

            assertThat(tiny.flush()).isTrue();
        }
        assertThat(gateway.events("turn")).hasSize(2);
    }

    @Test
    void nobodyWaitsForRoomAtADoorThatIsLost() throws Exception {
        gateway.die();
        try (Outbox tiny = new Outbox(new Door(gateway.socket(), Duration.ofMillis(100)), 1)) {
            for (int i = 0; i < 5; i++) {
                tiny.emit(Event.turn(i));
            }

            assertThat(tiny.flush()).isFalse();
        }
    }

    /** Events are counted, and whoever prints a line at a time would soon have said all that it may. */
    @Test
    void collectsWhatAChattyProgramPrints() throws Exception {
        long end = System.nanoTime() + Duration.ofMillis(400).toNanos();
        for (long next = System.nanoTime(); next < end; next += 1_000_000) {
            while (System.nanoTime() < next) {
                Thread.onSpinWait();
            }
            outbox.emit(Event.output("stdout", "line\n"));
        }

        assertThat(outbox.flush()).isTrue();
        assertThat(gateway.events("output")).hasSizeBetween(1, 40);
    }

    @Test
    void joinsOutputOfOneStream() throws Exception {
        gateway.deaf(true);
        outbox.emit(Event.turn(1));
        gateway.await(() -> gateway.eventPosts() == 1);
        for (int i = 0; i < 10; i++) {
            outbox.emit(Event.output("stdout", i + "\n"));
        }
        gateway.deaf(false);
        outbox.flush();

        assertThat(gateway.events("output")).hasSize(1);
        assertThat(gateway.events("output").getFirst().path("text").asString())
                .isEqualTo("0\n1\n2\n3\n4\n5\n6\n7\n8\n9\n");
    }

    @Test
    void joinsNoOutputOfTwoStreams() throws Exception {
        gateway.deaf(true);
        outbox.emit(Event.turn(1));
        gateway.await(() -> gateway.eventPosts() == 1);
        outbox.emit(Event.output("stdout", "a"));
        outbox.emit(Event.output("stderr", "b"));
        outbox.emit(Event.output("stdout", "c"));
        gateway.deaf(false);
        outbox.flush();

        assertThat(gateway.events("output").stream()
                        .map(data -> data.path("stream").asString()
                                + data.path("text").asString()))
                .containsExactly("stdouta", "stderrb", "stdoutc");
    }

    @Test
    void isNotDoneBeforeItHasSaidWhatWasDropped() throws Exception {
        try (Outbox tiny = new Outbox(new Door(gateway.socket(), Duration.ofSeconds(30)), 1)) {
            tiny.emit(Event.output("stdout", "too much"));

            assertThat(tiny.flush()).isTrue();
        }
        assertThat(gateway.events("output"))
                .containsExactly(
                        Json.object().put("stream", "stderr").put("text", "[8 characters of output dropped here]\n"));
    }

    /** Six characters of JSON for each of it. */
    @Test
    void anEventLargerThanABatchIsABatch() throws Exception {
        outbox.emit(Event.result("\u0001".repeat(60_000)));

        assertThat(outbox.flush()).isTrue();
        assertThat(gateway.events("result")).hasSize(1);
    }

    @Test
    void leavesADoorThatDoesNotAnswerWhenItIsClosed() throws Exception {
        try (RawDoor silent = new RawDoor(directory.resolve("silent.sock"), "")) {
            Outbox left = new Outbox(new Door(directory.resolve("silent.sock"), Duration.ofSeconds(30)), CAPACITY);
            left.emit(Event.turn(1));
            while (silent.answered() == 0) {
                Thread.onSpinWait();
            }

            left.close();

            silent.awaitLeaving();
        }
    }

    @Test
    void saysNothingThatCannotBeStored() throws Exception {
        outbox.emit(Event.output("stdout", "a\0b\ud800c\ud83d\ude00"));
        outbox.emit(Event.toolCall(
                new CallId("1"), "x\0", Json.read("{\"k\\u0000\":[{\"v\":\"\\u0000\\\\u0000\"}],\"n\":1}")));

        outbox.emit(Event.toolResult(new CallId("1"), "x\0", "ok", "\0\udc00", null));
        for (Event event : List.of(Event.assistant("\0"), Event.result("\0"), Event.error("code", "\0"))) {
            outbox.emit(event);
        }

        outbox.flush();

        assertThat(gateway.events("output").getFirst().path("text").asString())
                .isEqualTo("a\u2400b\ufffdc\ud83d\ude00");
        assertThat(gateway.events("tool-call").getFirst().path("tool").asString())
                .isEqualTo("x\u2400");
        assertThat(gateway.events("tool-result"))
                .containsExactly(Json.object()
                        .put("callId", "1")
                        .put("tool", "x\u2400")
                        .put("outcome", "ok")
                        .put("output", "\u2400\ufffd"));
        assertThat(List.of("assistant", "result"))
                .allSatisfy(type -> assertThat(gateway.events(type))
                        .containsExactly(Json.object().put("text", "\u2400")));
        assertThat(gateway.events("error"))
                .containsExactly(Json.object().put("code", "code").put("message", "\u2400"));
        assertThat(gateway.events("tool-call").getFirst().path("arguments"))
                .isEqualTo(Json.read("{\"k\u2400\":[{\"v\":\"\u2400\\\\u0000\"}],\"n\":1}"));
    }

    @Test
    void sendsNoMoreAtOnceThanTheDoorTakes() throws Exception {
        gateway.deaf(true);
        for (int i = 0; i < 2000; i++) {
            roomy.emit(Event.turn(i));
        }
        gateway.deaf(false);

        assertThat(roomy.flush()).isTrue();
        assertThat(gateway.events("turn")).hasSize(2000);
        assertThat(gateway.largestPost()).isLessThanOrEqualTo(1000);
    }

    @Test
    void everyPostAndEveryEventIsOfABoundedSize() throws Exception {
        gateway.deaf(true);
        for (int i = 0; i < 10; i++) {
            roomy.emit(Event.result("x".repeat(100_000)));
        }
        for (int i = 0; i < 100; i++) {
            roomy.emit(Event.output("stdout", "y".repeat(1000)));
        }
        roomy.emit(Event.toolCall(new CallId("1"), "bash", Json.object().put("command", "z".repeat(100_000))));
        roomy.emit(Event.toolResult(new CallId("1"), "bash", "ok", "z".repeat(100_000), 0));
        roomy.emit(Event.assistant("z".repeat(100_000)));
        roomy.emit(Event.error("code", "z".repeat(100_000)));
        gateway.deaf(false);

        assertThat(roomy.flush()).isTrue();
        assertThat(gateway.eventPosts()).isGreaterThanOrEqualTo(3);
        assertThat(gateway.events("output").size()).isGreaterThanOrEqualTo(5);
        assertThat(gateway.events())
                .allSatisfy(event -> assertThat(event.toString()).hasSizeLessThan(66_000));
        assertThat(gateway.events("result").getFirst().path("text").asString()).endsWith("x [34464 more characters]");
    }

    @Test
    void saysThatItLostTheDoor() throws Exception {
        gateway.die();
        try (Outbox impatient = new Outbox(new Door(gateway.socket(), Duration.ofMillis(100)), CAPACITY)) {
            impatient.emit(Event.turn(1));

            assertThat(impatient.flush()).isFalse();
        }
    }

    @Test
    void speaksAsTheDoorExpects() throws Exception {
        CallId call = new CallId("1.1:toolu_01");
        List<Event> events = List.of(
                Event.started(
                        "0d9f3f0e-6a41-4d0a-9f53-1f0f5a1f7f11",
                        List.of("read", "bash"),
                        List.of(),
                        "anthropic/claude-sonnet-4-5",
                        "tini",
                        20001),
                Event.extensionTools("tickets", List.of("search", "close")),
                Event.workspaceReady("0123456789abcdef0123456789abcdef01234567"),
                Event.turn(1),
                Event.assistant("I run the tests."),
                Event.toolCall(call, "bash", Json.read("{\"command\":\"./test.sh\"}")),
                Event.toolResult(call, "bash", "error", "1 test failed", 1),
                Event.output("stdout", "hello\n"),
                Event.result("One test fails."),
                Event.error("turn-limit", "stopped after 8 turns"));
        List<ObjectNode> numbered = IntStream.range(0, events.size())
                .mapToObj(i -> events.get(i).numbered(i + 1))
                .toList();

        Golden.assertMessage(
                "door-events.json", Json.read(Outbox.json(numbered)).toPrettyString());
    }
}
