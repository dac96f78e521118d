package dev.sallyport.gateway.door;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sallyport.identity.CallId;
import dev.sallyport.identity.ChildId;
import dev.sallyport.testing.Golden;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

@Timeout(60)
class RoutesTest {

    @TempDir
    Path base;

    private TestDoor door;
    private FakeOccupant child;
    private Path directory;

    @BeforeEach
    void open() throws IOException {
        door = TestDoor.in(base).limits(8, 8, 20_000, 1000).start();
        child = door.child();
        directory = door.open(child);
    }

    @AfterEach
    void close() {
        door.close();
    }

    @Test
    void takesEveryKindOfReportThatARunnerSends() throws IOException {
        Wire.Answer answer = Wire.post(directory, "/v1/events", Golden.message("door-events.json"));

        assertThat(answer.status()).isEqualTo(200);
        assertThat(answer.json()).isEqualTo(Json.MAPPER.readTree("{\"acknowledged\":10}"));
        assertThat(child.reports).extracting(Report::type).containsExactly(Report.Type.values());
        assertThat(child.reports.get(6).data().get("exitCode").asInt()).isEqualTo(1);
    }

    @Test
    void acknowledgesARepeatedReportOnce() throws IOException {
        String first = event(1, "turn", "{\"n\":1}");
        Wire.post(directory, "/v1/events", "{\"events\":[%s]}".formatted(first));

        Wire.Answer answer = Wire.post(
                directory, "/v1/events", "{\"events\":[%s,%s]}".formatted(first, event(2, "turn", "{\"n\":2}")));

        assertThat(answer.json().get("acknowledged").asLong()).isEqualTo(2);
        assertThat(child.reports).hasSize(2);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "[]",
                "{}",
                "{\"events\":[]}",
                "{\"events\":{}}",
                "{\"events\":[{\"n\":1,\"type\":\"turn\",\"data\":{\"n\":1}}],\"more\":1}",
                "{\"events\":[],\"events\":[{\"n\":1,\"type\":\"turn\",\"data\":{\"n\":1}}]}",
                "{\"events\":[{\"n\":1,\"type\":\"turn\",\"data\":{\"n\":1}}]}{}",
                "{\"events\":[{\"n\":1,\"type\":\"turn\",\"data\":{\"n\":1,\"state\":\"completed\"}}]}",
                "{\"events\":[{\"n\":1,\"type\":\"turn\",\"data\":{\"n\":\"1\"}}]}",
                "{\"events\":[{\"n\":1,\"type\":\"turn\",\"data\":{\"n\":1.5}}]}",
                "{\"events\":[{\"n\":1,\"type\":\"turn\",\"data\":{}}]}",
                "{\"events\":[{\"n\":1,\"type\":\"turn\",\"data\":[]}]}",
                "{\"events\":[{\"n\":0,\"type\":\"turn\",\"data\":{\"n\":1}}]}",
                "{\"events\":[{\"n\":-1,\"type\":\"turn\",\"data\":{\"n\":1}}]}",
                "{\"events\":[{\"n\":9223372036854775808,\"type\":\"turn\",\"data\":{\"n\":1}}]}",
                "{\"events\":[{\"n\":1,\"type\":\"decision\",\"data\":{}}]}",
                "{\"events\":[{\"n\":1,\"type\":\"TURN\",\"data\":{\"n\":1}}]}",
                "{\"events\":[{\"n\":2,\"type\":\"turn\",\"data\":{\"n\":1}},{\"n\":1,\"type\":\"turn\",\"data\":{\"n\":2}}]}",
                "{\"events\":[{\"n\":1,\"type\":\"turn\",\"source\":\"gateway\",\"data\":{\"n\":1}}]}",
                "{\"events\":[{\"n\":1,\"type\":\"output\",\"data\":{\"stream\":\"gateway\",\"text\":\"x\"}}]}",
                "{'events':[]}",
                "{\"events\":NaN}"
            })
    void refusesReportsThatAreNotExactlyWhatTheyShouldBe(String body) throws IOException {
        Wire.Answer answer = Wire.post(directory, "/v1/events", body);

        assertThat(answer.status()).isEqualTo(400);
        assertThat(answer.code()).isEqualTo("request-refused");
        assertThat(answer.json().get("type").asString()).isEqualTo("urn:sallyport:problem:request-refused");
        assertThat(child.reports).isEmpty();
    }

    @Test
    void refusesADeepBody() throws IOException {
        assertThat(Wire.post(directory, "/v1/events", "[".repeat(5000)).status())
                .isEqualTo(400);
    }

    @Test
    void refusesABodyThatIsTooLargeHoweverItIsSent() throws IOException {
        String large = "{\"events\":[" + " ".repeat(30_000) + "]}";

        assertThat(Wire.post(directory, "/v1/events", large).status()).isEqualTo(413);
        try (Wire wire = Wire.to(directory)) {
            wire.send("POST /v1/events HTTP/1.1\r\nHost: door\r\nTransfer-Encoding: chunked\r\n\r\n");
            for (int i = 0; i < 30; i++) {
                wire.send("3e8\r\n" + " ".repeat(1000) + "\r\n");
            }
            wire.send("0\r\n\r\n");

            assertThat(wire.answer().status()).isEqualTo(413);
        }
    }

    @Test
    void namesTheFieldThatNobodyHonours() throws IOException {
        Wire.Answer answer = Wire.post(
                directory, "/v1/events", "{\"events\":[%s]}".formatted(event(1, "turn", "{\"n\":1,\"cost\":0}")));

        assertThat(answer.json().get("detail").asString()).isEqualTo("turn.cost: not offered (known: n)");
    }

    @Test
    void asksAboutAToolCallAndPassesTheAnswerOn() throws IOException {
        child.verdict = new Verdict(Verdict.Decision.DENIED, "rule bash:rm * denies it", "pqr234abcdefghij");

        Wire.Answer answer = Wire.post(directory, "/v1/authorize", Golden.message("door-authorize.json"));

        assertThat(answer.json()).isEqualTo(Json.MAPPER.readTree(Golden.message("door-authorize-answer.json")));
        ToolCall call = child.calls.getFirst();
        assertThat(call.callId().value()).isEqualTo("1.1:toolu_01");
        assertThat(call.arguments().get("command").asString()).isEqualTo("./test.sh");
    }

    @Test
    void deniesAToolOutOfScopeWithoutAskingAnybody() throws IOException {
        Wire.Answer answer = Wire.post(directory, "/v1/authorize", """
                {"callId":"1","tool":"write","arguments":{},"directory":"/workspace"}""");

        assertThat(answer.json().get("decision").asString()).isEqualTo("denied");
        assertThat(answer.json().get("reason").asString()).contains("not in the scope");
        assertThat(child.calls).isEmpty();
        assertThat(child.observations).hasExactlyElementsOfTypes(Observation.OutOfScope.class);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{\"callId\":\"1\",\"tool\":\"bash\",\"arguments\":{\"n\":9007199254740993},\"directory\":\"/w\"}",
                "{\"callId\":\"1\",\"tool\":\"bash\",\"arguments\":{\"c\":\"\\ud800\"},\"directory\":\"/w\"}",
                "{\"callId\":\"1\",\"tool\":\"bash\",\"arguments\":{\"c\":1,\"c\":2},\"directory\":\"/w\"}",
                "{\"callId\":\"1\",\"tool\":\"bash\",\"arguments\":\"{}\",\"directory\":\"/w\"}",
                "{\"callId\":\"1\",\"tool\":\"bash\",\"arguments\":{},\"directory\":\"w\"}",
                "{\"callId\":\"1\",\"tool\":\"bash\",\"arguments\":{},\"directory\":\"/w\\u0000\"}",
                "{\"callId\":\"\",\"tool\":\"bash\",\"arguments\":{},\"directory\":\"/w\"}",
                "{\"callId\":\"a b\",\"tool\":\"bash\",\"arguments\":{},\"directory\":\"/w\"}",
                "{\"callId\":\"1\",\"tool\":\"bash\",\"arguments\":{},\"directory\":\"/w\",\"incarnation\":1}",
                "{\"callId\":\"1\",\"tool\":\"bash\\n\",\"arguments\":{},\"directory\":\"/w\"}"
            })
    void refusesACallThatTwoReadersCouldTakeForDifferentOnes(String body) throws IOException {
        assertThat(Wire.post(directory, "/v1/authorize", body).status()).isEqualTo(400);
        assertThat(child.calls).isEmpty();
    }

    @Test
    void streamsCommandsAndResumesAfterTheLastOneSeen() throws IOException {
        child.command(1, Command.Type.ASSIGNMENT, "{\"version\":1}");
        child.command(2, Command.Type.TASK, "{\"prompt\":\"line\\nline\"}");
        try (Wire first = Wire.to(directory)) {
            first.send("GET /v1/control HTTP/1.1\r\nHost: door\r\n\r\n");
            assertThat(first.head().header("content-type")).isEqualTo("text/event-stream");

            assertThat(first.event("assignment")).isEqualTo("id: 1\nevent: assignment\ndata: {\"version\":1}\n\n");
            assertThat(first.event("task")).contains("data: {\"prompt\":\"line\\nline\"}\n\n");
        }

        try (Wire second = Wire.to(directory)) {
            second.send("GET /v1/control HTTP/1.1\r\nHost: door\r\nLast-Event-ID: 2\r\n\r\n");
            second.head();
            child.command(3, Command.Type.CANCEL, "{\"reason\":\"enough\"}");

            assertThat(second.event("cancel")).startsWith("id: 3\n");
        }
    }

    @Test
    void keepsOneControlStreamTheNewest() throws IOException {
        try (Wire first = Wire.to(directory);
                Wire second = Wire.to(directory)) {
            first.send("GET /v1/control HTTP/1.1\r\nHost: door\r\n\r\n");
            first.head();
            first.chunk();

            second.send("GET /v1/control HTTP/1.1\r\nHost: door\r\n\r\n");
            second.head();
            second.chunk();

            assertThat(untilEnd(first)).isEmpty();
            // In the middle of a query that would cost everybody a connection.
            assertThat(child.interrupted).isFalse();
            child.command(1, Command.Type.STEER, "{\"author\":\"alice\",\"message\":\"hurry\"}");
            assertThat(second.event("steer")).contains("hurry");
        }
    }

    private static byte[] untilEnd(Wire wire) throws IOException {
        byte[] chunk = wire.chunk();
        while (chunk.length > 0) {
            chunk = wire.chunk();
        }
        return chunk;
    }

    @ParameterizedTest
    @ValueSource(strings = {"-1", "x", "1e3", "99999999999999999999"})
    void refusesAStrangeEventId(String id) throws IOException {
        Wire.Answer answer =
                Wire.ask(directory, "GET /v1/control HTTP/1.1\r\nHost: door\r\nLast-Event-ID: " + id + "\r\n\r\n");

        assertThat(answer.status()).isEqualTo(400);
    }

    @Test
    void givesTheWorkspaceAndTakesTheResult() throws IOException {
        child.source = new byte[] {'b', 'u', 'n', 'd', 'l', 'e'};

        Wire.Answer source = Wire.get(directory, "/v1/workspace");
        Wire.Answer result = Wire.ask(directory, Wire.request("PUT", "/v1/workspace", "result"));

        assertThat(source.body()).isEqualTo("bundle");
        assertThat(source.header("content-type")).isEqualTo("application/x-git-bundle");
        assertThat(child.imported).asString().isEqualTo("result");
        assertThat(result.json().get("branch").asString()).isEqualTo("pi-agent-" + child.child);
    }

    @Test
    void saysThatThereIsNoWorkspace() throws IOException {
        Wire.Answer answer = Wire.get(directory, "/v1/workspace");

        assertThat(answer.status()).isEqualTo(404);
        assertThat(answer.code()).isEqualTo("no-workspace");
    }

    @Test
    void endsABundleAtItsLimitHoweverItIsSent() throws IOException {
        assertThat(Wire.ask(directory, Wire.request("PUT", "/v1/workspace", "x".repeat(1001)))
                        .status())
                .isEqualTo(413);
        try (Wire wire = Wire.to(directory)) {
            wire.send("PUT /v1/workspace HTTP/1.1\r\nHost: door\r\nTransfer-Encoding: chunked\r\n\r\n3e9\r\n"
                    + "x".repeat(1001) + "\r\n0\r\n\r\n");

            assertThat(wire.answer().code()).isEqualTo("workspace-limit");
        }
        assertThat(child.imported).isNull();
    }

    /** Whose child it becomes, how deep and in which session is nothing that a child can say. */
    @ParameterizedTest
    @ValueSource(
            strings = {"session", "parent", "depth", "maxDepth", "tenant", "owner", "incarnation", "tools", "delegation"
            })
    void knowsNoFieldThatWouldForgeAFamily(String field) throws IOException {
        child.delegates = new Spawns();

        Wire.Answer answer = spawn("{\"prompt\":\"x\",\"%s\":\"aaaaaaaaaaaaaaaa\"}".formatted(field));

        assertThat(answer.status()).isEqualTo(400);
        assertThat(answer.json().get("detail").asString()).contains(field);
        assertThat(((Spawns) child.delegates).requests).isEmpty();
    }

    @Test
    void takesASpawnWithTheIdOfItsCall() throws IOException {
        Spawns spawns = new Spawns();
        child.delegates = spawns;

        assertThat(spawn("{\"agent\":\"worker\",\"prompt\":\"x\"}").status()).isEqualTo(200);

        assertThat(spawns.requests).containsExactly("spawn/1 {\"agent\":\"worker\",\"prompt\":\"x\"}");
        assertThat(Wire.post(directory, "/v1/children", "{\"prompt\":\"x\"}").status())
                .isEqualTo(400);
    }

    @Test
    void takesAResumeOfAPromptAndNothingThatItCouldWidenItselfBy() throws IOException {
        Spawns spawns = new Spawns();
        child.delegates = spawns;
        String path = "/v1/children/aaaaaaaaaaaaaaaa/resume";

        assertThat(send(path, "{\"prompt\":\"x\",\"agent\":\"other\"}").status())
                .isEqualTo(400);
        assertThat(send(path, "{}").status()).isEqualTo(400);
        assertThat(Wire.post(directory, path, "{\"prompt\":\"x\"}").status()).isEqualTo(400);
        assertThat(send(path, "{\"prompt\":\"x\"}").status()).isEqualTo(200);

        assertThat(spawns.requests).containsExactly("spawn/1 {\"prompt\":\"x\",\"resume\":\"aaaaaaaaaaaaaaaa\"}");
    }

    @Test
    void refusesEveryDelegationToAChildWithoutThatRight() throws IOException {
        String id = "a".repeat(16);

        assertThat(spawn("{\"prompt\":\"x\"}").code()).isEqualTo("delegation-not-allowed");
        assertThat(Wire.get(directory, "/v1/children").code()).isEqualTo("delegation-not-allowed");
        assertThat(Wire.get(directory, "/v1/children/" + id).code()).isEqualTo("delegation-not-allowed");
        assertThat(Wire.post(directory, "/v1/children/" + id + "/cancel", "{}").code())
                .isEqualTo("delegation-not-allowed");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "/v1/children/",
                "/v1/children:batch",
                "/v1/children/../authorize",
                "/v1/children/AAAAAAAAAAAAAAAA",
                "/v1/children/aaaaaaaaaaaaaaaa/events",
                "/v1/children/aaaaaaaaaaaaaaaa/transcript",
                "/v1/children/aaaaaaaaaaaaaaaa?wait=5s",
                "/v1/children/aaaaaaaaaaaaaaaa/result?wait=100s",
                "/v1/children?session=aaaaaaaaaaaaaaaa"
            })
    void hasNoOtherRouteAboutChildren(String path) throws IOException {
        child.delegates = new Spawns();

        assertThat(Wire.get(directory, path).status()).isEqualTo(404);
    }

    private Wire.Answer spawn(String body) throws IOException {
        return send("/v1/children", body);
    }

    private Wire.Answer send(String path, String body) throws IOException {
        return Wire.ask(
                directory,
                "POST %s HTTP/1.1\r\nHost: door\r\nContent-Type: application/json\r\nIdempotency-Key: spawn/1\r\n"
                                .formatted(path)
                        + "Content-Length: %d\r\n\r\n%s".formatted(body.length(), body));
    }

    /** A child that may delegate, and what it asked for. */
    private static final class Spawns implements Delegates {

        private final List<String> requests = new CopyOnWriteArrayList<>();

        @Override
        public ObjectNode spawn(ObjectNode request, CallId call, Duration wait) {
            requests.add(call.value() + " " + request);
            return Json.object().put("decision", "allowed");
        }

        @Override
        public ObjectNode resume(ChildId id, ObjectNode request, CallId call, Duration wait) {
            return spawn(request.put("resume", id.value()), call, wait);
        }

        @Override
        public ObjectNode list() {
            return Json.object();
        }

        @Override
        public JsonNode show(ChildId id) {
            return Json.object();
        }

        @Override
        public JsonNode result(ChildId id, Duration wait) {
            return Json.object();
        }

        @Override
        public JsonNode cancel(ChildId id, String reason) {
            return Json.object();
        }

        @Override
        public JsonNode steer(ChildId id, String message) {
            return Json.object();
        }
    }

    private static String event(int n, String type, String data) {
        return "{\"n\":%d,\"type\":\"%s\",\"data\":%s}".formatted(n, type, data);
    }

    @Test
    void handsOutTheMemoryAndTakesItBack() throws IOException {
        child.memory = new TreeMap<>(Map.of("MEMORY.md", "one\n", "a/b.md", "ä"));

        Wire.Answer given = Wire.get(directory, "/v1/memory");
        Wire.Answer taken = Wire.put(directory, "/v1/memory", given.json().toString());

        Golden.assertMessage("door-memory.json", given.json().toPrettyString());
        assertThat(taken.json().toString()).isEqualTo("{\"version\":3,\"outcome\":\"kept\"}");
        assertThat(child.kept).isEqualTo(child.memory);
    }

    @Test
    void aChildWithoutAMemoryIsToldSo() throws IOException {
        assertThat(Wire.get(directory, "/v1/memory").code()).isEqualTo("no-memory");
    }

    /** Whose memory it is, no field can say. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "{}",
                "{\"files\":{}}",
                "{\"files\":[],\"agent\":\"other\"}",
                "{\"files\":[],\"memory\":\"aaaaaaaaaaaaaaaa\"}",
                "{\"files\":[],\"tenant\":\"other\"}",
                "{\"files\":[{\"path\":\"a\"}]}",
                "{\"files\":[{\"path\":\"a\",\"content\":1}]}",
                "{\"files\":[{\"path\":\"a\",\"content\":null}]}",
                "{\"files\":[{\"path\":\"a\",\"content\":\"x\",\"owner\":\"bob\"}]}",
                "{\"files\":[{\"path\":\"a\",\"content\":\"x\"},{\"path\":\"a\",\"content\":\"y\"}]}"
            })
    void refusesAMemoryThatIsNotExactlyFiles(String body) throws IOException {
        Wire.Answer answer = Wire.put(directory, "/v1/memory", body);

        assertThat(answer.status()).isEqualTo(400);
        assertThat(child.kept).isNull();
    }

    @Test
    void aMemoryThatIsTooMuchToBeReadIsOnRecord() throws IOException {
        String body = "{\"files\":[{\"path\":\"a\",\"content\":\"%s\"}]}".formatted("x".repeat(30_000));

        assertThat(Wire.put(directory, "/v1/memory", body).status()).isEqualTo(413);
        assertThat(child.kept).isNull();
        assertThat(child.observations)
                .singleElement()
                .isEqualTo(new Observation.MemoryRefused("request-too-large", "body (expected: at most 20000 bytes)"));
    }
}
