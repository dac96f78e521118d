package dev.sallyport.gateway.door;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.sallyport.model.Price;
import java.io.IOException;
import java.io.OutputStream;
import java.math.BigDecimal;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** S17, S18, S1, T76 to T79: a provider that echoes, redirects and quotes the key, and a child that wants more than its words. */
@Timeout(60)
class ModelProxyTest {

    private static final String MESSAGES = "/model/test/v1/messages";
    private static final String CHAT = "/model/test/v1/chat/completions";
    private static final String HELLO = "{\"messages\":[{\"role\":\"user\",\"content\":\"hello\"}]%s}";
    private static final String ANSWER = """
            {"id":"m1","type":"message","role":"assistant","content":[{"type":"text","text":"hi"}],\
            "usage":{"input_tokens":10,"cache_creation_input_tokens":5,"cache_read_input_tokens":2,"output_tokens":3}}""";
    private static final String CHAT_ANSWER = """
            {"id":"c1","choices":[{"index":0,"message":{"role":"assistant","content":"hi"}}],\
            "usage":{"prompt_tokens":7,"completion_tokens":4,"total_tokens":11}}""";

    @TempDir
    Path base;

    private FakeProvider provider;
    private TestDoor door;
    private FakeOccupant child;
    private Path directory;

    @BeforeEach
    void startProvider() throws IOException {
        provider = new FakeProvider();
        provider.answers(200, ANSWER);
        open(ModelShape.MESSAGES);
    }

    private void open(ModelShape shape) throws IOException {
        if (door != null) {
            door.close();
        }
        TestDoor.Builder builder = TestDoor.in(base).limits(16, 16, 20_000, 1000);
        builder.providers = List.of(provider.as(shape));
        door = builder.start();
        child = door.child();
        child.model = new ModelGrant("test", "model-1");
        directory = door.open(child);
    }

    @AfterEach
    void close() {
        door.close();
        provider.close();
    }

    private void assertNothingForwarded() {
        assertThat(provider.seen).isEmpty();
        assertThat(child.uses).isEmpty();
        assertThat(child.observations).singleElement().isInstanceOf(Observation.ModelRefused.class);
    }

    private static void assertNoKey(Wire.Answer answer) {
        assertThat(answer.headers().toString() + answer.body())
                .doesNotContain(TestDoor.KEY)
                .doesNotContain("0123456789");
    }

    @Test
    void addsTheKeyAndNothingElseOfTheChildsHeaders() throws IOException {
        Wire.Answer answer = Wire.post(
                directory,
                MESSAGES,
                HELLO.formatted(""),
                "Authorization: Bearer stolen",
                "x-api-key: stolen",
                "Cookie: stolen=1",
                "X-Forwarded-For: stolen",
                "Connection: keep-alive, X-Stolen",
                "X-Stolen: stolen",
                "Proxy-Authorization: stolen",
                "User-Agent: stolen",
                "anthropic-organization: stolen",
                "anthropic-version: 2023-01-01");

        assertThat(answer.status()).isEqualTo(200);
        FakeProvider.Seen seen = provider.seen.getFirst();
        assertThat(seen.path()).isEqualTo("/base/v1/messages");
        assertThat(seen.headers().get("X-api-key")).containsExactly(TestDoor.KEY);
        assertThat(seen.headers().get("Anthropic-version")).containsExactly("2023-01-01");
        assertThat(seen.headers().values().toString()).doesNotContain("stolen");
        assertThat(seen.headers().keySet())
                .isSubsetOf(
                        "X-api-key",
                        "Anthropic-version",
                        "Accept",
                        "Accept-encoding",
                        "Content-type",
                        "Content-length",
                        "User-agent",
                        "Host",
                        "Connection");
    }

    @Test
    void forcesTheModelOfTheAuthorityAndABoundOnItsAnswer() throws IOException {
        Wire.post(directory, MESSAGES, HELLO.formatted(""));
        Wire.post(directory, MESSAGES, HELLO.formatted(",\"model\":\"test/model-1\",\"max_tokens\":5"));

        assertThat(provider.seen.get(0).body().get("model").asString()).isEqualTo("model-1");
        assertThat(provider.seen.get(0).body().get("max_tokens").asInt()).isEqualTo(ModelBody.OUTPUT_TOKENS);
        assertThat(provider.seen.get(1).body().get("model").asString()).isEqualTo("model-1");
        assertThat(provider.seen.get(1).body().get("max_tokens").asInt()).isEqualTo(5);
    }

    /** What is held for a call, and what becomes of it. */
    private static final class Books implements ModelHold {

        private final long output;
        private final List<String> entries = new CopyOnWriteArrayList<>();

        private Books(long output) {
            this.output = output;
        }

        @Override
        public long outputTokens() {
            return output;
        }

        @Override
        public void settle(ModelUse use) {
            entries.add("%d and %d%s"
                    .formatted(use.inputTokens(), use.outputTokens(), use.complete() ? "" : ", broken off"));
        }

        @Override
        public void release() {
            entries.add("released");
        }

        @Override
        public void close() {
            entries.add("closed");
        }
    }

    private Books books(long output) {
        Books books = new Books(output);
        child.budget = _ -> books;
        return books;
    }

    @Test // S19
    void aCallWritesNoMoreThanItsBudgetHasLeft() throws IOException {
        Books books = books(7);

        Wire.post(directory, MESSAGES, HELLO.formatted(""));
        Wire.post(directory, MESSAGES, HELLO.formatted(",\"max_tokens\":5"));

        assertThat(provider.seen)
                .extracting(seen -> seen.body().get("max_tokens").asInt())
                .containsExactly(7, 5);
        // The answer is there before the books are closed.
        await().untilAsserted(() ->
                assertThat(books.entries).hasSize(4).endsWith("closed").noneMatch("released"::equals));
    }

    @Test // S19
    void whatABudgetDoesNotHaveIsNotForwarded() throws IOException {
        child.budget = _ -> {
            throw new DoorProblem(402, "budget-tokens", "used up");
        };

        Wire.Answer answer = Wire.post(directory, MESSAGES, HELLO.formatted(""));

        assertThat(answer.status()).isEqualTo(402);
        assertThat(answer.code()).isEqualTo("budget-tokens");
        assertThat(provider.seen).isEmpty();
    }

    @Test // S19: no text has more tokens than bytes
    void holdsTheMostThatACallCanComeTo() throws IOException {
        String text = "x".repeat(5_000);

        Wire.post(directory, MESSAGES, "{\"messages\":[{\"role\":\"user\",\"content\":\"%s\"}]}".formatted(text));

        assertThat(child.needs).singleElement().satisfies(need -> {
            assertThat(need.inputTokens()).isGreaterThan(5_000);
            assertThat(need.outputTokens()).isEqualTo(ModelBody.OUTPUT_TOKENS);
        });
    }

    @Test // S19
    void whatAProviderRefusesIsNotCharged() throws IOException {
        Books books = books(7);
        provider.answers(429, "{}");

        Wire.post(directory, MESSAGES, HELLO.formatted(""));

        await().untilAsserted(
                        () -> assertThat(books.entries).startsWith("released").endsWith("closed"));
    }

    @Test // S19
    void countingTokensHoldsNothing() throws IOException {
        child.budget = _ -> {
            throw new DoorProblem(402, "budget-tokens", "used up");
        };

        assertThat(Wire.post(directory, MESSAGES + "/count_tokens", HELLO.formatted(""))
                        .status())
                .isEqualTo(200);
    }

    @Test
    void refusesAnotherModel() throws IOException {
        Wire.Answer answer = Wire.post(directory, MESSAGES, HELLO.formatted(",\"model\":\"dearer\""));

        assertThat(answer.status()).isEqualTo(403);
        assertThat(answer.code()).isEqualTo("model-not-granted");
        assertNothingForwarded();
    }

    @Test
    void refusesAProviderThatTheChildDoesNotHave() throws IOException {
        child.model = new ModelGrant("scripted", "x");

        assertThat(Wire.post(directory, MESSAGES, HELLO.formatted("")).code()).isEqualTo("model-not-granted");
        child.model = null;
        assertThat(Wire.post(directory, MESSAGES, HELLO.formatted("")).code()).isEqualTo("model-not-granted");
        assertThat(provider.seen).isEmpty();
    }

    @Test
    void refusesAToolDefinitionOutOfScope() throws IOException {
        String inScope = "{\"name\":\"bash\",\"input_schema\":{}}";
        String outOfScope = "{\"name\":\"write\",\"input_schema\":{}}";

        assertThat(Wire.post(directory, MESSAGES, HELLO.formatted(",\"tools\":[" + inScope + "]"))
                        .status())
                .isEqualTo(200);
        Wire.Answer answer =
                Wire.post(directory, MESSAGES, HELLO.formatted(",\"tools\":[" + inScope + "," + outOfScope + "]"));

        assertThat(answer.status()).isEqualTo(403);
        assertThat(answer.code()).isEqualTo("tool-out-of-scope");
        assertThat(provider.seen).hasSize(1);
    }

    @Test
    void judgesToolsByTheScopeOfNow() throws IOException {
        String tools = ",\"tools\":[{\"name\":\"bash\",\"input_schema\":{}}]";
        Wire.post(directory, MESSAGES, HELLO.formatted(tools));

        child.scope = Set.of("read");

        assertThat(Wire.post(directory, MESSAGES, HELLO.formatted(tools)).code())
                .isEqualTo("tool-out-of-scope");
        assertThat(Wire.post(
                                directory,
                                MESSAGES,
                                HELLO.formatted(",\"tool_choice\":{\"type\":\"tool\",\"name\":\"bash\"}"))
                        .code())
                .isEqualTo("tool-out-of-scope");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                ",\"tools\":[{\"type\":\"web_search_20250305\",\"name\":\"bash\"}]",
                ",\"tools\":[{\"type\":\"web_fetch_20250910\",\"name\":\"bash\",\"input_schema\":{}}]",
                ",\"tools\":[{\"type\":\"code_execution_20250522\",\"name\":\"bash\"}]",
                ",\"tools\":[{\"type\":\"bash_20250124\",\"name\":\"bash\"}]",
                ",\"tools\":[{\"name\":\"bash\",\"input_schema\":{},\"allowed_callers\":[\"code_execution_20250825\"]}]",
                ",\"tools\":{}",
                ",\"mcp_servers\":[{\"type\":\"url\",\"url\":\"https://evil.test\",\"name\":\"x\"}]",
                ",\"container\":\"c1\"",
                ",\"context_management\":{}",
                ",\"service_tier\":\"auto\"",
                ",\"store\":true",
                ",\"background\":true",
                ",\"inference_geo\":\"us\"",
                ",\"betas\":[\"x\"]",
                ",\"unknown\":null",
                ",\"max_tokens\":0",
                ",\"max_tokens\":-1",
                ",\"max_tokens\":\"5\"",
                ",\"stream\":\"true\"",
                ",\"metadata\":{\"user_id\":\"a\",\"more\":\"b\"}",
                ",\"system\":[{\"type\":\"image\"}]",
                ",\"messages\":[]",
            })
    void refusesWhatIsMoreThanTheChildsOwnWords(String field) throws IOException {
        Wire.Answer answer = Wire.post(directory, MESSAGES, HELLO.formatted(field));

        assertThat(answer.status()).isEqualTo(400);
        assertNothingForwarded();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{\"type\":\"image\",\"source\":{\"type\":\"url\",\"url\":\"https://evil.test/?x=secret\"}}",
                "{\"type\":\"image\",\"source\":{\"type\":\"file\",\"file_id\":\"f\"}}",
                "{\"type\":\"document\",\"source\":{\"type\":\"url\",\"url\":\"https://evil.test\"}}",
                "{\"type\":\"document\",\"source\":{\"type\":\"file\",\"file_id\":\"f\"}}",
                "{\"type\":\"image\",\"source\":{\"type\":\"base64\",\"media_type\":\"image/png\",\"data\":\"\",\"url\":\"x\"}}",
                "{\"type\":\"container_upload\",\"file_id\":\"f\"}",
                "{\"type\":\"server_tool_use\",\"id\":\"1\",\"name\":\"web_search\",\"input\":{}}",
                "{\"type\":\"mcp_tool_use\",\"id\":\"1\",\"name\":\"x\",\"input\":{},\"server_name\":\"y\"}",
                "{\"type\":\"search_result\",\"source\":\"https://evil.test\",\"title\":\"x\",\"content\":[]}",
                "{\"type\":\"tool_result\",\"tool_use_id\":\"1\",\"content\":[{\"type\":\"image\",\"source\":{\"type\":\"url\",\"url\":\"https://evil.test\"}}]}",
                "{\"type\":\"text\"}",
                "{\"type\":\"text\",\"text\":{\"type\":\"url\"}}",
                "{\"text\":\"x\"}"
            })
    void refusesContentThatTheProviderWouldFetch(String block) throws IOException {
        Wire.Answer answer = Wire.post(
                directory, MESSAGES, "{\"messages\":[{\"role\":\"user\",\"content\":[%s]}]}".formatted(block));

        assertThat(answer.status()).isEqualTo(400);
        assertNothingForwarded();
    }

    @Test
    void forwardsAWholeConversationAsItWas() throws IOException {
        String conversation = """
                {"model":"model-1","max_tokens":100,"temperature":0.70,"system":[{"type":"text","text":"s","cache_control":{"type":"ephemeral"}}],
                 "thinking":{"type":"enabled","budget_tokens":1024},
                 "tools":[{"name":"bash","description":"d","input_schema":{"type":"object","properties":{"command":{"type":"string"}}}}],
                 "tool_choice":{"type":"auto"},
                 "messages":[
                  {"role":"user","content":"hello"},
                  {"role":"assistant","content":[{"type":"thinking","thinking":"t","signature":"s"},{"type":"tool_use","id":"1","name":"bash","input":{"command":"id"}}]},
                  {"role":"user","content":[{"type":"tool_result","tool_use_id":"1","is_error":true,"content":[{"type":"text","text":"no \\u00e9"}]},
                    {"type":"image","source":{"type":"base64","media_type":"image/png","data":"AAAA"}}]}]}""";

        Wire.Answer answer = Wire.post(directory, MESSAGES, conversation);

        assertThat(answer.status()).isEqualTo(200);
        assertThat(provider.seen.getFirst().body()).isEqualTo(Json.MAPPER.readTree(conversation));
    }

    @Test
    void refusesABetaUnlessTheOperatorNamedIt() throws IOException {
        assertThat(Wire.post(
                                directory,
                                MESSAGES,
                                HELLO.formatted(""),
                                "anthropic-beta: known-beta, files-api-2025-04-14")
                        .status())
                .isEqualTo(400);
        assertThat(provider.seen).isEmpty();

        assertThat(Wire.post(directory, MESSAGES, HELLO.formatted(""), "anthropic-beta: known-beta")
                        .status())
                .isEqualTo(200);
        assertThat(provider.seen.getFirst().headers().get("Anthropic-beta")).containsExactly("known-beta");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "/model/test/v1/messages?beta=true",
                "/model/test/v1/messages/",
                "/model/test/v1/messages/batches",
                "/model/test/v1/models",
                "/model/test/v1/files",
                "/model/test/v1/chat/completions",
                "/model/test/v1/../v1/messages",
                "/model/test/v1/x%2f..%2fmessages",
                "/model//test/v1/messages",
                "/model/test/v1/messages;x",
                "/model/TEST/v1/messages"
            })
    void hasNoOtherRouteToTheProvider(String target) throws IOException {
        assertThat(Wire.post(directory, target, HELLO.formatted("")).status()).isIn(400, 404);
        assertThat(provider.seen).isEmpty();
    }

    @Test
    void saysWhichKeyIsMissingAndHowToSetIt() throws IOException {
        door.keys.clear();

        Wire.Answer answer = Wire.post(directory, MESSAGES, HELLO.formatted(""));

        assertThat(answer.status()).isEqualTo(503);
        assertThat(answer.code()).isEqualTo("credential-missing");
        assertThat(answer.json().get("remedy").asString()).isEqualTo("sallyport credentials set test");
        assertNothingForwarded();
    }

    @Test
    void doesNotShowAKeyThatCannotBeSent() throws IOException {
        door.keys.put("test", "sk-two\nlines-0123456789");

        Wire.Answer answer = Wire.post(directory, MESSAGES, HELLO.formatted(""));

        assertThat(answer.code()).isEqualTo("credential-unusable");
        assertThat(answer.body()).doesNotContain("sk-two").doesNotContain("0123456789");
    }

    @Test
    void forgetsAKeyAtOnceThatWasTakenAway() throws IOException {
        Wire.post(directory, MESSAGES, HELLO.formatted(""));

        door.keys.clear();

        assertThat(Wire.post(directory, MESSAGES, HELLO.formatted("")).code()).isEqualTo("credential-missing");
        assertThat(provider.seen).hasSize(1);
    }

    @ParameterizedTest
    @CsvSource({"401,authentication_error", "403,permission_error"})
    void hidesAnErrorThatQuotesTheKey(int status, String type) throws IOException {
        provider.answers(
                status,
                "{\"error\":{\"type\":\"%s\",\"message\":\"Incorrect API key provided: sk-secre*****cdef\"}}"
                        .formatted(type));

        Wire.Answer answer = Wire.post(directory, MESSAGES, HELLO.formatted(""));

        assertThat(answer.status()).isEqualTo(502);
        assertThat(answer.code()).isEqualTo("provider-refused-credential");
        assertThat(answer.body()).doesNotContain("sk-secre").doesNotContain("cdef");
    }

    @ParameterizedTest
    @ValueSource(ints = {400, 404, 429, 500, 529})
    void neverPassesTheKeyOnInAnError(int status) throws IOException {
        provider.answers(
                status,
                "{\"error\":{\"message\":\"you sent %s\"}}".formatted(TestDoor.KEY.substring(4, 20)),
                "retry-after",
                "7",
                "set-cookie",
                TestDoor.KEY,
                "request-id",
                TestDoor.KEY);

        Wire.Answer answer = Wire.post(directory, MESSAGES, HELLO.formatted(""));

        assertThat(answer.status()).isEqualTo(status);
        assertThat(answer.header("retry-after")).isEqualTo("7");
        assertNoKey(answer);
    }

    @Test
    void passesAHarmlessErrorOn() throws IOException {
        provider.answers(400, "{\"error\":{\"message\":\"max_tokens: too large\"}}");

        Wire.Answer answer = Wire.post(directory, MESSAGES, HELLO.formatted(""));

        assertThat(answer.status()).isEqualTo(400);
        assertThat(answer.json().get("detail").asString()).isEqualTo("provider test: max_tokens: too large");
    }

    @Test
    void removesTheKeyFromAnAnswerThatEchoesIt() throws IOException {
        String escaped = TestDoor.KEY.replace("s", "\\u0073");
        provider.answers(
                200,
                "{\"content\":[{\"type\":\"text\",\"text\":\"%s %s\"}],\"usage\":{}}".formatted(TestDoor.KEY, escaped),
                "x-echo",
                TestDoor.KEY,
                "authorization",
                TestDoor.KEY,
                "request-id",
                "req-" + TestDoor.KEY,
                "set-cookie",
                "k=" + TestDoor.KEY);

        Wire.Answer answer = Wire.post(directory, MESSAGES, HELLO.formatted(""));

        assertThat(answer.status()).isEqualTo(200);
        assertThat(answer.body()).contains("[removed] [removed]");
        assertNoKey(answer);
        assertThat(answer.header("set-cookie")).isNull();
    }

    @Test
    void removesTheKeyFromAStreamThatEchoesIt() throws IOException {
        provider.streams(
                "event: message_start\ndata: {\"type\":\"message_start\",\"message\":{\"usage\":{\"input_tokens\":1}}}\n\n",
                "event: content_block_delta\ndata: {\"delta\":{\"text\":\"" + TestDoor.KEY.replace("k", "\\u006b")
                        + "\"}}\n\n",
                ": " + TestDoor.KEY + "\n\n",
                "id: " + TestDoor.KEY + "\nevent: message_stop\ndata: {\"type\":\"message_stop\"}\n\n");

        Wire.Answer answer = Wire.post(directory, MESSAGES, HELLO.formatted(",\"stream\":true"));

        assertThat(answer.body()).contains("[removed]").contains("message_stop");
        assertNoKey(answer);
    }

    @ParameterizedTest
    @ValueSource(ints = {301, 302, 303, 307, 308})
    void followsNoRedirect(int status) throws IOException {
        try (FakeProvider elsewhere = new FakeProvider()) {
            elsewhere.answers(200, ANSWER);
            provider.answers(
                    status, "", "location", elsewhere.as(ModelShape.MESSAGES).baseUrl() + "/?" + TestDoor.KEY);

            Wire.Answer answer = Wire.post(directory, MESSAGES, HELLO.formatted(""));

            assertThat(answer.status()).isEqualTo(502);
            assertThat(answer.code()).isEqualTo("provider-redirected");
            assertThat(answer.header("location")).isNull();
            assertThat(elsewhere.seen).isEmpty();
        }
    }

    @Test
    void refusesAnAnswerThatItCannotRead() throws IOException {
        provider.answers(200, ANSWER, "content-encoding", "gzip");
        assertThat(Wire.post(directory, MESSAGES, HELLO.formatted("")).code()).isEqualTo("provider-answer-refused");

        provider.answers(200, "<html>" + TestDoor.KEY);
        assertThat(Wire.post(directory, MESSAGES, HELLO.formatted("")).code()).isEqualTo("provider-answer-refused");

        provider.answers(200, "{\"x\":\"" + "x".repeat(2 << 20) + "\"}");
        assertThat(Wire.post(directory, MESSAGES, HELLO.formatted("")).code()).isEqualTo("provider-answer-refused");
    }

    @Test
    void saysThatAProviderDoesNotAnswer() throws IOException {
        provider.close();

        Wire.Answer answer = Wire.post(directory, MESSAGES, HELLO.formatted(""));

        assertThat(answer.status()).isEqualTo(502);
        assertThat(answer.code()).isEqualTo("provider-unreachable");
    }

    @Test
    void countsTheTokensOfAWholeAnswer() throws IOException {
        Wire.post(directory, MESSAGES, HELLO.formatted(""));

        assertThat(child.uses).containsExactly(new ModelUse("test", "model-1", 17, 3, null, true));
        assertThat(door.count(DoorMetrics.MODEL_TOKENS, "direction", "input")).isEqualTo(17);
        assertThat(door.count(DoorMetrics.MODEL_TOKENS, "direction", "output")).isEqualTo(3);
        assertThat(door.count(DoorMetrics.MODEL_REQUESTS, "provider", "test", "outcome", "answered"))
                .isEqualTo(1);
    }

    @Test
    void countsTheTokensOfAStream() throws IOException {
        provider.streams(
                "event: message_start\ndata: {\"type\":\"message_start\",\"message\":{\"usage\":{\"input_tokens\":12,\"output_tokens\":1}}}\n\n",
                "event: ping\ndata: {\"type\":\"ping\"}\n\n",
                "event: message_delta\ndata: {\"type\":\"message_delta\",\"delta\":{},\"usage\":{\"output_tokens\":9}}\n\n",
                "event: message_stop\ndata: {\"type\":\"message_stop\"}\n\n");

        Wire.Answer answer = Wire.post(directory, MESSAGES, HELLO.formatted(",\"stream\":true"));

        assertThat(answer.header("content-type")).isEqualTo("text/event-stream");
        assertThat(answer.body())
                .startsWith("event: message_start\ndata: {")
                .endsWith("data: {\"type\":\"message_stop\"}\n\n");
        assertThat(child.uses).containsExactly(new ModelUse("test", "model-1", 12, 9, null, true));
    }

    @Test
    void pricesEveryKindOfToken() throws IOException {
        price("3", "15", "0.30", "3.75");

        Wire.post(directory, MESSAGES, HELLO.formatted(""));

        // 10 x 3 + 3 x 15 + 2 x 0.30 + 5 x 3.75, for a million.
        assertThat(child.uses).singleElement().extracting(ModelUse::costUsd).isEqualTo(new BigDecimal("0.00009435"));
        assertThat(door.count(DoorMetrics.MODEL_COST, "provider", "test")).isEqualTo(0.00009435);
    }

    @Test
    void pricesAStreamByItsLastCounts() throws IOException {
        price("3", "15", "0.30", "3.75");
        provider.streams(
                "event: message_start\ndata: {\"type\":\"message_start\",\"message\":{\"usage\":{\"input_tokens\":10,\"cache_read_input_tokens\":100,\"output_tokens\":1}}}\n\n",
                "event: message_delta\ndata: {\"type\":\"message_delta\",\"delta\":{},\"usage\":{\"input_tokens\":10,\"cache_read_input_tokens\":100,\"output_tokens\":9}}\n\n",
                "event: message_stop\ndata: {\"type\":\"message_stop\"}\n\n");

        Wire.post(directory, MESSAGES, HELLO.formatted(",\"stream\":true"));

        assertThat(child.uses)
                .containsExactly(new ModelUse("test", "model-1", 110, 9, new BigDecimal("0.00019500"), true));
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void pricesCachedTokensOfAChatOnce(boolean streams) throws IOException {
        provider.prices =
                Map.of("model-1", new Price(BigDecimal.ONE, BigDecimal.TWO, new BigDecimal("0.1"), BigDecimal.ZERO));
        open(ModelShape.CHAT);
        String usage =
                "\"usage\":{\"prompt_tokens\":100,\"completion_tokens\":7,\"prompt_tokens_details\":{\"cached_tokens\":90}}";
        if (streams) {
            provider.streams("data: {\"choices\":[],%s}\n\n".formatted(usage), "data: [DONE]\n\n");
        } else {
            provider.answers(200, "{\"choices\":[],%s}".formatted(usage));
        }

        Wire.post(directory, CHAT, HELLO.formatted(",\"stream\":" + streams));

        assertThat(child.uses)
                .containsExactly(new ModelUse("test", "model-1", 100, 7, new BigDecimal("0.0000330"), true));
    }

    @Test
    void hasNoCostWhereNothingWasCounted() throws IOException {
        price("3", "15", "0.30", "3.75");
        provider.answers(200, "{\"content\":[]}");

        Wire.post(directory, MESSAGES, HELLO.formatted(""));

        assertThat(child.uses).containsExactly(new ModelUse("test", "model-1", 0, 0, null, true));
    }

    @Test
    void hasNoCostForAModelOfAnotherName() throws IOException {
        price("3", "15", "0.30", "3.75");
        child.model = new ModelGrant("test", "model-2");

        Wire.post(directory, MESSAGES, HELLO.formatted(""));

        assertThat(child.uses).containsExactly(new ModelUse("test", "model-2", 17, 3, null, true));
    }

    @Test
    void isNotPaidByAProviderThatCountsBackwards() throws IOException {
        price("3", "15", "0.30", "3.75");
        provider.answers(200, "{\"usage\":{\"input_tokens\":-5,\"output_tokens\":9223372036854775807}}");

        Wire.post(directory, MESSAGES, HELLO.formatted(""));

        ModelUse use = child.uses.getFirst();
        assertThat(use.inputTokens()).isZero();
        assertThat(use.outputTokens()).isEqualTo(1L << 40);
        assertThat(use.costUsd()).isPositive();
    }

    @Test
    void refusesAPriceBelowZero() {
        assertThatThrownBy(() -> price("3", "15", "-0.30", "3.75"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("-0.30");
    }

    private void price(String input, String output, String cacheRead, String cacheWrite) throws IOException {
        provider.prices = Map.of(
                "model-1",
                new Price(
                        new BigDecimal(input),
                        new BigDecimal(output),
                        new BigDecimal(cacheRead),
                        new BigDecimal(cacheWrite)));
        open(ModelShape.MESSAGES);
    }

    @Test
    void saysThatAStreamBrokeOff() throws IOException {
        provider.streams(
                "event: message_start\ndata: {\"type\":\"message_start\",\"message\":{\"usage\":{\"input_tokens\":12}}}\n\n",
                "event: content_block_delta\ndata: {\"type\":\"content");

        Wire.post(directory, MESSAGES, HELLO.formatted(",\"stream\":true"));

        assertThat(child.uses).containsExactly(new ModelUse("test", "model-1", 12, 0, null, false));
    }

    @Test
    void passesEachEventOnWhenItComes() throws Exception {
        CountDownLatch read = new CountDownLatch(1);
        provider.script = exchange -> {
            exchange.getResponseHeaders().add("content-type", "text/event-stream");
            exchange.sendResponseHeaders(200, 0);
            try (OutputStream out = exchange.getResponseBody()) {
                out.write("event: first\ndata: {}\n\n".getBytes(StandardCharsets.UTF_8));
                out.flush();
                read.await();
                out.write("event: second\ndata: {}\n\n".getBytes(StandardCharsets.UTF_8));
            } catch (InterruptedException e) {
                throw new IOException(e);
            }
        };
        try (Wire wire = Wire.to(directory)) {
            wire.send(Wire.request("POST", MESSAGES, HELLO.formatted(",\"stream\":true")));
            wire.head();

            assertThat(wire.event("first")).contains("data: {}");
            read.countDown();
            assertThat(wire.event("second")).contains("data: {}");
        }
    }

    @Test
    void readsAProviderNoFasterThanTheChild() throws Exception {
        CountDownLatch stalled = new CountDownLatch(1);
        byte[] event =
                ("event: big\ndata: {\"x\":\"" + "x".repeat(60_000) + "\"}\n\n").getBytes(StandardCharsets.UTF_8);
        provider.script = exchange -> {
            exchange.getResponseHeaders().add("content-type", "text/event-stream");
            exchange.sendResponseHeaders(200, 0);
            try (OutputStream out = exchange.getResponseBody()) {
                for (int i = 0; i < 5000; i++) {
                    out.write(event);
                }
            } finally {
                stalled.countDown();
            }
        };
        try (Wire wire = Wire.to(directory)) {
            wire.send(Wire.request("POST", MESSAGES, HELLO.formatted(",\"stream\":true")));
            wire.head();
            wire.chunk();

            // 300 MB would long have been written had anything but the child's socket and small buffers taken it.
            assertThat(stalled.await(2, TimeUnit.SECONDS)).isFalse();
        }
        assertThat(stalled.await(30, TimeUnit.SECONDS)).isTrue();
        assertThat(child.uses).allMatch(use -> !use.complete());
    }

    @Test
    void countsTokensForFree() throws IOException {
        provider.answers(200, "{\"input_tokens\":42}");

        Wire.Answer answer = Wire.post(directory, MESSAGES + "/count_tokens", HELLO.formatted(""));

        assertThat(answer.json().get("input_tokens").asInt()).isEqualTo(42);
        assertThat(provider.seen.getFirst().body().has("max_tokens")).isFalse();
        assertThat(child.uses).isEmpty();
    }

    @Test
    void speaksChatCompletions() throws IOException {
        open(ModelShape.CHAT);
        provider.answers(200, CHAT_ANSWER);

        Wire.Answer answer = Wire.post(
                directory,
                CHAT,
                HELLO.formatted(
                        ",\"tools\":[{\"type\":\"function\",\"function\":{\"name\":\"bash\",\"parameters\":{}}}]"));

        assertThat(answer.json()
                        .path("choices")
                        .path(0)
                        .path("message")
                        .path("content")
                        .asString())
                .isEqualTo("hi");
        FakeProvider.Seen seen = provider.seen.getFirst();
        assertThat(seen.path()).isEqualTo("/base/v1/chat/completions");
        assertThat(seen.headers().get("Authorization")).containsExactly("Bearer " + TestDoor.KEY);
        assertThat(seen.headers()).doesNotContainKey("X-api-key");
        assertThat(seen.body().get("max_completion_tokens").asInt()).isEqualTo(ModelBody.OUTPUT_TOKENS);
        assertThat(child.uses).containsExactly(new ModelUse("test", "model-1", 7, 4, null, true));
    }

    @Test
    void hasTheUsageOfEveryChatStreamSent() throws IOException {
        open(ModelShape.CHAT);
        provider.streams(
                "data: {\"choices\":[{\"delta\":{\"content\":\"hi\"}}],\"usage\":null}\n\n",
                "data: {\"choices\":[],\"usage\":{\"prompt_tokens\":8,\"completion_tokens\":2}}\n\n",
                "data: [DONE]\n\n");

        Wire.Answer answer = Wire.post(
                directory, CHAT, HELLO.formatted(",\"stream\":true,\"stream_options\":{\"include_usage\":false}"));

        assertThat(provider.seen
                        .getFirst()
                        .body()
                        .path("stream_options")
                        .path("include_usage")
                        .asBoolean())
                .isTrue();
        assertThat(answer.body()).endsWith("data: [DONE]\n\n");
        assertThat(child.uses).containsExactly(new ModelUse("test", "model-1", 8, 2, null, true));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                ",\"tools\":[{\"type\":\"web_search\"}]",
                ",\"tools\":[{\"type\":\"function\",\"function\":{\"name\":\"write\"}}]",
                ",\"tools\":[{\"type\":\"custom\",\"custom\":{\"name\":\"bash\"}}]",
                ",\"tool_choice\":{\"type\":\"function\",\"function\":{\"name\":\"write\"}}",
                ",\"web_search_options\":{}",
                ",\"n\":2",
                ",\"store\":true",
                ",\"metadata\":{}",
                ",\"service_tier\":\"priority\"",
                ",\"modalities\":[\"audio\"]",
                ",\"functions\":[]",
                ",\"prediction\":{}",
                ",\"stream_options\":{\"more\":1}",
                ",\"messages\":[{\"role\":\"user\",\"content\":[{\"type\":\"image_url\",\"image_url\":{\"url\":\"https://evil.test/?x=secret\"}}]}]",
                ",\"messages\":[{\"role\":\"user\",\"content\":[{\"type\":\"file\",\"file\":{\"file_id\":\"f\"}}]}]",
                ",\"messages\":[{\"role\":\"user\",\"content\":[{\"type\":\"input_audio\",\"input_audio\":{}}]}]"
            })
    void refusesMoreThanWordsAndFunctionsInChat(String field) throws IOException {
        open(ModelShape.CHAT);
        String body = field.startsWith(",\"messages\"") ? "{" + field.substring(1) + "}" : HELLO.formatted(field);

        assertThat(Wire.post(directory, CHAT, body).status()).isIn(400, 403);
        assertNothingForwarded();
    }

    @Test
    void refusesAConfigurationThatSendsKeysInTheClear() {
        for (String url : List.of(
                "http://api.test",
                "http://127.0.0.1.evil.test",
                "http://10.0.0.1",
                "ftp://api.test",
                "https://user@api.test",
                "https://api.test/?x=1",
                "api.test")) {
            assertThatThrownBy(() -> new Provider("p", URI.create(url), ModelShape.CHAT, "c", Set.of(), true, Map.of()))
                    .isInstanceOf(IllegalArgumentException.class);
        }
        assertThatThrownBy(() -> new Provider(
                        "p", URI.create("http://127.0.0.1:1"), ModelShape.CHAT, "c", Set.of(), false, Map.of()))
                .isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> new Provider(
                        "scripted", URI.create("https://api.test"), ModelShape.CHAT, "c", Set.of(), false, Map.of()))
                .isInstanceOf(IllegalArgumentException.class);
    }
}
