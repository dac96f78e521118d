package dev.sallyport.authority;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sallyport.agentfile.AgentDefinition;
import dev.sallyport.agentfile.AgentRegistry;
import dev.sallyport.agentfile.Inclusion;
import dev.sallyport.agentfile.SubagentPermission;
import dev.sallyport.containment.Budgets;
import dev.sallyport.containment.Harness;
import dev.sallyport.containment.WorkspaceAccess;
import dev.sallyport.invocation.SpawnCall;
import dev.sallyport.model.Model;
import dev.sallyport.model.Price;
import dev.sallyport.toolscope.DelegationTools;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** What goes from parent to child and what does not: T58, T60, and who may start whom. */
class CapabilityTest {

    private static final AgentRegistry AGENTS = AgentRegistry.of(List.of(
            delegating("coordinator").tools(List.of("read", "grep")).build(),
            delegating("planner").disallowedTools(List.of("edit")).build(),
            agent("writer").tools(List.of("read", "edit", "write")).build()));

    @Test // T58
    void whatAParentDeniesIsDeniedToItsChildren() {
        Authority child = under("planner", Requests.policy().build(), "writer");

        assertThat(child.tools()).containsExactly("read", "write");
        assertThat(child.deniedTools()).containsExactly("edit");
        assertThat(losers(child, "tools")).containsExactly("edit: parent planner denies");
    }

    /** authority.md 13.8 */
    @Test
    void aPlainNameMeansAToolOfAnExtensionOnlyIfTheOperatorWantsThatBack() {
        AgentRegistry registry = AgentRegistry.of(List.of(
                delegating("caller").tools(List.of("read", "search")).build(),
                agent("clerk")
                        .tools(List.of("read", "search", "lookup", "close", "Agent"))
                        .disallowedTools(List.of("close"))
                        .build()));
        SpawnCall clerk = SpawnCall.builder("clerk").hasDirectory(true).build();
        Requests safe = Requests.ordinary().registry(registry);
        Requests compatible = safe.operator(Requests.policy()
                .compatibility(Compatibility.parse(List.of("plain-tools-bypass-selectors")))
                .build());
        Authority caller = compatible.granted(
                SpawnCall.builder("caller").hasDirectory(true).build());

        assertThat(safe.granted(clerk).tools()).containsExactly("read");
        assertThat(compatible.granted(clerk).tools()).containsExactly("read", "search", "lookup");
        // Under a parent it is one more right that the parent must have.
        assertThat(compatible.parent(caller).granted(clerk).tools()).containsExactly("read", "search");
    }

    @Test // T60
    void whatAParentMerelyLacksIsNotHandedOnByItself() {
        Authority child = under("coordinator", Requests.policy().build(), "writer");

        assertThat(child.tools()).containsExactly("read");
        assertThat(child.deniedTools()).isEmpty();
        assertThat(losers(child, "tools")).containsExactly("edit, write: parent coordinator has none");
    }

    @Test // T60
    void theOperatorMayLetACoordinatorHandOnWhatItLacks() {
        OperatorPolicy operator = Requests.policy()
                .grants(List.of(new OperatorPolicy.Grant(
                        "coordinator", "writer", List.of("edit", "write"), WorkspaceAccess.CLONE)))
                .build();

        Authority child = under("coordinator", operator, "writer");

        assertThat(child.tools()).containsExactly("read", "edit", "write");
        assertThat(child.containment().workspace()).isEqualTo(WorkspaceAccess.CLONE);
    }

    @Test // T60, T69
    void noGrantLiftsALock() {
        List<OperatorPolicy.Grant> grants =
                List.of(new OperatorPolicy.Grant("planner", "writer", List.of("edit"), null));

        assertThat(under("planner", Requests.policy().grants(grants).build(), "writer")
                        .tools())
                .containsExactly("read", "write");
        assertThat(under(
                                "coordinator",
                                Requests.policy()
                                        .grants(List.of(new OperatorPolicy.Grant(
                                                "coordinator", "writer", List.of("edit", "write"), null)))
                                        .lockedTools(List.of("write"))
                                        .build(),
                                "writer")
                        .tools())
                .containsExactly("read", "edit");
    }

    @Test
    void aGrantIsForOnePairOnly() {
        OperatorPolicy operator = Requests.policy()
                .grants(List.of(new OperatorPolicy.Grant("coordinator", "other", List.of("edit"), null)))
                .build();

        assertThat(under("coordinator", operator, "writer").tools()).containsExactly("read");
    }

    @Test // T72
    void aChildAtTheDepthCapStartsNobodyAndNobodyCanSayOtherwise() {
        OperatorPolicy operator = Requests.policy().build();
        Authority second = under("planner", operator, "planner");

        assertThat(second.delegation().depth()).isEqualTo(2);
        assertThat(second.delegation().mayDelegate()).isFalse();
        assertThat(Requests.ordinary()
                        .registry(AGENTS)
                        .parent(second)
                        .refused(SpawnCall.of("planner"))
                        .code())
                .isEqualTo("depth-exceeded");
    }

    @Test
    void whoIsDeniedTheToolHasNoRightToDelegate() {
        Requests requests = Requests.ordinary()
                .registry(AgentRegistry.of(List.of(
                        agent("lead").allowedSubagents(SubagentPermission.all()).build(),
                        agent("mute")
                                .allowedSubagents(SubagentPermission.all())
                                .disallowedTools(List.of(DelegationTools.SPAWN))
                                .build())));
        Requests locked = requests.operator(
                Requests.policy().lockedTools(List.of(DelegationTools.SPAWN)).build());

        assertThat(requests.granted(SpawnCall.of("lead")).delegation().mayDelegate())
                .isTrue();
        assertThat(requests.granted(SpawnCall.of("mute")).delegation().mayDelegate())
                .isFalse();
        assertThat(locked.granted(SpawnCall.of("lead")).delegation().mayDelegate())
                .isFalse();
    }

    @Test
    void aParentStartsOnlyWhomItsFileNames() {
        AgentRegistry agents = AgentRegistry.of(List.of(
                agent("lead")
                        .allowedSubagents(new SubagentPermission.Only(List.of("Writer")))
                        .build(),
                agent("writer").build(),
                agent("other").build(),
                agent("alone").build()));
        Requests requests = Requests.ordinary().registry(agents);
        Requests under = requests.parent(requests.granted(SpawnCall.of("lead")));

        assertThat(under.granted(SpawnCall.of("writer")).agent()).isEqualTo("writer");
        assertThat(under.refused(SpawnCall.of("other")).reasons())
                .containsExactly("`lead` may not start agent `other` (allowed: writer)");
        assertThat(under.refused(SpawnCall.of(null)).code()).isEqualTo("delegation-not-allowed");
        assertThat(requests.parent(requests.granted(SpawnCall.of("alone")))
                        .refused(SpawnCall.of("writer"))
                        .code())
                .isEqualTo("delegation-not-allowed");
    }

    @Test
    void theOperatorSaysWhoMayStartWhom() {
        OperatorPolicy operator = Requests.policy()
                .spawns(Map.of(
                        OperatorPolicy.SESSION,
                        new SubagentPermission.Only(List.of("planner")),
                        "planner",
                        new SubagentPermission.Only(List.of("writer"))))
                .build();
        Requests requests = Requests.ordinary().registry(AGENTS).operator(operator);

        assertThat(requests.refused(SpawnCall.of("writer")).code()).isEqualTo("delegation-not-allowed");
        Authority planner = requests.granted(SpawnCall.of("planner"));
        assertThat(planner.delegation().agents()).isEqualTo(new SubagentPermission.Only(List.of("writer")));
        assertThat(requests.parent(planner).granted(SpawnCall.of("writer")).agent())
                .isEqualTo("writer");
    }

    @Test
    void anIsolatedChildHasNoExtensionsSkillsOrChildren() {
        Authority child = Requests.ordinary()
                .registry(AGENTS)
                .granted(SpawnCall.builder("planner").isolated(true).build());

        assertThat(child.extensions().loadsNothing()).isTrue();
        assertThat(child.skills()).isEqualTo(new Inclusion.None());
        assertThat(child.delegation().mayDelegate()).isFalse();
    }

    @Test
    void aBudgetIsTheSmallestThatAnybodySays() {
        AgentRegistry agents = AgentRegistry.of(List.of(delegating("spender")
                .budgets(Budgets.parse(Map.of("tokens", "5000", "cost", "2.50")))
                .build()));
        OperatorPolicy operator = Requests.policy()
                .budgets(Budgets.parse(Map.of("cost", "1", "children", "4")))
                .build();
        Requests requests = Requests.ordinary().registry(agents).operator(operator);

        Authority child = requests.granted(SpawnCall.builder("spender")
                .budgets(Budgets.parse(Map.of("tokens", "9000")))
                .build());

        assertThat(child.budgets()).isEqualTo(Budgets.parse(Map.of("tokens", "5000", "cost", "1", "children", "4")));
        assertThat(requests.parent(child).granted(SpawnCall.of("spender")).budgets())
                .isEqualTo(child.budgets());
    }

    @Test
    void whatItsParentUsedUpIsNotHandedOn() {
        AgentRegistry agents = AgentRegistry.of(List.of(delegating("spender").build()));
        OperatorPolicy operator = Requests.policy()
                .budgets(Budgets.parse(Map.of("tokens", "5k", "turns", "3")))
                .build();
        Requests requests = Requests.ordinary().registry(agents).operator(operator);
        Authority parent = requests.granted(SpawnCall.of("spender"));
        Authority spent = parent.withBudgets(Budgets.parse(Map.of("tokens", "100", "turns", "0")));

        Outcome.Granted child = (Outcome.Granted) requests.parent(spent)
                .resolve(SpawnCall.builder("spender")
                        .budgets(Budgets.parse(Map.of("tokens", "1m")))
                        .build());

        assertThat(child.authority().budgets()).isEqualTo(Budgets.parse(Map.of("tokens", "100", "turns", "0")));
        assertThat(child.explanation().render()).containsPattern("budgets.tokens +100 +door +parent spender");
    }

    @Test // S19
    void aModelWithoutAPriceHasNoCostBudget() {
        OperatorPolicy operator =
                Requests.policy().budgets(Budgets.parse(Map.of("cost", "1"))).build();
        Price price = Price.of(Map.of("input", "1", "output", "5", "cacheRead", "0", "cacheWrite", "0"));
        SpawnCall call = SpawnCall.builder(null).model("acme/one").build();

        Outcome.Refused refused = Requests.ordinary().operator(operator).refused(call);

        assertThat(refused.code()).isEqualTo("model-unpriced");
        assertThat(refused.reasons())
                .containsExactly("model `acme/one`: no price in operator prices, but there is a cost budget of $1");
        Requests.ordinary()
                .operator(Requests.policy()
                        .budgets(operator.budgets())
                        .prices(Map.of(Model.parse("acme/one"), price))
                        .build())
                .granted(call);
    }

    private static Authority under(String parent, OperatorPolicy operator, String agent) {
        Requests requests = Requests.ordinary().registry(AGENTS).operator(operator);
        return requests.parent(requests.granted(
                        SpawnCall.builder(parent).hasDirectory(true).build()))
                .granted(SpawnCall.builder(agent).hasDirectory(true).build());
    }

    private static List<String> losers(Authority authority, String field) {
        return authority.fields().stream()
                .filter(one -> one.name().equals(field))
                .flatMap(one -> one.losers().stream())
                .map(loser -> loser.value() + ": " + loser.reason())
                .toList();
    }

    private static AgentDefinition.Builder delegating(String name) {
        return agent(name).allowedSubagents(SubagentPermission.all());
    }

    @Test
    void aChildOpensNoProviderForAnotherThatItHasNotItself() {
        AgentDefinition lead =
                agent("lead").allowedSubagents(SubagentPermission.all()).build();
        AgentDefinition pinned = agent("pinned").model("elsewhere/deep").build();
        Requests requests = Requests.ordinary().registry(AgentRegistry.of(List.of(lead, pinned)));
        Requests below = requests.parent(requests.granted(SpawnCall.of("lead")));

        assertThat(below.refused(SpawnCall.builder(null).model("elsewhere/deep").build())
                        .refusal())
                .isEqualTo(Refusal.MODEL_OUT_OF_SCOPE);
        assertThat(below.granted(SpawnCall.builder(null).model("scripted/other").build())
                        .model())
                .isEqualTo(Model.parse("scripted/other"));
        // The agent's own file is nothing that the child said.
        assertThat(below.granted(SpawnCall.of("pinned")).model()).isEqualTo(Model.parse("elsewhere/deep"));
    }

    @Test
    void aChildMayOpenForAnotherWhatTheOperatorNames() {
        AgentDefinition lead =
                agent("lead").allowedSubagents(SubagentPermission.all()).build();
        Requests requests = Requests.ordinary()
                .operator(Requests.policy()
                        .models(List.of(Model.parse("scripted/demo"), Model.parse("elsewhere/deep")))
                        .build())
                .registry(AgentRegistry.of(List.of(lead)));
        Requests below = requests.parent(requests.granted(
                SpawnCall.builder("lead").model("scripted/demo").build()));

        assertThat(below.granted(SpawnCall.builder(null).model("elsewhere/deep").build())
                        .model())
                .isEqualTo(Model.parse("elsewhere/deep"));
    }

    @Test
    void aProgramWithoutAModelOpensNone() {
        AgentDefinition lead =
                agent("lead").allowedSubagents(SubagentPermission.all()).build();
        Requests requests = Requests.ordinary()
                .operator(Requests.policy().defaultModel(null).build())
                .registry(AgentRegistry.of(List.of(lead)));
        Authority program = requests.granted(
                SpawnCall.builder("lead").harness(Harness.COMMAND).build());

        assertThat(requests.parent(program)
                        .refused(SpawnCall.builder(null).model("elsewhere/deep").build())
                        .refusal())
                .isEqualTo(Refusal.MODEL_OUT_OF_SCOPE);
    }

    private static AgentDefinition.Builder agent(String name) {
        return AgentDefinition.named(name);
    }
}
