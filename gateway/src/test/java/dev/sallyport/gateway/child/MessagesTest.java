package dev.sallyport.gateway.child;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sallyport.authority.ExtensionRights;
import dev.sallyport.containment.Harness;
import dev.sallyport.containment.Limits;
import dev.sallyport.containment.RuntimeClass;
import dev.sallyport.containment.WorkspaceAccess;
import dev.sallyport.gateway.budget.Kind;
import dev.sallyport.gateway.child.LifeSettings.EventLimits;
import dev.sallyport.gateway.sandbox.InMemorySandboxDriver;
import dev.sallyport.identity.ChildId;
import dev.sallyport.identity.SessionId;
import dev.sallyport.identity.Tenant;
import dev.sallyport.memory.MemoryAccess;
import dev.sallyport.memory.MemoryScope;
import dev.sallyport.testing.Golden;
import dev.sallyport.toolscope.ToolRules;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.json.JsonMapper;

/** What the gateway says to runners and to clients, as the others' tests read it. */
class MessagesTest {

    private static final JsonMapper JSON = new JsonMapper();
    private static final String NONCE = "0d9f3f0e-6a41-4d0a-9f53-1f0f5a1f7f11";
    private static final String BASE = "0123456789abcdef0123456789abcdef01234567";
    private static final String TIP = "89abcdef0123456789abcdef0123456789abcdef";

    private static final LifeSettings SETTINGS = new LifeSettings(
            InMemorySandboxDriver.IMAGE,
            20_000,
            20_099,
            1,
            1,
            Duration.ofMinutes(2),
            Duration.ofMinutes(2),
            Duration.ofMinutes(2),
            Set.of(),
            Path.of("/data"),
            new EventLimits(1, 1, 1, 1),
            1,
            Duration.ofDays(30),
            Duration.ofMinutes(2),
            51_200);

    private static Terms terms(Terms.Model model, List<String> tools, String description) {
        return new Terms(
                "fixer",
                "d".repeat(64),
                "e".repeat(64),
                description,
                "Fix the failing test.",
                Harness.BUILTIN,
                List.of(),
                model,
                tools,
                List.of(),
                "You review code.",
                20,
                5,
                new Terms.Workspace(WorkspaceAccess.CLONE, "/home/ada/project", null, "", null, 2),
                List.of(),
                Limits.DEFAULT,
                RuntimeClass.RUNC,
                List.of(),
                null,
                Terms.Delegation.NONE,
                false,
                true,
                new Terms.Extensions(
                        new ExtensionRights(
                                false, List.of("tickets"), List.of(), List.of(), List.of("ext:tickets/search")),
                        List.of("bash"),
                        List.of(new Terms.Given(
                                "tickets",
                                "/home/ada/.pi/agent/extensions/tickets",
                                "f".repeat(64),
                                List.of("perl", "server.pl"),
                                true)),
                        Set.of(ToolRules.Quirk.SHARED_TOOL_NAMES)),
                new Terms.Memory(MemoryScope.PROJECT, MemoryAccess.READ_WRITE, "/home/ada/project", null, 0));
    }

    private static Child child(Terms terms, ChildState state, Ending ending, String tip) {
        Instant start = Instant.parse("2026-06-01T12:00:00Z");
        return new Child(
                new ChildId("abcdefghijklmnop"),
                Tenant.DEFAULT,
                new SessionId("bbbbbbbbbbbbbbbb"),
                "ada",
                "ada",
                null,
                terms,
                state,
                1,
                null,
                start,
                start.plusSeconds(1),
                null,
                ending,
                ending == null ? null : start.plusSeconds(60),
                BASE,
                tip,
                null,
                "[{\"name\":\"memory\",\"state\":\"applied\",\"detail\":\"1g\"}]",
                new Child.Reported(0, 0, 0),
                new Child.Usage(3, 1200, 340, null),
                new EnumMap<>(Map.of(
                        Kind.TOKENS, new Child.Spent(200_000, 1540, 0), Kind.COST, new Child.Spent(2_500_000, 0, 0))),
                new Child.Decisions(4, 1, 1, 1, 0),
                ending != null,
                null,
                null);
    }

    private static Child ended() {
        Terms terms =
                terms(new Terms.Model("scripted", "demo", "messages", true, null), List.of("read"), "fix the test");
        return child(terms, ChildState.COMPLETED, new Ending(EndReason.EXITED, "it finished", 0), TIP);
    }

    private static String pretty(Object message) {
        return JSON.writerWithDefaultPrettyPrinter().writeValueAsString(message);
    }

    @Test
    void givesARunnerItsAssignment() throws IOException {
        Terms terms = terms(
                new Terms.Model("anthropic", "claude-sonnet-4-5", "messages", false, "high"),
                List.of("read", "bash"),
                "review");

        Golden.assertMessage(
                "door-assignment.json",
                pretty(Assignment.of(child(terms, ChildState.PREPARING, null, null), NONCE, BASE, SETTINGS, JSON)));
    }

    @Test
    void showsAChild() throws IOException {
        Golden.assertMessage("child.json", pretty(ChildResponse.of(ended())));
    }

    @Test
    void showsAResult() throws IOException {
        Child child = ended();

        Golden.assertMessage(
                "child-result.json",
                pretty(ResultResponse.of(child, child.ending(), "One test was wrong.", List.of("src/add.sh"))));
    }

    @Test
    void readsASpawnAsClientsSendIt() {
        SpawnRequest request = World.request("""
            {"agent":"fixer","prompt":"Fix it.","limits":{"cpu":"1.5","memory":"1g","pids":256,"wall":"15m","disk":"1g"}}
            """);

        assertThat(request.limits().values())
                .containsEntry("pids", "256")
                .containsEntry("cpu", "1.5")
                .hasSize(5);
    }
}
