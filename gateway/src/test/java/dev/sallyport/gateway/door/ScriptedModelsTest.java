package dev.sallyport.gateway.door;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;

@Timeout(60)
class ScriptedModelsTest {

    private static final String ROUTE = "/model/scripted/v1/messages";
    private static final String SCRIPT = """
            turns:
              - text: I run the test.
                toolCalls:
                  - name: bash
                    arguments: {command: ./test.sh, timeout: 5}
                  - name: ls
              - expect: 1 failed
                text: Done.
            """;
    private static final String FIRST = "{\"role\":\"user\",\"content\":\"mend it\"}";
    private static final String SECOND = FIRST
            + ",{\"role\":\"assistant\",\"content\":[{\"type\":\"tool_use\",\"id\":\"toolu_1_1\",\"name\":\"bash\",\"input\":{}}]}"
            + ",{\"role\":\"user\",\"content\":[{\"type\":\"tool_result\",\"tool_use_id\":\"toolu_1_1\",\"content\":\"%s\"}]}";

    @TempDir
    Path base;

    private Path scripts;
    private TestDoor door;
    private FakeOccupant child;
    private Path directory;

    @BeforeEach
    void open() throws IOException {
        scripts = Files.createDirectory(base.resolve("s"));
        Files.writeString(scripts.resolve("fixer.yaml"), SCRIPT);
        TestDoor.Builder builder = TestDoor.in(base.resolve("d"));
        builder.scripts = scripts;
        door = builder.start();
        child = door.child();
        child.model = new ModelGrant("scripted", "fixer");
        directory = door.open(child);
    }

    @AfterEach
    void close() {
        door.close();
    }

    private Wire.Answer ask(String messages, String more) throws IOException {
        return Wire.post(directory, ROUTE, "{\"messages\":[" + messages + "]" + more + "}");
    }

    @Test
    void playsTheFirstTurnAndSaysWhatItIs() throws IOException {
        Wire.Answer answer = ask(FIRST, "");

        assertThat(answer.header("x-sallyport-model")).isEqualTo("scripted");
        JsonNode message = answer.json();
        assertThat(message.path("model").asString()).isEqualTo("scripted/fixer");
        assertThat(message.path("stop_reason").asString()).isEqualTo("tool_use");
        assertThat(message.path("content")).isEqualTo(Json.MAPPER.readTree("""
                                [{"type":"text","text":"I run the test."},
                                 {"type":"tool_use","id":"toolu_1_1","name":"bash","input":{"command":"./test.sh","timeout":5}},
                                 {"type":"tool_use","id":"toolu_1_2","name":"ls","input":{}}]"""));
    }

    @Test
    void givesTheSameRequestTheSameAnswer() throws IOException {
        assertThat(ask(FIRST, "")).isEqualTo(ask(FIRST, ""));
        assertThat(child.uses).hasSize(2).allMatch(use -> use.equals(child.uses.getFirst()));
        assertThat(child.uses.getFirst().inputTokens()).isPositive();
    }

    @Test
    void takesTheTurnFromTheRequest() throws IOException {
        JsonNode message = ask(SECOND.formatted("12 passed, 1 failed"), "").json();

        assertThat(message.path("content").path(0).path("text").asString()).isEqualTo("Done.");
        assertThat(message.path("stop_reason").asString()).isEqualTo("end_turn");
    }

    @Test
    void failsWhereTheWorldIsNotAsTheScriptExpects() throws IOException {
        Wire.Answer answer = ask(SECOND.formatted("13 passed"), "");

        assertThat(answer.status()).isEqualTo(409);
        assertThat(answer.code()).isEqualTo("model_script_expectation");
        assertThat(child.uses).isEmpty();
    }

    @Test
    void saysThatTheScriptHasRunOut() throws IOException {
        Wire.Answer answer = ask(SECOND.formatted("1 failed") + ",{\"role\":\"assistant\",\"content\":\"Done.\"}", "");

        assertThat(answer.status()).isEqualTo(409);
        assertThat(answer.code()).isEqualTo("model_script_exhausted");
        assertThat(child.observations).contains(new Observation.ModelScriptExhausted("fixer", 2));
    }

    @Test
    void streamsTheSameAnswer() throws IOException {
        Wire.Answer answer = ask(FIRST, ",\"stream\":true");

        assertThat(answer.header("content-type")).isEqualTo("text/event-stream");
        assertThat(answer.header("x-sallyport-model")).isEqualTo("scripted");
        assertThat(answer.body().lines().filter(line -> line.startsWith("event: ")))
                .containsExactly(
                        "event: message_start",
                        "event: content_block_start",
                        "event: content_block_delta",
                        "event: content_block_stop",
                        "event: content_block_start",
                        "event: content_block_delta",
                        "event: content_block_stop",
                        "event: content_block_start",
                        "event: content_block_delta",
                        "event: content_block_stop",
                        "event: message_delta",
                        "event: message_stop");
        assertThat(answer.body())
                .contains("\"model\":\"scripted/fixer\"")
                .contains("\"partial_json\":\"{\\\"command\\\":\\\"./test.sh\\\",\\\"timeout\\\":5}\"");
    }

    @ParameterizedTest
    @ValueSource(strings = {"missing", "../fixer", "..", "/etc/passwd", "fixer.yaml", "Fixer", "", "a/b"})
    void playsNothingButScriptsOfItsDirectory(String name) throws IOException {
        Files.writeString(base.resolve("fixer.yaml"), SCRIPT);
        child.model = new ModelGrant("scripted", name);

        Wire.Answer answer = ask(FIRST, "");

        assertThat(answer.status()).isEqualTo(404);
        assertThat(answer.code()).isEqualTo("model_script_missing");
    }

    @Test
    void followsNoLinkOutOfItsDirectory() throws IOException {
        Files.createSymbolicLink(scripts.resolve("link.yaml"), base.resolve("elsewhere.yaml"));
        Files.writeString(base.resolve("elsewhere.yaml"), SCRIPT);
        child.model = new ModelGrant("scripted", "link");

        assertThat(ask(FIRST, "").code()).isEqualTo("model_script_missing");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "[]",
                "turns: 1",
                "turns: []\nturns: []",
                "turns: [{text: 1}]",
                "turns: [{texts: a}]",
                "turns: [{toolCalls: [{arguments: {}}]}]",
                "turns: [{toolCalls: [{name: a, arguments: []}]}]",
                "turns: !!java.util.ArrayList []",
                "turns: [&a {text: b}, *a]",
                "turns: [",
                "\t",
                "turns: []\n---\nturns: []"
            })
    void saysWhatIsWrongWithAScript(String script) throws IOException {
        Files.writeString(scripts.resolve("fixer.yaml"), script);

        Wire.Answer answer = ask(FIRST, "");

        assertThat(answer.status()).isEqualTo(422);
        assertThat(answer.code()).isEqualTo("model_script_unusable");
    }

    @Test
    void boundsAScript() throws IOException {
        for (String script : new String[] {
            "turns: " + "[".repeat(5000), "turns: [{text: '" + "x".repeat(70_000) + "'}]", "a".repeat(1 << 20)
        }) {
            Files.writeString(scripts.resolve("fixer.yaml"), script);

            assertThat(ask(FIRST, "").status()).isEqualTo(422);
        }
    }
}
