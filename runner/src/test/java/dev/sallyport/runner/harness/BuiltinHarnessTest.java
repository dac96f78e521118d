package dev.sallyport.runner.harness;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sallyport.model.Thinking;
import dev.sallyport.runner.door.Assignment;
import dev.sallyport.runner.door.Command;
import dev.sallyport.runner.door.Door;
import dev.sallyport.runner.door.FakeDoor;
import dev.sallyport.runner.door.Json;
import dev.sallyport.runner.door.Outbox;
import dev.sallyport.runner.extension.ExtensionHost;
import dev.sallyport.runner.tool.OutputLimit;
import dev.sallyport.runner.tool.Toolbox;
import dev.sallyport.runner.tool.Workspace;
import dev.sallyport.testing.Golden;
import dev.sallyport.testing.TestExtension;
import dev.sallyport.toolscope.ExtensionFilter;
import dev.sallyport.toolscope.Selectors;
import dev.sallyport.toolscope.ToolRules;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

@Timeout(60)
class BuiltinHarnessTest {

    @TempDir
    Path directory;

    private FakeDoor gateway;
    private Outbox outbox;
    private Orders orders;

    @BeforeEach
    void open() throws IOException {
        gateway = new FakeDoor(directory);
        outbox = new Outbox(new Door(gateway.socket(), Duration.ofSeconds(30)), 1 << 20);
        orders = new Orders();
    }

    @AfterEach
    void close() throws IOException {
        outbox.close();
        gateway.close();
    }

    @ParameterizedTest
    @EnumSource
    void playsATaskToItsEnd(Assignment.Model.Shape shape) throws Exception {
        gateway.model(calls(shape, "I write.", call("write", "{\"path\":\"f\",\"content\":\"x\"}")))
                .model(says(shape, "Done."));

        assertThat(run(shape, "Do it.")).isZero();

        assertThat(directory.resolve("f")).hasContent("x");
        assertThat(gateway.events("result"))
                .extracting(data -> data.path("text").asString())
                .containsExactly("Done.");
        assertThat(gateway.events().stream().map(event -> event.path("type").asString()))
                .containsExactly("turn", "assistant", "tool-call", "tool-result", "turn", "assistant", "result");
        assertThat(gateway.modelPaths())
                .containsOnly(
                        shape == Assignment.Model.Shape.CHAT ? "/model/p/v1/chat/completions" : "/model/p/v1/messages");
    }

    @ParameterizedTest
    @EnumSource
    void speaksTheShapeOfItsProvider(Assignment.Model.Shape shape) throws Exception {
        gateway.model(calls(shape, "Look.", call("ls", "{}"), call("nosuch", "{}")))
                .model(says(shape, "Done."));
        orders.accept(new Command("steer", Json.read("{\"author\":\"alice\",\"message\":\"Hurry.\"}")));

        run(shape, "Do it.");

        Golden.assertMatches(
                getClass(),
                "conversation-%s.json".formatted(shape.name().toLowerCase(java.util.Locale.ROOT)),
                gateway.modelRequests().getLast().toPrettyString());
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            {"decision":"denied","reason":"rule x"}        | denied: rule x
            {"decision":"unavailable","reason":"nobody"}   | approval unavailable: nobody
            {"decision":"expired"}                         | approval expired: nobody answered in time
            {"decision":"cancelled","reason":"ended"}      | cancelled: ended
            {"decision":"yes"}                             | denied: the door answered `yes`
            """)
    void runsNothingWithoutAYesAndTellsWhy(String answer, String result) throws Exception {
        gateway.authorize(_ -> answer)
                .model(calls("", call("write", "{\"path\":\"f\",\"content\":\"x\"}")))
                .model(says("Well."));

        run();

        assertThat(directory.resolve("f")).doesNotExist();
        JsonNode event = gateway.events("tool-result").getFirst();
        assertThat(event.path("outcome").asString()).isEqualTo("refused");
        assertThat(event.path("output").asString()).isEqualTo(result);
        assertThat(gateway.modelRequests().getLast().toString()).contains(result);
    }

    private Assignment withExtension(String... selectors) throws IOException {
        Path home = TestExtension.in(directory.resolve("tickets"));
        return assignment(
                Assignment.Model.Shape.MESSAGES,
                null,
                List.of("ls"),
                null,
                List.of(new Assignment.Provider(
                        "tickets", home.toString(), TestExtension.command("search", "write_remote"))),
                selectors);
    }

    @Test
    void anExtensionsToolIsAskedForLikeAnyOther() throws Exception {
        gateway.authorize(_ -> {
                    assertThat(directory.resolve("calls")).doesNotExist();
                    return "{\"decision\":\"allowed\"}";
                })
                .model(calls("", call("search", "{\"q\":\"x\"}")))
                .model(says("Done."));

        run(withExtension());

        assertThat(directory.resolve("calls")).hasContent("search");
        assertThat(gateway.questions()).singleElement().satisfies(question -> {
            assertThat(question.path("tool").asString()).isEqualTo("search");
            assertThat(question.path("arguments").toString()).isEqualTo("{\"q\":\"x\"}");
        });
        assertThat(gateway.events("tool-result").getFirst().path("output").asString())
                .isEqualTo("search ran");
    }

    @Test // whatever the door says: the veto is the runner's own
    void vetoesAnExtensionsToolThatTheModelShouldNotKnow() throws Exception {
        gateway.authorize(_ -> "{\"decision\":\"allowed\"}")
                .model(calls("", call("write_remote", "{}")))
                .model(says("Well."));

        run(withExtension("ext:tickets/search"));

        assertThat(gateway.modelRequests().getFirst().toString())
                .contains("search")
                .doesNotContain("write_remote");
        assertThat(directory.resolve("calls")).doesNotExist();
        assertThat(gateway.questions()).hasSize(1);
        assertThat(gateway.events("tool-result").getFirst().path("output").asString())
                .isEqualTo("tool `write_remote` is not available to this child (available: ls, search)");
    }

    @Test
    void asksBeforeItRunsAndOnlyOncePerCall() throws Exception {
        gateway.authorize(question -> {
                    assertThat(directory.resolve("f")).doesNotExist();
                    return "{\"decision\":\"allowed\"}";
                })
                .model(calls("", call("bash", "{\"command\":\"echo x >> f\"}")))
                .model(says("Done."));

        run();

        assertThat(directory.resolve("f")).hasContent("x");
        assertThat(gateway.questions()).hasSize(1);
    }

    @Test
    void runsACallOnceThoughTheGatewayDiesOverTheQuestionAndTheResult() throws Exception {
        AtomicInteger asked = new AtomicInteger();
        gateway.authorize(_ -> asked.incrementAndGet() < 4 ? null : "{\"decision\":\"allowed\"}")
                .model(calls("", call("bash", "{\"command\":\"echo x >> f\"}")))
                .model(says("Done."));
        gateway.mute(true);
        Thread healer = Thread.ofVirtual().start(() -> {
            try {
                gateway.await(
                        () -> gateway.eventPosts() > 2 && gateway.questions().size() > 3);
                gateway.mute(false);
            } catch (InterruptedException e) {
                throw new AssertionError(e);
            }
        });

        assertThat(run()).isZero();
        healer.join();

        assertThat(directory.resolve("f")).hasContent("x");
        assertThat(gateway.questions())
                .hasSize(4)
                .containsOnly(gateway.questions().getFirst());
        assertThat(gateway.events("tool-call")).hasSize(1);
        assertThat(gateway.events("tool-result")).hasSize(1);
    }

    @Test
    void givesEveryCallItsOwnIdWhateverTheModelSays() throws Exception {
        ObjectNode same = call("ls", "{}").put("id", "x/../\u0000 ü" + "y".repeat(500));
        gateway.model(calls("", same, same)).model(calls("", same)).model(says("Done."));

        run();

        assertThat(gateway.questions().stream()
                        .map(question -> question.path("callId").asString()))
                .doesNotHaveDuplicates()
                .allMatch(id -> id.matches("[A-Za-z0-9._:/-]{1,128}"))
                .hasSize(3);
    }

    @Test
    void neverShowsOrRunsAToolOutOfScope() throws Exception {
        gateway.model(calls("", call("bash", "{\"command\":\"touch f\"}"))).model(says("Well."));

        run(assignment(Assignment.Model.Shape.MESSAGES, List.of("read", "ls"), null));

        assertThat(gateway.modelRequests().getFirst().path("tools"))
                .extracting(tool -> tool.path("name").asString())
                .containsExactly("read", "ls");
        assertThat(directory.resolve("f")).doesNotExist();
        assertThat(gateway.events("tool-result").getFirst().path("output").asString())
                .isEqualTo("tool `bash` is not available to this child (available: read, ls)");
    }

    @Test
    void putsAnAttemptOutOfScopeOnRecordWhateverItsArguments() throws Exception {
        gateway.model(calls("", call("bash", "{\"no-such-argument\":1}"), call("x".repeat(500), "{}")))
                .model(says("Well."));

        run(assignment(Assignment.Model.Shape.MESSAGES, List.of("read", "ls"), null));

        assertThat(gateway.questions().stream()
                        .map(question -> question.path("tool").asString()))
                .containsExactly("bash", "x".repeat(128));
        assertThat(gateway.events("tool-result"))
                .extracting(data -> data.path("outcome").asString())
                .containsExactly("refused", "refused");
    }

    @Test // S1
    void aScopeNeverAddsATool() throws Exception {
        orders.accept(new Command("scope", Json.read("{\"tools\":[\"ls\",\"write\"]}")));
        gateway.model(calls("", call("write", "{\"path\":\"f\",\"content\":\"x\"}")))
                .model(says("Well."));

        run(assignment(Assignment.Model.Shape.MESSAGES, List.of("read", "ls"), null));

        assertThat(directory.resolve("f")).doesNotExist();
        assertThat(gateway.modelRequests().getFirst().path("tools"))
                .extracting(tool -> tool.path("name").asString())
                .containsExactly("ls");
    }

    @Test
    void obeysAScopeThatIsNarrowedWhileAPersonIsAsked() throws Exception {
        gateway.authorize(_ -> {
                    orders.accept(new Command("scope", Json.read("{\"tools\":[\"read\",\"nosuch\"]}")));
                    return "{\"decision\":\"allowed\"}";
                })
                .model(calls("", call("bash", "{\"command\":\"touch f\"}")))
                .model(says("Well."));

        run();

        assertThat(directory.resolve("f")).doesNotExist();
        assertThat(gateway.events("tool-result").getFirst().path("outcome").asString())
                .isEqualTo("refused");
        assertThat(gateway.modelRequests().getLast().path("tools"))
                .extracting(tool -> tool.path("name").asString())
                .containsExactly("read");
    }

    @Test
    void asksNobodyAboutACallThatCannotRun() throws Exception {
        gateway.model(calls("", call("read", "{\"file\":\"f\"}"))).model(says("Well."));

        run();

        assertThat(gateway.questions()).isEmpty();
        assertThat(gateway.events("tool-result").getFirst().path("output").asString())
                .isEqualTo("path is missing (expected: text)");
    }

    @Test
    void runsNoHalfOfACall() throws Exception {
        gateway.model(calls("", call("write", "{\"path\":\"f\",\"content\":\"half\"}"))
                        .replace("tool_use\"}", "max_tokens\"}"))
                .model(says("Again."));

        run();

        assertThat(gateway.modelRequests().getLast().toString()).contains("the answer was cut off");
        assertThat(directory.resolve("f")).doesNotExist();
        assertThat(gateway.questions()).isEmpty();
    }

    @Test
    void wrapsUpAtTheLimitAndStopsAfterTheGrace() throws Exception {
        for (int i = 0; i < 10; i++) {
            gateway.model(calls("Turn.", call("ls", "{}")));
        }

        assertThat(run(assignment(Assignment.Model.Shape.MESSAGES, List.of("ls"), 2.0)))
                .isEqualTo(1);

        assertThat(gateway.modelRequests()).hasSize(4);
        assertThat(gateway.modelRequests().get(1).toString()).doesNotContain("turn limit");
        assertThat(gateway.modelRequests().get(2).toString()).contains("turn limit");
        assertThat(gateway.events("error").getFirst().path("code").asString()).isEqualTo("turn-limit");
        assertThat(gateway.events("result").getFirst().path("text").asString()).isEqualTo("Turn.");
    }

    @Test
    void triesAgainWhenAFailureMayPassAndSaysSo() throws Exception {
        gateway.modelFails(529, "{\"error\":{\"message\":\"overloaded\"}}")
                .modelFails(0, "")
                .model(says("Done."));

        assertThat(run()).isZero();

        assertThat(gateway.modelRequests()).hasSize(3);
        assertThat(gateway.events("output").toString()).contains("overloaded").contains("connection closed");
    }

    @ParameterizedTest
    @CsvSource({"429,provider-error", "500,provider-error", "502,provider-unreachable", "503,interrupted", "504,''"})
    void triesAgainWhatPasses(int status, String code) throws Exception {
        gateway.modelFails(status, "{\"code\":\"%s\",\"detail\":\"not now\"}".formatted(code))
                .model(says("Done."));

        assertThat(run()).isZero();

        assertThat(gateway.modelRequests()).hasSize(2);
    }

    @ParameterizedTest
    @CsvSource({
        "503,credential-missing",
        "502,provider-refused-credential",
        "502,provider-redirected",
        "502,provider-answer-refused",
        "400,request-refused",
        "403,model-not-granted"
    })
    void triesOnceWhatOnlyAPersonCanMend(int status, String code) throws Exception {
        gateway.modelFails(status, "{\"code\":\"%s\",\"detail\":\"not so\"}".formatted(code))
                .model(says("Done."));

        assertThat(run()).isEqualTo(1);

        assertThat(gateway.modelRequests()).hasSize(1);
        assertThat(gateway.events("error").getFirst().path("code").asString()).isEqualTo(code);
    }

    @Test
    void offersFewerToolsWhenTheGatewayWasFasterToNarrow() throws Exception {
        gateway.modelFails(403, "{\"code\":\"tool-out-of-scope\",\"detail\":\"tool: `bash`\"}")
                .model(says("Done."));
        gateway.onModelRequest(() -> orders.accept(new Command("scope", Json.read("{\"tools\":[\"read\"]}"))));

        assertThat(run()).isZero();

        assertThat(gateway.modelRequests().getLast().path("tools"))
                .extracting(tool -> tool.path("name").asString())
                .containsExactly("read");
    }

    @ParameterizedTest
    @CsvSource({"529,model-error", "0,model-error"})
    void givesUpOnAModelThatKeepsFailing(int status, String code) throws Exception {
        for (int i = 0; i < 20; i++) {
            gateway.modelFails(status, "{}");
        }

        assertThat(run()).isEqualTo(1);

        assertThat(gateway.modelRequests()).hasSize(6);
        assertThat(gateway.events("error").getFirst().path("code").asString()).isEqualTo(code);
    }

    @ParameterizedTest // authority.md 11.4
    @CsvSource({"refusal,model-declined", "max_tokens,model-cut-off"})
    void anAnswerThatSaysNothingIsAFailure(String stop, String code) throws Exception {
        gateway.model(says("").replace("end_turn", stop));

        assertThat(run()).isEqualTo(1);

        assertThat(gateway.events("error").getFirst().path("code").asString()).isEqualTo(code);
        assertThat(gateway.events("result")).isEmpty();
    }

    @ParameterizedTest
    @EnumSource
    void answersACallWithoutArgumentsWithAnError(Assignment.Model.Shape shape) throws Exception {
        gateway.model(calls(shape, "", call("ls", "\"x\""), call("nosuch", "\"x\"")))
                .model(says(shape, "Done."));

        assertThat(run(shape, "Do it.")).isZero();

        assertThat(gateway.questions()).isEmpty();

        assertThat(gateway.events("tool-call").getFirst().path("arguments").isObject())
                .isTrue();
        assertThat(gateway.events("tool-result").getFirst().path("output").asString())
                .isEqualTo("arguments (expected: a JSON object)");
    }

    @ParameterizedTest
    @CsvSource({
        ",0,",
        "OFF,0,",
        "MINIMAL,1024,minimal",
        "LOW,2048,low",
        "MEDIUM,8192,medium",
        "HIGH,16384,high",
        "MAX,16384,high"
    })
    void letsTheModelThinkAsMuchAsItsShapeCanSay(@Nullable Thinking thinking, int tokens, @Nullable String effort)
            throws Exception {
        gateway.model(says("Done.")).model(says(Assignment.Model.Shape.CHAT, "Done."));

        run(assignment(Assignment.Model.Shape.MESSAGES, thinking, List.of(), null));
        run(assignment(Assignment.Model.Shape.CHAT, thinking, List.of(), null));

        JsonNode messages = gateway.modelRequests().getFirst();
        assertThat(messages.path("thinking").path("budget_tokens").asInt(0)).isEqualTo(tokens);
        assertThat(messages.has("thinking")).isEqualTo(tokens > 0);
        assertThat(messages.path("max_tokens").asInt()).isEqualTo(8192 + tokens);
        assertThat(gateway.modelRequests().getLast().path("reasoning_effort").asString(null))
                .isEqualTo(effort);
    }

    @Test
    void sendsBackOnlyWhatRequestsMayHold() throws Exception {
        gateway.model("""
                        {"content":[{"type":"thinking","thinking":"hm","signature":"s","extra":1},
                        {"type":"server_tool_use","id":"x"},
                        {"type":"tool_use","id":"a","name":"ls","input":{},"caller":{"type":"direct"}}],"stop_reason":"tool_use"}""").model(says("Done."));

        run();

        assertThat(gateway.modelRequests().getLast().path("messages").get(1).path("content"))
                .isEqualTo(Json.read("""
                        [{"type":"thinking","thinking":"hm","signature":"s"},
                        {"type":"tool_use","id":"a","name":"ls","input":{}}]"""));
    }

    @Test
    void failsWithTheModelsReason() throws Exception {
        gateway.modelFails(402, "{\"code\":\"budget-cost\",\"detail\":\"the budget is used up\"}");

        assertThat(run()).isEqualTo(1);

        assertThat(gateway.events("error").getFirst())
                .isEqualTo(Json.read("{\"code\":\"budget-cost\",\"message\":\"the budget is used up\"}"));
    }

    @Test
    void failsOnAnAnswerOfAnotherShape() throws Exception {
        gateway.model("[]");

        assertThat(run()).isEqualTo(1);
        assertThat(gateway.events("error").getFirst().path("code").asString()).isEqualTo("model-answer");
    }

    @Test
    void answersAMessageThatComesDuringTheLastTurn() throws Exception {
        gateway.model(says("Done.")).model(says("Also that."));
        Command steer = new Command("steer", Json.read("{\"author\":\"bob\",\"message\":\"More.\"}"));
        gateway.onModelRequest(() -> {
            if (gateway.modelRequests().size() == 1) {
                orders.accept(steer);
            }
        });

        assertThat(run()).isZero();

        assertThat(gateway.modelRequests().getLast().toString()).contains("[message from bob]\\nMore.");
        assertThat(gateway.events("result").getFirst().path("text").asString()).isEqualTo("Also that.");
    }

    @ParameterizedTest
    @EnumSource
    void goesOnWithAConversation(Assignment.Model.Shape shape) throws Exception {
        orders.accept(new Command("task", Json.read(Golden.message("door-task-resumed.json"))));
        gateway.model(says(shape, "Done."));

        assertThat(run(assignment(shape, List.of("ls"), null), orders.awaitTask()))
                .isZero();

        Golden.assertMatches(
                getClass(),
                "resumed-%s.json".formatted(shape.name().toLowerCase(java.util.Locale.ROOT)),
                gateway.modelRequests().getLast().path("messages").toPrettyString());
    }

    /** authority.md 13.12: in the original a resumed agent has none. */
    @Test
    void hasItsTurnLimitAlsoWhenItGoesOn() throws Exception {
        for (int i = 0; i < 10; i++) {
            gateway.model(calls("Turn.", call("ls", "{}")));
        }
        Task task = new Task("Go on.", List.of(new Task.Said(false, "Begin."), new Task.Said(true, "I begin.")));

        assertThat(run(assignment(Assignment.Model.Shape.MESSAGES, List.of("ls"), 2.0), task))
                .isEqualTo(1);

        assertThat(gateway.modelRequests()).hasSize(4);
    }

    @Test
    void readsWhatTheGatewayWrites() throws Exception {
        orders.accept(new Command("assignment", Json.read(Golden.message("door-assignment.json"))));
        orders.accept(new Command("task", Json.read(Golden.message("door-task.json"))));
        orders.accept(new Command("steer", Json.read(Golden.message("door-steer.json"))));
        orders.accept(new Command("scope", Json.read(Golden.message("door-scope.json"))));
        orders.accept(new Command("cancel", Json.read(Golden.message("door-cancel.json"))));
        orders.accept(new Command("from-a-newer-gateway", Json.read("{}")));

        assertThat(orders.awaitAssignment().child()).isEqualTo("abcdefghijklmnop");
        assertThat(orders.awaitTask()).isEqualTo(new Task("Fix the failing test.", List.of()));
        assertThat(orders.takeSteers()).containsExactly("[message from alice]\nLeave the parser alone.");
        assertThat(Stream.of("read", "bash").filter(orders::allow)).containsExactly("read");
        assertThat(orders.cancelled()).contains("cancelled by alice");
    }

    @Test
    void interruptsItsWorkerAlsoForACancellationThatCameBefore() {
        orders.accept(new Command("cancel", Json.object()));

        orders.interruptible();

        assertThat(Thread.interrupted()).isTrue();
    }

    @Test
    void interruptsNobodyWhoseWorkIsOver() {
        Command cancel = new Command("cancel", Json.object());
        orders.interruptible();
        orders.accept(cancel);

        orders.uninterruptible();
        assertThat(Thread.interrupted()).isFalse();
        orders.accept(cancel);
        assertThat(Thread.interrupted()).isFalse();
    }

    private int run() throws IOException, InterruptedException {
        return run(Assignment.Model.Shape.MESSAGES, "Do it.");
    }

    private int run(Assignment.Model.Shape shape, String prompt) throws IOException, InterruptedException {
        return run(assignment(shape, List.of("read", "bash", "write", "ls"), null), prompt);
    }

    private int run(Assignment assignment) throws IOException, InterruptedException {
        return run(assignment, "Do it.");
    }

    private int run(Assignment assignment, String prompt) throws IOException, InterruptedException {
        return run(assignment, new Task(prompt, List.of()));
    }

    private int run(Assignment assignment, Task task) throws IOException, InterruptedException {
        Door door = new Door(gateway.socket(), Duration.ofSeconds(30));
        Toolbox toolbox = new Toolbox(
                door, new Workspace(directory, directory), OutputLimit.DEFAULT, Duration.ofSeconds(30), Map.of());
        ExtensionHost extensions = ExtensionHost.start(
                assignment, outbox, Map.of("CALLS", directory.resolve("calls").toString()));
        int code = new BuiltinHarness(door, outbox, orders, assignment, toolbox, extensions, Duration.ofMillis(1))
                .run(task);
        assertThat(outbox.flush()).isTrue();
        return code;
    }

    private static Assignment assignment(Assignment.Model.Shape shape, List<String> tools, @Nullable Double maxTurns) {
        return assignment(shape, null, tools, maxTurns);
    }

    private static Assignment assignment(
            Assignment.Model.Shape shape, @Nullable Thinking thinking, List<String> tools, @Nullable Double maxTurns) {
        return assignment(shape, thinking, tools, maxTurns, List.of());
    }

    private static Assignment assignment(
            Assignment.Model.Shape shape,
            @Nullable Thinking thinking,
            List<String> tools,
            @Nullable Double maxTurns,
            List<Assignment.Provider> providers,
            String... selectors) {
        return new Assignment(
                "abcdefghijklmnop",
                "nonce",
                Assignment.Harness.BUILTIN,
                Optional.of(new Assignment.Model("p", "m", shape, thinking)),
                tools,
                ToolRules.granted(
                        tools,
                        List.of(),
                        new ToolRules.Rights(ExtensionFilter.all(List.of()), Selectors.parse(List.of(selectors))),
                        Set.of()),
                providers,
                "You are a test.",
                maxTurns,
                2,
                new Assignment.Workspace("/workspace", Optional.empty()),
                Optional.empty(),
                List.of(),
                Duration.ofSeconds(30),
                50 * 1024);
    }

    private static ObjectNode call(String tool, String arguments) {
        ObjectNode call = Json.object().put("id", "id-" + tool).put("name", tool);
        call.set("input", Json.read(arguments));
        return call;
    }

    private static String says(String text) {
        return says(Assignment.Model.Shape.MESSAGES, text);
    }

    private static String calls(String text, ObjectNode... calls) {
        return calls(Assignment.Model.Shape.MESSAGES, text, calls);
    }

    private static String says(Assignment.Model.Shape shape, String text) {
        return calls(shape, text);
    }

    private static String calls(Assignment.Model.Shape shape, String text, ObjectNode... calls) {
        return switch (shape) {
            case MESSAGES -> messages(text, calls);
            case CHAT -> chat(text, calls);
        };
    }

    private static String messages(String text, ObjectNode... calls) {
        ObjectNode answer = Json.object().put("role", "assistant");
        ArrayNode content = answer.putArray("content");
        if (!text.isEmpty()) {
            content.addObject().put("type", "text").put("text", text);
        }
        for (ObjectNode call : calls) {
            content.addObject().put("type", "tool_use").setAll(call);
        }
        return answer.put("stop_reason", calls.length == 0 ? "end_turn" : "tool_use")
                .toString();
    }

    private static String chat(String text, ObjectNode... calls) {
        ObjectNode choice = Json.object();
        ObjectNode message =
                choice.putObject("message").put("role", "assistant").put("content", text);
        if (calls.length > 0) {
            ArrayNode list = message.putArray("tool_calls");
            for (ObjectNode call : calls) {
                list.addObject()
                        .put("id", call.path("id").asString())
                        .put("type", "function")
                        .putObject("function")
                        .put("name", call.path("name").asString())
                        .put("arguments", call.path("input").toString());
            }
        }
        choice.put("finish_reason", calls.length == 0 ? "stop" : "tool_calls");
        return "{\"choices\":[%s]}".formatted(choice);
    }
}
