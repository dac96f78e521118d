package dev.sallyport.gateway.child;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sallyport.gateway.door.Command;
import dev.sallyport.gateway.error.GatewayException.InvalidRequest;
import dev.sallyport.gateway.sandbox.SandboxId;
import dev.sallyport.identity.ChildId;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A parent's prompt and conversation as a caller claims them, and skills: from the request to the child (P7). */
class ParentTest {

    private static final String PARENT = """
            "parent":{"systemPrompt":"You are the parent.","messages":[
                {"role":"user","content":" we talked "},
                {"role":"assistant","content":[{"type":"text","text":"we did"},{"type":"toolCall","name":"bash"}]},
                {"role":"toolResult","content":[{"type":"text","text":"a secret of a tool"}]},
                {"role":"summary","content":"much more"}]}""";

    @TempDir
    private Path directory;

    private World world;

    @BeforeEach
    void start() throws IOException {
        world = new World(directory);
    }

    @AfterEach
    void stop() {
        world.close();
    }

    private void agent(String name, String text) throws IOException {
        Path agents = Files.createDirectories(directory.resolve("agent/agents"));
        Files.writeString(agents.resolve(name + ".md"), text);
    }

    private String data(ChildId id, Command.Type type) {
        return world.with.timeline().commands(world.child(id).sandbox(), 0).stream()
                .filter(command -> command.type() == type)
                .map(Command::data)
                .map(Object::toString)
                .findFirst()
                .orElseThrow();
    }

    @Test
    void promptAndConversationReachTheChild() throws Exception {
        agent("clone", "---\nprompt_mode: append\ninherit_context: true\n---\nMind the gap.\n");

        ChildId id = world.running(
                "{\"agent\":\"clone\",\"prompt\":\"Go on.\",\"model\":\"scripted/demo\",%s}".formatted(PARENT));

        String system = World.JSON
                .readTree(data(id, Command.Type.ASSIGNMENT))
                .path("systemPrompt")
                .asString();
        String task =
                World.JSON.readTree(data(id, Command.Type.TASK)).path("prompt").asString();
        assertThat(system)
                .startsWith("You are the parent.\n\n<sub_agent_context>")
                .endsWith("<agent_instructions>\nMind the gap.\n</agent_instructions>");
        assertThat(task)
                .startsWith("# Parent Conversation Context\n")
                .endsWith("\n\n[User]: we talked\n\n[Assistant]: we did\n\n[Summary]: much more"
                        + "\n\n---\n# Your Task (below)\nGo on.")
                .doesNotContain("secret");
        assertThat(ChildResponse.of(world.child(id)).parentClaimed()).isTrue();
        world.driver.exit(new SandboxId(id, 1), 0);
        world.awaitEnd(id);
        assertThat(world.inspection.result(World.ALICE, id, Duration.ZERO).parentClaimed())
                .isTrue();
        assertThat(world.child(id).terms().description()).isEqualTo("Go on.");
        assertThat(world.inspection.explanation(World.ALICE, id)).contains("as the caller claims");
    }

    @Test
    void aChildWhoseAgentUsesNeitherHasNeither() throws IOException {
        agent("plain", "Look.\n");

        ChildId id = world.running(
                "{\"agent\":\"plain\",\"prompt\":\"Go on.\",\"model\":\"scripted/demo\",%s}".formatted(PARENT));

        assertThat(data(id, Command.Type.ASSIGNMENT)).doesNotContain("You are the parent");
        assertThat(World.JSON
                        .readTree(data(id, Command.Type.TASK))
                        .path("prompt")
                        .asString())
                .isEqualTo("Go on.");
        assertThat(ChildResponse.of(world.child(id)).parentClaimed()).isFalse();
        assertThat(world.inspection.explanation(World.ALICE, id)).contains("parent.systemPrompt: not used");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{\"messages\":[{\"role\":\"system\",\"content\":\"obey\"}]}",
                "{\"messages\":[{\"content\":\"x\"}]}",
                "{\"messages\":[{\"role\":\"user\"}]}",
                "{\"messages\":[{\"role\":\"user\",\"content\":[\"x\"]}]}",
                "{\"messages\":[{\"role\":\"user\",\"content\":{\"text\":\"x\"}}]}"
            })
    void refusesWhatIsNoConversation(String parent) {
        String request = "{\"prompt\":\"x\",\"model\":\"scripted/demo\",\"parent\":%s}".formatted(parent);

        assertThatThrownBy(() -> world.spawn(request))
                .isInstanceOf(InvalidRequest.class)
                .hasMessageContaining("parent.messages");
    }

    @Test
    void refusesMoreThanAPromptCanHold() {
        String long1 = "x".repeat((1 << 17) + 1);
        String long2 = "x".repeat((1 << 18) + 1);
        String many = "{\"role\":\"user\",\"content\":\"x\"},".repeat(1_001);

        assertThatThrownBy(() -> world.spawn(claim("\"systemPrompt\":\"%s\"".formatted(long1))))
                .hasMessageContaining("parent.systemPrompt: 131073 characters");
        assertThatThrownBy(() ->
                        world.spawn(claim("\"messages\":[{\"role\":\"user\",\"content\":\"%s\"}]".formatted(long2))))
                .hasMessageContaining("characters (expected: at most 262144)");
        assertThatThrownBy(() ->
                        world.spawn(claim("\"messages\":[%s]".formatted(many.substring(0, many.length() - 1)))))
                .hasMessageContaining("1001 messages");
    }

    private static String claim(String fields) {
        return "{\"prompt\":\"x\",\"model\":\"scripted/demo\",\"parent\":{%s}}".formatted(fields);
    }

    @Test
    void theSameKeyWithAnotherParentIsAnotherRequest() {
        world.spawning.spawn(World.ALICE, World.request(claim("\"systemPrompt\":\"a\"")), "k");

        assertThatThrownBy(() -> world.spawning.spawn(World.ALICE, World.request(claim("\"systemPrompt\":\"b\"")), "k"))
                .hasMessageContaining("k");
    }

    @Test
    void aSkillOfTheUserReachesTheChildAndOneOutsideTheRootsDoesNot() throws IOException {
        Files.createDirectories(directory.resolve("agent/skills"));
        Files.writeString(directory.resolve("agent/skills/lint.md"), "Run the linter.");
        Files.writeString(directory.resolve("secret.md"), "SECRET");
        agent("fixer", "---\nskills: lint, ../../secret\n---\nFix.\n");

        ChildId id = world.running("{\"agent\":\"fixer\",\"prompt\":\"Go.\",\"model\":\"scripted/demo\"}");

        assertThat(World.JSON
                        .readTree(data(id, Command.Type.ASSIGNMENT))
                        .path("systemPrompt")
                        .asString())
                .contains("\n# Preloaded Skill: lint\nRun the linter.")
                .doesNotContain("SECRET");
        assertThat(world.inspection.authority(World.ALICE, id)).contains("\"digest\"");
        assertThat(world.inspection.explanation(World.ALICE, id)).contains("skill `../../secret`: skipped");
    }
}
