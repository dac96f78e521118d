package dev.sallyport.gateway.child;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.sallyport.containment.Budgets;
import dev.sallyport.gateway.budget.Kind;
import dev.sallyport.gateway.error.GatewayException.AuthorityRefused;
import dev.sallyport.gateway.error.GatewayException.BudgetUsedUp;
import dev.sallyport.gateway.routing.FakeSelector;
import dev.sallyport.identity.ChildId;
import dev.sallyport.model.Model;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;

/** What a spawn makes of a selector's answer (R-14, P11). */
class ModelSelectionTest {

    private static final Model FAST = Model.parse("scripted/fast");
    private static final Model DEEP = Model.parse("scripted/deep");
    private static final String SPAWN = "{\"prompt\":\"find the bug\",\"agent\":\"canary\"}";

    @TempDir
    private static Path certificates;

    @TempDir
    private Path directory;

    private World world;
    private FakeSelector selector;

    @BeforeEach
    void begin() throws IOException {
        world = new World(directory);
        selector = new FakeSelector(certificates);
        Path agents = Files.createDirectories(directory.resolve("agent/agents"));
        Files.writeString(agents.resolve("canary.md"), """
            ---
            description: canary-description
            tools: read, grep
            model: scripted/fast
            thinking: canary-thinking
            inherit_context: true
            ---
            canary-persona
            """);
        route(false);
    }

    @AfterEach
    void end() {
        world.close();
        selector.close();
    }

    @Test
    void theChildGetsTheModelThatWasChosenAndItsTimelineSaysSo() {
        selector.chooses(DEEP);

        ChildId id = world.spawn(SPAWN);

        assertThat(world.child(id).terms().model().name()).isEqualTo("scripted/deep");
        assertThat(world.child(id).terms().tools()).containsExactly("read", "grep");
        assertThat(event(id)).isEqualTo(World.JSON.readTree("""
            {"model": "scripted/deep", "by": "selector", "outcome": "chosen",
             "candidates": ["scripted/fast", "scripted/deep"]}
            """));
        assertThat(world.inspection.explanation(World.ALICE, id))
                .contains("scripted/deep", "operator routing selector", "a selector chooses");
    }

    @Test // P12
    void askingTheSelectorIsATurnOfTheTree() {
        world.policy = builder -> builder.budgets(Budgets.parse(Map.of("turns", "2")));
        world.restart();
        selector.chooses(DEEP);

        ChildId id = world.spawn(SPAWN);

        assertThat(world.child(id).budgets().get(Kind.TURNS)).isEqualTo(new Child.Spent(2, 1, 0));
    }

    @Test // P12
    void whoHasNoTurnLeftAsksNobody() {
        world.policy = builder -> builder.budgets(Budgets.parse(Map.of("turns", "0")));
        world.restart();

        assertThatExceptionOfType(BudgetUsedUp.class).isThrownBy(() -> world.spawn(SPAWN));

        assertThat(selector.seen).isEmpty();
    }

    @Test
    void theSelectorIsToldTheNewInstructionAndNothingOfTheAgent() {
        selector.chooses(DEEP);

        world.spawn(SPAWN);

        JsonNode body = selector.seen.getFirst().body();
        assertThat(body.path("task").asString()).isEqualTo("find the bug");
        assertThat(body.toString()).doesNotContain("canary", "read", "grep");
    }

    @Test
    void neitherKeyNorDestinationIsAnywhereThatPeopleOrChildrenLook() {
        selector.chooses(DEEP);

        ChildId id = world.running(SPAWN);

        String shown = world.child(id)
                + world.inspection.authority(World.ALICE, id)
                + world.inspection.explanation(World.ALICE, id)
                + world.events(id)
                + world.with.timeline().commands(world.child(id).sandbox(), 0);
        assertThat(shown)
                .contains("scripted/deep")
                .doesNotContain(FakeSelector.KEY, FakeSelector.PATH, FakeSelector.HOST);
    }

    @Test
    void aFailureIsARefusalAndNoChild() {
        selector.answers(500, "no");

        assertThatExceptionOfType(AuthorityRefused.class)
                .isThrownBy(() -> world.spawn(SPAWN))
                .withMessage("the selector chose no model: status-refused")
                .satisfies(refused ->
                        assertThat(refused.body().getProperties()).containsEntry("refusal", "model-selection-failed"));
        assertThat(world.db.sql("select count(*) from child").query(Long.class).single())
                .isZero();
    }

    @Test
    void theDefaultStandsInWhereTheOperatorSaysSoAndEverybodyIsTold() {
        selector.answers(200, "{\"model\": \"scripted/huge\"}");
        route(true);

        ChildId id = world.spawn(SPAWN);

        assertThat(world.child(id).terms().model().name()).isEqualTo("scripted/fast");
        assertThat(event(id).path("by").asString()).isEqualTo("default");
        assertThat(event(id).path("outcome").asString()).isEqualTo("not-a-candidate");
        assertThat(world.inspection.explanation(World.ALICE, id))
                .contains("operator defaults.model", "failed: not-a-candidate");
    }

    @Test
    void explainingAsksNobodyAndNamesTheCandidates() {
        Spawning.Resolved resolved = world.spawning.resolve(World.ALICE, World.request(SPAWN));

        assertThat(resolved.outcome().explanation().render()).contains("one of scripted/fast, scripted/deep");
        assertThat(selector.seen).isEmpty();
    }

    @Test
    void theSameRequestAsksOnce() {
        selector.chooses(DEEP);

        Child first = world.spawning.spawn(World.ALICE, World.request(SPAWN), "key");
        Child second = world.spawning.spawn(World.ALICE, World.request(SPAWN), "key");

        assertThat(second.id()).isEqualTo(first.id());
        assertThat(selector.seen).hasSize(1);
    }

    @Test
    void whatIsRefusedAnywayIsNotTold() {
        assertThatExceptionOfType(AuthorityRefused.class)
                .isThrownBy(() -> world.spawn("{\"prompt\":\"x\",\"agent\":\"canary\",\"model\":\"scripted/fast\"}"));
        assertThatExceptionOfType(AuthorityRefused.class)
                .isThrownBy(() -> world.spawn("{\"prompt\":\"x\",\"agent\":\"canary\",\"runtime\":\"gvisor\"}"));

        assertThat(selector.seen).isEmpty();
    }

    @Test
    void aProgramWithoutATaskInWordsIsNotRouted() {
        ChildId id = world.spawn("{\"command\":[\"true\"]}");

        assertThat(world.child(id).terms().model().name()).isEqualTo("scripted/fast");
        assertThat(selector.seen).isEmpty();
    }

    @Test // authority.md 5.7, S2
    void theSelectorChoosesAmongTheModelsThatUserAndProjectBothWorkWith() throws IOException {
        selector.chooses(DEEP);
        Path project = Files.createDirectories(world.root.resolve("project/.pi"));
        Files.writeString(directory.resolve("agent/settings.json"), "{\"enabledModels\":[\"scripted/fast\"]}");
        Files.writeString(
                project.resolve("settings.json"), "{\"enabledModels\":[\"scripted/fast\",\"scripted/deep\"]}");

        assertThatExceptionOfType(AuthorityRefused.class)
                .isThrownBy(() -> world.spawn("""
                    {"prompt":"x","workspace":"none","directory":"%s"}
                    """.formatted(project.getParent())))
                .withMessage("the selector chose no model: not-a-candidate");
        assertThat(selector.seen.getFirst().body().path("candidates")).hasSize(1);
    }

    private void route(boolean defaultOnFailure) {
        world.defaultModel = FAST;
        world.router = selector.router(defaultOnFailure, FAST, DEEP);
        world.restart();
    }

    private JsonNode event(ChildId id) {
        List<Event> events = world.events(id).stream()
                .filter(event -> event.type().equals("model-selected"))
                .toList();
        assertThat(events).hasSize(1);
        assertThat(events.getFirst().source()).isEqualTo(Event.Source.GATEWAY);
        return World.JSON.readTree(events.getFirst().data());
    }
}
