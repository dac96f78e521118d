package dev.sallyport.gateway.child;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.sallyport.containment.Budgets;
import dev.sallyport.containment.CredentialScope;
import dev.sallyport.gateway.budget.Kind;
import dev.sallyport.gateway.door.DoorProblem;
import dev.sallyport.gateway.door.ModelHold;
import dev.sallyport.gateway.door.ModelNeed;
import dev.sallyport.gateway.door.ModelUse;
import dev.sallyport.gateway.door.Report;
import dev.sallyport.gateway.door.Traffic;
import dev.sallyport.gateway.error.GatewayException.AuthorityRefused;
import dev.sallyport.gateway.sandbox.SandboxId;
import dev.sallyport.identity.CallId;
import dev.sallyport.identity.ChildId;
import dev.sallyport.model.Price;
import java.io.IOException;
import java.math.BigDecimal;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.node.ObjectNode;

/** S19, T72: what a tree may use up is kept by the gateway, and one book counts for everybody below. */
@Timeout(60)
class BudgetTest {

    private static final String LEAD = "{\"agent\":\"lead\",\"prompt\":\"lead\"}";
    private static final String WORKER = "{\"agent\":\"worker\",\"prompt\":\"work\"}";

    @TempDir
    private Path directory;

    private World world;
    private int calls;

    @BeforeEach
    void begin() throws IOException {
        world = new World(directory);
        world.agent("lead", "model: scripted/demo\nallowed_subagents: worker, lead");
        world.agent("worker", "model: scripted/demo\ntools: read, ls");
        world.permissions.standard("allowed");
    }

    @AfterEach
    void end() {
        world.close();
    }

    /** The operator's, from now on. */
    private void limit(String... budgets) {
        Map<String, String> texts = new HashMap<>();
        for (int i = 0; i < budgets.length; i += 2) {
            texts.put(budgets[i], budgets[i + 1]);
        }
        world.policy = builder -> builder.budgets(Budgets.parse(texts));
        world.restart();
    }

    private ObjectNode ask(ChildId parent, String request) throws InterruptedException {
        return world.atDoor(parent)
                .delegates()
                .spawn(
                        (ObjectNode) World.JSON.readTree(request),
                        new CallId("spawn/" + ++calls),
                        Duration.ofSeconds(5));
    }

    private ChildId below(ChildId parent, String request) throws InterruptedException {
        ChildId id = new ChildId(ask(parent, request).path("child").path("id").asString());
        world.awaitState(id, ChildState.RUNNING);
        return id;
    }

    private static ModelNeed need(long input, long output) {
        return new ModelNeed(input, output, 1, null);
    }

    private static ModelUse use(long input, long output, boolean complete) {
        return new ModelUse("scripted", "demo", input, output, null, complete);
    }

    private void call(ChildId child, long input, long output) {
        try (ModelHold hold = world.atDoor(child).hold(need(input, output))) {
            hold.settle(use(input, output, true));
        }
    }

    private Child.Spent spent(ChildId child, Kind kind) {
        return world.child(child).budgets().get(kind);
    }

    private static void assertRefused(ThrowingCallable attempt, String code) {
        assertThatThrownBy(attempt)
                .isInstanceOfSatisfying(
                        DoorProblem.class, problem -> assertThat(problem.code()).isEqualTo(code));
    }

    @Test
    void whatIsUsedBelowIsUsedAbove() throws Exception {
        limit("tokens", "1000", "turns", "10");
        ChildId lead = world.running(LEAD);
        ChildId worker = below(lead, WORKER);

        call(lead, 100, 50);
        call(worker, 200, 30);

        assertThat(spent(worker, Kind.TOKENS)).isEqualTo(new Child.Spent(1000, 230, 0));
        assertThat(spent(lead, Kind.TOKENS)).isEqualTo(new Child.Spent(1000, 380, 0));
        assertThat(spent(lead, Kind.TURNS)).isEqualTo(new Child.Spent(10, 2, 0));
    }

    /** Its own would allow it. */
    @Test
    void whatIsUsedUpAboveIsUsedUpBelow() throws Exception {
        limit("tokens", "1000");
        ChildId lead = world.running(LEAD);
        ChildId first = below(lead, WORKER);
        ChildId second = below(lead, WORKER);

        call(first, 900, 50);

        assertThat(spent(second, Kind.TOKENS)).isEqualTo(new Child.Spent(1000, 0, 0));
        assertRefused(() -> world.atDoor(second).hold(need(51, 1)), "budget-tokens");
    }

    @Test
    void nobodyGetsMoreThanItsParentHasLeftHoweverMuchItAsksFor() throws Exception {
        limit("tokens", "1000");
        ChildId lead = world.running(LEAD);
        call(lead, 300, 100);

        ChildId worker = below(
                lead, "{\"agent\":\"worker\",\"prompt\":\"work\",\"budgets\":{\"tokens\":\"1m\",\"turns\":\"5\"}}");

        assertThat(spent(worker, Kind.TOKENS).most()).isEqualTo(600);
        assertThat(spent(worker, Kind.TURNS).most()).isEqualTo(5);
    }

    @Test
    void howeverManyAskAtOnceNoMoreIsTakenThanThereIs() throws Exception {
        limit("tokens", "1000");
        ChildId lead = world.running(LEAD);
        List<ChildId> all = List.of(lead, below(lead, WORKER), below(lead, WORKER));
        List<Callable<Boolean>> attempts = new ArrayList<>();
        for (int i = 0; i < 60; i++) {
            ChildId one = all.get(i % all.size());
            attempts.add(() -> {
                try (ModelHold hold = world.atDoor(one).hold(new ModelNeed(20L, 30, 30, null))) {
                    hold.settle(use(20, 30, true));
                    return true;
                } catch (DoorProblem e) {
                    return false;
                }
            });
        }

        int answered = 0;
        try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
            for (Future<Boolean> attempt : threads.invokeAll(attempts)) {
                answered += attempt.get() ? 1 : 0;
            }
        }

        assertThat(spent(lead, Kind.TOKENS)).isEqualTo(new Child.Spent(1000, answered * 50L, 0));
        assertThat(answered).isBetween(1, 20);
    }

    @Test
    void aCallMayWriteWhatIsLeft() {
        limit("tokens", "100");
        ChildId child = world.running(WORKER);

        try (ModelHold hold = world.atDoor(child).hold(need(60, 1000))) {
            assertThat(hold.outputTokens()).isEqualTo(40);
            // It is not known yet what the first one takes.
            assertRefused(() -> world.atDoor(child).hold(need(60, 1)), "budget-reserved");
            hold.settle(use(60, 10, true));
        }

        assertRefused(() -> world.atDoor(child).hold(need(60, 1)), "budget-tokens");
    }

    @Test
    void anAnswerThatBrokeOffTookAllThatItCould() {
        limit("tokens", "1000");
        ChildId child = world.running(WORKER);

        try (ModelHold hold = world.atDoor(child).hold(need(60, 100))) {
            hold.settle(use(10, 5, false));
        }
        world.atDoor(child).hold(need(20, 10)).close();
        world.atDoor(child).hold(need(500, 10)).release();

        assertThat(spent(child, Kind.TOKENS)).isEqualTo(new Child.Spent(1000, 190, 0));
    }

    @Test
    void whatWasOnItsWayWhenTheGatewayDiedIsCharged() {
        limit("tokens", "1000");
        ChildId child = world.running(WORKER);
        ModelHold cut = world.atDoor(child).hold(need(60, 100));

        world.restart();

        await().untilAsserted(() -> assertThat(spent(child, Kind.TOKENS)).isEqualTo(new Child.Spent(1000, 160, 0)));
        cut.settle(use(1, 1, true));
        assertThat(spent(child, Kind.TOKENS)).isEqualTo(new Child.Spent(1000, 160, 0));
    }

    @Test
    void aTreeHasNoMoreChildrenThanItsBudget() throws Exception {
        limit("children", "3");
        ChildId lead = world.running(LEAD);
        below(lead, WORKER);
        ChildId second = below(lead, LEAD);
        below(lead, WORKER);

        for (int i = 0; i < 100; i++) {
            assertRefused(() -> ask(lead, WORKER), "budget-children");
        }

        assertThat(spent(lead, Kind.CHILDREN)).isEqualTo(new Child.Spent(3, 3, 0));
        assertThat(spent(second, Kind.CHILDREN).most()).isEqualTo(2);
        assertThat(world.spawn(LEAD)).isNotNull();
    }

    @Test // S4
    void whatAChildSaysOfItselfChangesNoBudget() {
        limit("tokens", "1000", "turns", "5");
        ChildId child = world.running(WORKER);
        ObjectNode data = World.JSON.createObjectNode().put("text", "done");
        data.putObject("usage").put("inputTokens", -900).put("outputTokens", 0);
        call(child, 10, 10);

        world.atDoor(child).report(List.of(new Report(1, Report.Type.RESULT, data)));

        assertThat(spent(child, Kind.TOKENS)).isEqualTo(new Child.Spent(1000, 20, 0));
        assertThat(spent(child, Kind.TURNS)).isEqualTo(new Child.Spent(5, 1, 0));
    }

    @Test
    void whoFailsForWantOfABudgetSaysSo() {
        limit("turns", "0");
        ChildId child = world.running(WORKER);

        assertRefused(() -> world.atDoor(child).hold(need(1, 1)), "budget-turns");
        world.driver.exit(new SandboxId(child, 1), 1);

        assertThat(world.awaitEnd(child))
                .isEqualTo(new Ending(EndReason.BUDGET_TURNS, "its turns budget is used up", 1));
    }

    @Test
    void whatNobodyCanMeasureIsNotSpent() {
        limit("tokens", "1000", "cost", "1");
        ChildId child = world.running(WORKER);

        assertThatThrownBy(() -> world.atDoor(child).hold(new ModelNeed(null, 10, 1, null)))
                .hasMessageContaining("nobody can say what");
        assertThatThrownBy(() -> world.atDoor(child).hold(need(10, 10)))
                .hasMessageContaining("nobody can say what a model without a price takes of it");
    }

    @Test
    void tunnelsOfAWholeTreeCarryNoMoreThanItsBudget() throws Exception {
        limit("egress", "600k");
        ChildId lead = world.running(LEAD);
        ChildId worker = below(lead, WORKER);

        try (Traffic one = world.atDoor(lead).traffic();
                Traffic other = world.atDoor(worker).traffic()) {
            assertThat(one.take(300 * 1024)).isTrue();
            assertThat(other.take(200 * 1024)).isTrue();
            assertThat(other.take(200 * 1024)).isFalse();
        }

        // What was taken in advance and not carried comes back.
        assertThat(spent(lead, Kind.EGRESS)).isEqualTo(new Child.Spent(600 * 1024, 500 * 1024, 0));
        assertThat(spent(worker, Kind.EGRESS).used()).isEqualTo(200 * 1024);
    }

    /** The door asks before it connects. */
    @Test
    void whoHasNoBytesLeftGetsNoTunnelAndMayStillEndForAnotherBudget() {
        limit("egress", "0", "tokens", "10");
        ChildId child = world.running(WORKER);

        assertRefused(() -> world.atDoor(child).traffic(), "budget-egress");
        assertRefused(() -> world.atDoor(child).hold(need(50, 1)), "budget-tokens");
        world.driver.exit(new SandboxId(child, 1), 1);

        assertThat(world.awaitEnd(child).reason()).isEqualTo(EndReason.BUDGET_TOKENS);
    }

    @Test
    void costIsCountedInMillionthsOfADollar() {
        limit("cost", "0.000100");
        ChildId child = world.running(WORKER);
        var price = new Price(BigDecimal.ONE, BigDecimal.valueOf(5), BigDecimal.ZERO, BigDecimal.ZERO);

        try (ModelHold hold = world.atDoor(child).hold(new ModelNeed(50L, 1000, 1, price))) {
            assertThat(hold.outputTokens()).isEqualTo(10);
            hold.settle(new ModelUse("scripted", "demo", 50, 4, new BigDecimal("0.000070"), true));
        }

        assertThat(spent(child, Kind.COST)).isEqualTo(new Child.Spent(100, 70, 0));
        assertThat(ChildResponse.of(world.child(child)).budgets().get("cost").used())
                .isEqualByComparingTo("0.00007");
    }

    @Test
    void credentialsThatNobodyCanAddAreRefused() {
        world.policy = builder -> builder.credentials(CredentialScope.of(List.of("github")));
        world.restart();

        assertThatThrownBy(() ->
                        world.spawn("{\"prompt\":\"x\",\"model\":\"scripted/demo\",\"credentials\":[\"github\"]}"))
                .isInstanceOf(AuthorityRefused.class)
                .hasMessageContaining("credentials");
    }
}
