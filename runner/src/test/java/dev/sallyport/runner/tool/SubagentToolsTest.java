package dev.sallyport.runner.tool;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sallyport.runner.door.Door;
import dev.sallyport.runner.door.DoorServer;
import dev.sallyport.runner.door.Json;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.LinkedBlockingQueue;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What becomes of a model's words about other agents before they reach the door, and of the door's before they reach it. */
@Timeout(60)
class SubagentToolsTest {

    private static final String ID = "abcdefghijklmnop";
    private static final String TASK = "{\"prompt\":\"work\",\"description\":\"d\"%s}";
    private static final String STARTED =
            "200 {\"decision\":\"allowed\",\"child\":{\"id\":\"abcdefghijklmnop\",\"runInBackground\":true}}";

    @TempDir
    Path directory;

    private final List<String> asked = new CopyOnWriteArrayList<>();

    /** Status and body; when there is none left, the child is not found. */
    private final BlockingQueue<String> answers = new LinkedBlockingQueue<>();

    private DoorServer server;
    private List<Tool> tools;

    @BeforeEach
    void open() throws IOException {
        Path socket = directory.resolve("door.sock");
        server = DoorServer.open(socket, this::answer);
        tools = SubagentTools.through(new Door(socket, Duration.ofSeconds(10)));
    }

    @AfterEach
    void close() throws IOException {
        server.close();
    }

    private void answer(DoorServer.Request request, DoorServer.Responder answer) throws IOException {
        String body = new String(request.body().readAllBytes(), StandardCharsets.UTF_8);
        asked.add("%s %s %s %s"
                .formatted(
                        request.method(), request.path(), request.headers().getOrDefault("idempotency-key", "-"), body)
                .strip());
        String next = answers.poll();
        String status = next == null ? "404" : next.substring(0, 3);
        answer.json(
                Integer.parseInt(status),
                next == null ? "{\"code\":\"child-not-found\",\"detail\":\"no such child\"}" : next.substring(4));
    }

    private ToolResult call(String tool, String arguments) throws InterruptedException {
        return Toolbox.run(() -> tools.stream()
                .filter(one -> one.name().equals(tool))
                .findFirst()
                .orElseThrow()
                .prepare(Json.read(arguments))
                .run());
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "../authorize",
                "abcdefghijklmnop/steer",
                "abcdefghijklmnop?wait=9",
                "abcdefghijklmnop\\n",
                "ABCDEFGHIJKLMNOP",
                "abcdefghijklmno1",
                "abcdefghijklmno",
                "abcdefghijklmnopq"
            })
    void nothingButAnIdBecomesPartOfAPath(String id) throws Exception {
        for (String tool : List.of("get_subagent_result", "steer_subagent", "cancel_subagent")) {
            String more = tool.startsWith("steer") ? ",\"message\":\"x\"" : "";

            assertThat(call(tool, "{\"agent_id\":\"%s\"%s}".formatted(id, more)).output())
                    .contains("(expected: the id of an agent that you started)");
        }
        assertThat(asked).isEmpty();
    }

    @Test
    void aSpawnThatIsAskedForAgainIsTheSameOneAndTheNextIsAnother() throws Exception {
        answers.addAll(List.of("200 {\"decision\":\"pending\"}", STARTED, STARTED));

        assertThat(call("Agent", TASK.formatted("")))
                .isEqualTo(ToolResult.ok("agent " + ID + " runs in the background"));
        call("Agent", TASK.formatted(""));

        String body = "{\"prompt\":\"work\",\"description\":\"d\"}";
        assertThat(asked)
                .containsExactly(
                        "POST /v1/children spawn/1 " + body,
                        "POST /v1/children spawn/1 " + body,
                        "POST /v1/children spawn/2 " + body);
    }

    @Test
    void saysWhatTheModelSaidAndNothingThatItLeftOut() throws Exception {
        answers.addAll(List.of(STARTED, STARTED));

        call("Agent", TASK.formatted(",\"subagent_type\":\"worker\",\"max_turns\":0,\"isolated\":false"));

        assertThat(asked)
                .containsExactly(
                        "POST /v1/children spawn/1 {\"prompt\":\"work\",\"description\":\"d\",\"agent\":\"worker\",\"maxTurns\":0,\"isolated\":false}");
        assertThat(call("Agent", TASK.formatted(",\"parent\":\"me\"")).output())
                .startsWith("unknown argument: `parent`");
        assertThat(asked).hasSize(1);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            200 {"decision":"denied","reason":"rule x","child":{"id":"abcdefghijklmnop"}} | DENIED: rule x
            200 {"decision":"unavailable","reason":"nobody"}                             | UNAVAILABLE: nobody
            200 {"decision":"maybe","child":{"id":"abcdefghijklmnop"}}                    | DENIED: the door answered `maybe`
            409 {"code":"children-limit","detail":"ten live","decision":"allowed"}       | children-limit: ten live
            """)
    void takesNothingButAYesForAYes(String answer, String result) throws Exception {
        answers.add(answer);

        assertThat(call("Agent", TASK.formatted(""))).isEqualTo(ToolResult.refused(result));
        assertThat(asked).hasSize(1);
    }

    @Test
    void waitsForAChildThatDoesNotRunInTheBackground() throws Exception {
        answers.addAll(List.of(
                "200 {\"decision\":\"allowed\",\"child\":{\"id\":\"abcdefghijklmnop\"}}",
                "409 {\"code\":\"child-not-ended\"}",
                "200 {\"outcome\":\"completed\",\"output\":\"42\",\"branch\":\"pi-agent-x\"}"));

        ToolResult result = call("Agent", TASK.formatted(""));

        assertThat(result.outcome()).isEqualTo(ToolResult.Outcome.OK);
        assertThat(result.output()).startsWith("42\n").contains("`git merge pi-agent-x`");
        assertThat(asked.subList(1, 3))
                .containsExactly(
                        "GET /v1/children/abcdefghijklmnop/result?wait=20s -",
                        "GET /v1/children/abcdefghijklmnop/result?wait=20s -");
    }

    @Test
    void whoeverDoesNotWaitIsToldThatItRuns() throws Exception {
        answers.add("409 {\"code\":\"child-not-ended\",\"detail\":\"it is running\"}");

        assertThat(call("get_subagent_result", "{\"agent_id\":\"%s\"}".formatted(ID)))
                .isEqualTo(ToolResult.ok("it is running"));
        assertThat(asked).containsExactly("GET /v1/children/abcdefghijklmnop/result?wait=0s -");
    }

    @Test
    void aDoorThatHoldsNoQuestionIsNotAskedInALoop() throws Exception {
        long until = System.nanoTime() + Duration.ofMillis(300).toNanos();
        Path socket = directory.resolve("brief.sock");
        try (DoorServer _ = DoorServer.open(socket, (request, answer) -> {
            asked.add(request.path());
            boolean over = System.nanoTime() > until;
            answer.json(over ? 200 : 409, over ? "{\"outcome\":\"completed\"}" : "{}");
        })) {
            tools = SubagentTools.through(new Door(socket, Duration.ofSeconds(10)));

            call("get_subagent_result", "{\"agent_id\":\"%s\",\"wait\":true}".formatted(ID));
        }
        assertThat(asked).hasSizeBetween(2, 10);
    }

    @Test
    void aChildThatFailedIsNoSuccess() throws Exception {
        answers.add(
                "200 {\"outcome\":\"failed\",\"reason\":\"wall_clock\",\"message\":\"too slow\",\"output\":\"so far\"}");

        assertThat(call("get_subagent_result", "{\"agent_id\":\"%s\",\"wait\":true}".formatted(ID)))
                .isEqualTo(ToolResult.error("failed (wall_clock): too slow\n\nUntil then it had said:\nso far"));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "get_subagent_result {\"agent_id\":\"abcdefghijklmnop\",\"wait\":true}",
                "steer_subagent {\"agent_id\":\"abcdefghijklmnop\",\"message\":\"x\"}",
                "cancel_subagent {\"agent_id\":\"abcdefghijklmnop\"}",
                "list_subagents {}"
            })
    void aRefusalIsNoSuccess(String call) throws Exception {
        String[] words = call.split(" ", 2);

        assertThat(call(words[0], words[1])).isEqualTo(ToolResult.refused("child-not-found: no such child"));
    }

    @Test
    void theToolsSpeakOfTheChildThatIsMeant() throws Exception {
        answers.addAll(List.of(
                "202 {}",
                "202 {}",
                "200 {\"children\":[{\"id\":\"abcdefghijklmnop\",\"state\":\"running\",\"agent\":\"worker\",\"description\":\"d\"}]}",
                "200 {\"children\":[]}"));

        assertThat(call("steer_subagent", "{\"agent_id\":\"%s\",\"message\":\"hurry\"}".formatted(ID)))
                .isEqualTo(ToolResult.ok("sent"));
        assertThat(call("cancel_subagent", "{\"agent_id\":\"%s\",\"reason\":\"enough\"}".formatted(ID)))
                .isEqualTo(ToolResult.ok("cancelled"));
        assertThat(call("list_subagents", "{}")).isEqualTo(ToolResult.ok(ID + " running worker: d"));
        assertThat(call("list_subagents", "{}")).isEqualTo(ToolResult.ok("none"));

        assertThat(asked)
                .containsExactly(
                        "POST /v1/children/abcdefghijklmnop/steer - {\"message\":\"hurry\"}",
                        "POST /v1/children/abcdefghijklmnop/cancel - {\"reason\":\"enough\"}",
                        "GET /v1/children -",
                        "GET /v1/children -");
    }

    @Test
    void nobodyIsAskedTwiceAboutOneOfThemOrAboutOneThatCannotRun() {
        assertThat(tools).allMatch(Tool::decidedAtDoor);
        assertThatThrownBy(() -> tools.getFirst().prepare(Json.read("{\"prompt\":\"x\"}")))
                .isInstanceOf(ToolException.class)
                .hasMessage("description is missing (expected: text)");
        assertThat(asked).isEmpty();
    }
}
