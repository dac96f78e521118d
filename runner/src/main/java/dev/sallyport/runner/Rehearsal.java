package dev.sallyport.runner;

import dev.sallyport.runner.door.DoorServer;
import dev.sallyport.runner.door.Json;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * Plays one child through against a door of its own. The image is built with it: what is loaded here is in the AOT cache, and
 * an image in which it fails is not made.
 */
final class Rehearsal {

    private static final List<String> CALLS = List.of(
            "write:{\"path\":\"notes/a.txt\",\"content\":\"one\\ntwo\\n\"}",
            "edit:{\"path\":\"notes/a.txt\",\"edits\":[{\"oldText\":\"two\",\"newText\":\"three\"}]}",
            "read:{\"path\":\"notes/a.txt\"}",
            "bash:{\"command\":\"wc -l notes/a.txt\"}",
            "grep:{\"pattern\":\"t.*e\",\"glob\":\"*.txt\"}",
            "find:{\"pattern\":\"**/*.txt\"}",
            "ls:{}");

    private final Path directory;
    private final AtomicInteger turns = new AtomicInteger();
    private final AtomicInteger successes = new AtomicInteger();
    private final AtomicLong firstCall = new AtomicLong();
    private final CountDownLatch end = new CountDownLatch(1);

    private Rehearsal(Path directory) {
        this.directory = directory;
    }

    static int run() throws IOException, InterruptedException {
        Path directory = Files.createTempDirectory("rehearsal");
        Rehearsal rehearsal = new Rehearsal(directory);
        Path socket = directory.resolve("door.sock");
        try (DoorServer _ = DoorServer.open(socket, rehearsal::answer)) {
            int code = new Runner(socket, 0, Duration.ofSeconds(5)).run();
            int successes = rehearsal.successes.get();
            System.out.println("rehearsal: exit code %d, %d of %d calls, the first after %d ms"
                    .formatted(code, successes, CALLS.size(), rehearsal.firstCall.get()));
            return code == 0 && successes == CALLS.size() ? 0 : Runner.COULD_NOT;
        } finally {
            rehearsal.end.countDown();
        }
    }

    private void answer(DoorServer.Request request, DoorServer.Responder answer)
            throws IOException, InterruptedException {
        switch (request.path()) {
            case "/v1/control" -> {
                answer.stream("text/event-stream");
                answer.event(1, "assignment", assignment());
                answer.event(2, "task", "{\"prompt\":\"rehearse\"}");
                end.await();
            }
            case "/v1/events" -> {
                JsonNode events = Json.read(request.body().readAllBytes()).path("events");
                for (JsonNode event : events) {
                    if (event.path("data").path("outcome").asString("").equals("ok")) {
                        successes.incrementAndGet();
                    }
                }
                answer.json(
                        200,
                        "{\"acknowledged\":%d}"
                                .formatted(
                                        events.get(events.size() - 1).path("n").asLong()));
            }
            case "/v1/authorize" -> {
                firstCall.compareAndSet(0, uptime());
                answer.json(200, "{\"decision\":\"allowed\"}");
            }
            case "/model/scripted/v1/messages" -> answer.json(200, turn(turns.getAndIncrement()));
            default -> answer.json(404, "{}");
        }
    }

    /** Milliseconds since the process began, the JVM's own start included. */
    private static long uptime() {
        return ProcessHandle.current()
                .info()
                .startInstant()
                .map(start -> Duration.between(start, Instant.now()).toMillis())
                .orElse(-1L);
    }

    private String assignment() {
        ObjectNode assignment = Json.object()
                .put("version", 3)
                .put("nonce", "rehearsal")
                .put("child", "rehearsalaaaaaaa")
                .put("harness", "builtin")
                .put("systemPrompt", "")
                .put("toolTimeout", "PT30S");
        assignment
                .putObject("model")
                .put("provider", "scripted")
                .put("id", "rehearsal")
                .put("shape", "messages");
        assignment.putObject("extensions").put("all", true).putNull("selectors");
        assignment.putObject("workspace").put("mode", "none").put("directory", directory.toString());
        ArrayNode tools = assignment.putArray("tools");
        CALLS.forEach(call -> tools.add(call.substring(0, call.indexOf(':'))));
        return assignment.toString();
    }

    private static String turn(int n) {
        ObjectNode message = Json.object().put("role", "assistant");
        ArrayNode content = message.putArray("content");
        if (n < CALLS.size()) {
            String call = CALLS.get(n);
            int colon = call.indexOf(':');
            content.addObject()
                    .put("type", "tool_use")
                    .put("id", "call" + n)
                    .put("name", call.substring(0, colon))
                    .set("input", Json.read(call.substring(colon + 1)));
        } else {
            content.addObject().put("type", "text").put("text", "done");
        }
        return message.put("stop_reason", n < CALLS.size() ? "tool_use" : "end_turn")
                .toString();
    }
}
