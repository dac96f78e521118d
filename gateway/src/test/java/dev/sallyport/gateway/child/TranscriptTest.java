package dev.sallyport.gateway.child;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sallyport.gateway.door.Command;
import dev.sallyport.gateway.door.Report;
import dev.sallyport.gateway.error.GatewayException.ChildNotFound;
import dev.sallyport.gateway.error.GatewayException.TranscriptNotKept;
import dev.sallyport.gateway.sandbox.SandboxId;
import dev.sallyport.identity.CallId;
import dev.sallyport.identity.ChildId;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/** What was said stays with the gateway: for people of the session, for children by way of the gateway, and not for ever. */
class TranscriptTest {

    @TempDir
    private Path directory;

    private World world;

    @BeforeEach
    void begin() throws IOException {
        world = new World(directory);
        world.agent("lead", "model: scripted/demo\nallowed_subagents: heir, stranger");
        world.agent("heir", "model: scripted/demo\nprompt_mode: append\ninherit_context: true");
        world.agent("stranger", "model: scripted/demo");
        world.agent("silent", "model: scripted/demo\noutput_transcript: false");
    }

    @AfterEach
    void end() {
        world.close();
    }

    private ChildId running(String agent) {
        return world.running("{\"agent\":\"%s\",\"prompt\":\"go\"}".formatted(agent));
    }

    private void report(ChildId child, Report.Type type, long n, String json) throws InterruptedException {
        world.atDoor(child).report(List.of(new Report(n, type, (ObjectNode) World.JSON.readTree(json))));
    }

    private void talk(ChildId child) throws InterruptedException {
        report(child, Report.Type.ASSISTANT, 1, "{\"text\":\"I look.\"}");
        report(
                child,
                Report.Type.TOOL_CALL,
                2,
                "{\"callId\":\"c1\",\"tool\":\"bash\",\"arguments\":{\"command\":\"ls\"}}");
        report(
                child,
                Report.Type.TOOL_RESULT,
                3,
                "{\"callId\":\"c1\",\"tool\":\"bash\",\"outcome\":\"error\",\"output\":\"a secret of a tool\"}");
        world.inspection.steer(World.ALICE, child, "look deeper");
        report(child, Report.Type.RESULT, 4, "{\"text\":\"done\"}");
    }

    private List<JsonNode> transcript(ChildId child) throws IOException {
        var out = new ByteArrayOutputStream();
        world.transcript.write(world.inspection.withTranscript(World.ALICE, child), out);
        return out.toString(StandardCharsets.UTF_8)
                .lines()
                .map(World.JSON::readTree)
                .toList();
    }

    private ChildId below(ChildId parent, String agent) throws InterruptedException {
        ObjectNode request = World.JSON.createObjectNode().put("agent", agent).put("prompt", "dig");
        ObjectNode answer =
                world.atDoor(parent).delegates().spawn(request, new CallId("spawn/" + agent), Duration.ofSeconds(5));
        ChildId child = new ChildId(answer.path("child").path("id").asString());
        world.awaitState(child, ChildState.RUNNING);
        return child;
    }

    private JsonNode command(ChildId child, Command.Type type) {
        return world.with.timeline().commands(world.child(child).sandbox(), 0).stream()
                .filter(command -> command.type() == type)
                .findFirst()
                .orElseThrow()
                .data();
    }

    /** authority.md 11.12 */
    @Test
    void everyLineSaysWhoSaidWhatAndWhen() throws Exception {
        ChildId child = running("lead");
        talk(child);

        List<JsonNode> lines = transcript(child);

        assertThat(lines).allSatisfy(line -> {
            assertThat(line.path("isSidechain").asBoolean()).isTrue();
            assertThat(line.path("agentId").asString()).isEqualTo(child.value());
            assertThat(line.path("timestamp").asString()).isEqualTo("2026-06-01T12:00:00Z");
            assertThat(line.path("cwd").asString()).isEqualTo("/workspace");
            assertThat(line.path("type").asString())
                    .isEqualTo(line.path("message").path("role").asString());
        });
        assertThat(lines.stream().map(line -> line.path("message").toString()))
                .containsExactly(
                        "{\"role\":\"user\",\"content\":[{\"type\":\"text\",\"text\":\"go\"}]}",
                        "{\"role\":\"assistant\",\"content\":[{\"type\":\"text\",\"text\":\"I look.\"}]}",
                        "{\"role\":\"assistant\",\"content\":[{\"type\":\"toolCall\",\"id\":\"c1\",\"name\":\"bash\",\"arguments\":{\"command\":\"ls\"}}]}",
                        "{\"role\":\"toolResult\",\"content\":[{\"type\":\"text\",\"text\":\"a secret of a tool\"}],\"toolCallId\":\"c1\",\"toolName\":\"bash\",\"isError\":true}",
                        "{\"role\":\"user\",\"content\":[{\"type\":\"text\",\"text\":\"look deeper\"}]}");
    }

    @Test
    void aProgramWithoutATaskWasToldNothing() throws Exception {
        assertThat(transcript(world.running("{\"command\":[\"true\"]}"))).isEmpty();
    }

    @Test
    void isOfNoOtherSession() {
        ChildId child = running("lead");

        assertThatThrownBy(() -> world.inspection.withTranscript(World.ANOTHER_SESSION, child))
                .isInstanceOf(ChildNotFound.class);
    }

    /** P7: a child has no say in what its children are told of it, beyond what it said when it said it. */
    @Test
    void aChildOfAChildInheritsWhatTheGatewayStored() throws Exception {
        ChildId lead = running("lead");
        talk(lead);

        ChildId heir = below(lead, "heir");

        assertThat(command(heir, Command.Type.ASSIGNMENT).path("systemPrompt").asString())
                .startsWith(world.child(lead).terms().systemPrompt() + "\n\n<sub_agent_context>");
        assertThat(command(heir, Command.Type.TASK).path("prompt").asString())
                .contains(
                        "\n\n[User]: go\n\n[Assistant]: I look.\n\n[User]: look deeper\n\n---\n# Your Task (below)\ndig")
                .doesNotContain("secret");
        assertThat(ChildResponse.of(world.child(heir)).parentClaimed()).isFalse();
        assertThat(world.inspection.explanation(World.ALICE, heir)).doesNotContain("claims");
    }

    @Test
    void aChildOfAChildThatInheritsNothingIsToldNothing() throws Exception {
        ChildId lead = running("lead");
        talk(lead);

        ChildId stranger = below(lead, "stranger");

        assertThat(command(stranger, Command.Type.TASK).path("prompt").asString())
                .isEqualTo("dig");
        assertThat(command(stranger, Command.Type.ASSIGNMENT).toString()).doesNotContain("You are lead");
    }

    /** Too long to keep, so its beginning is what there is. */
    @Test
    void theBeginningOfAVeryLongWordIsInherited() throws Exception {
        ChildId lead = running("lead");
        report(lead, Report.Type.ASSISTANT, 1, "{\"text\":\"%s\"}".formatted("long ".repeat(20_000)));

        assertThat(command(below(lead, "heir"), Command.Type.TASK)
                        .path("prompt")
                        .asString())
                .contains("[Assistant]: {\"text\":\"long long");
    }

    @Test
    void theLatestOfALongConversationIsInherited() throws Exception {
        ChildId lead = running("lead");
        for (long n = 1; n <= 9; n++) {
            report(
                    lead,
                    Report.Type.ASSISTANT,
                    n,
                    "{\"text\":\"%s\"}".formatted(String.valueOf(n).repeat(40_000)));
        }

        String task =
                command(below(lead, "heir"), Command.Type.TASK).path("prompt").asString();

        assertThat(task)
                .contains("9999", "4444")
                .doesNotContain("3333", "[User]: go")
                .hasSizeLessThan(1 << 18);
    }

    @Test
    void whoeverSaysSoLeavesNoneBehind() throws Exception {
        ChildId child = running("silent");
        talk(child);
        assertThat(transcript(child)).hasSize(5);
        world.driver.exit(new SandboxId(child, 1), 0);
        world.awaitEnd(child);

        assertThatThrownBy(() -> transcript(child)).isInstanceOf(TranscriptNotKept.class);
        assertThat(world.events(child).toString())
                .doesNotContain("I look", "secret", "deeper")
                .contains("forgotten");
        assertThat(world.commands(child)).isEmpty();
        assertThat(world.inspection.result(World.ALICE, child, Duration.ZERO).output())
                .isEqualTo("done");
    }

    @Test
    void whatIsOverForLongIsForgotten() throws Exception {
        Path project = Files.createDirectories(world.root.resolve("project"));
        Files.setAttribute(project, "unix:uid", 12_345);
        Files.setAttribute(project, "unix:gid", 12_345);
        ChildId child = world.running(
                "{\"prompt\":\"x\",\"model\":\"scripted/demo\",\"workspace\":\"read-write\",\"directory\":\"%s\"}"
                        .formatted(project));
        ChildId alive = running("lead");
        world.driver.exit(new SandboxId(child, 1), 0);
        world.awaitEnd(child);

        world.clock.advance(Duration.ofDays(29));
        world.reaper.forget();
        assertThat(world.with.children().find(child)).isPresent();

        world.clock.advance(Duration.ofDays(2));
        world.reaper.forget();
        assertThat(world.with.children().find(child)).isEmpty();
        assertThat(world.events(child)).isEmpty();
        assertThat(world.with.children().find(alive)).isPresent();
        // S3: what it wrote is as little to be trusted as before.
        assertThat(world.with.children().everWritable()).contains(project.toRealPath());
    }
}
