package dev.sallyport.authority;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sallyport.agentfile.AgentDefinition;
import dev.sallyport.agentfile.AgentRegistry;
import dev.sallyport.invocation.SpawnCall;
import dev.sallyport.model.Model;
import dev.sallyport.model.ModelRouting;
import dev.sallyport.model.ModelScope;
import dev.sallyport.model.Models;
import dev.sallyport.provenance.Layer;
import dev.sallyport.provenance.Origin;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class ModelResolverTest {

    private static final Model FAST = Model.parse("acme/fast-1.5");
    private static final Model DEEP = Model.parse("acme/deep-2");
    private static final Model OTHER = Model.parse("elsewhere/other");

    private static final SpawnCall PINNED = SpawnCall.of("pinned");
    private static final SpawnCall AD_HOC = SpawnCall.of(null);

    private @Nullable Model byDefault = FAST;
    private Models models = Models.ANY;

    @Test
    void aPartOfANameIsEnoughAndTheExplanationSaysWhatItWasTakenFor() {
        Outcome outcome = resolve(SpawnCall.builder(null).model("deep").build());

        assertThat(granted(outcome).model()).isEqualTo(DEEP);
        assertThat(field(outcome).losers())
                .containsExactly(new Field.Loser(Origin.call("model"), "deep", "taken for acme/deep-2"));
    }

    @Test
    void aCallForNoModelIsRefusedAndToldWhatThereIs() {
        Outcome.Refused refused =
                refused(resolve(SpawnCall.builder(null).model("nope").build()));

        assertThat(refused.refusal()).isEqualTo(Refusal.MODEL_UNAVAILABLE);
        assertThat(refused.reasons().getFirst()).contains("`nope`", "acme/deep-2, acme/fast-1.5");
    }

    @Test
    void aFileThatNamesNoModelKeepsTheDefaultAndPeopleAreTold() {
        Outcome outcome = resolve(PINNED, "nope");

        assertThat(granted(outcome).model()).isEqualTo(FAST);
        assertThat(field(outcome).losers()).extracting(Field.Loser::reason).containsExactly("not available");
        assertThat(outcome.explanation().warnings()).anyMatch(warning -> warning.contains("`nope` is not available"));
    }

    @Test
    void aCallOutsideTheScopeIsRefusedAndAFileOutsideItIsToldOf() {
        models = new Models(new ModelScope(List.of(List.of("ACME/deep-2"))), new ModelRouting.Static());

        Outcome.Refused refused =
                refused(resolve(SpawnCall.builder(null).model("fast").build()));
        Outcome warned = resolve(PINNED, "fast");

        assertThat(refused.refusal()).isEqualTo(Refusal.MODEL_OUT_OF_SCOPE);
        assertThat(refused.reasons().getFirst()).contains("allowed: acme/deep-2");
        assertThat(granted(warned).model()).isEqualTo(FAST);
        assertThat(warned.explanation().warnings()).contains("model `fast` is not among enabledModels");
        assertThat(granted(resolve(SpawnCall.builder(null).model("deep").build()))
                        .model())
                .isEqualTo(DEEP);
    }

    @Test // S2
    void aProjectCannotWidenTheScopeOfItsUser() {
        String project = "{\"enabledModels\": [\"acme/fast-1.5\"]}";
        String user = "{\"enabledModels\": [\"acme/deep-2\"]}";
        SpawnCall call = SpawnCall.builder(null).model("acme/fast-1.5").build();

        models = new Models(ModelScope.of(project, user, false), new ModelRouting.Static());
        Outcome narrowed = resolve(call);
        models = new Models(ModelScope.of(project, user, true), new ModelRouting.Static());
        Outcome replaced = resolve(call);

        assertThat(refused(narrowed).refusal()).isEqualTo(Refusal.MODEL_OUT_OF_SCOPE);
        assertThat(granted(replaced).model()).isEqualTo(FAST);
    }

    @Test
    void beforeTheSelectorIsAskedTheExplanationNamesWhatItMayChoose() {
        route(new ModelRouting.Open(List.of(FAST, OTHER, DEEP)));

        Outcome outcome = resolve(PINNED, "fast");

        assertThat(granted(outcome).model()).isNull();
        assertThat(field(outcome).value()).isEqualTo("one of acme/fast-1.5, acme/deep-2");
        assertThat(field(outcome).losers()).extracting(Field.Loser::value).containsExactly("fast");
    }

    @Test // P11
    void theSelectorsChoiceOutranksTheFileAndChangesNothingElse() {
        Authority fixed = granted(resolve(PINNED, "fast"));
        route(new ModelRouting.Chosen(DEEP, List.of(FAST, DEEP)));

        Outcome outcome = resolve(PINNED, "fast");

        assertThat(granted(outcome).model()).isEqualTo(DEEP);
        assertThat(field(outcome).winner().layer()).isEqualTo(Layer.OPERATOR);
        assertThat(field(outcome).losers()).extracting(Field.Loser::reason).containsExactly("a selector chooses");
        assertThat(granted(outcome).tools()).isEqualTo(fixed.tools());
        assertThat(granted(outcome).containment()).isEqualTo(fixed.containment());
    }

    @Test
    void aCallThatNamesAModelIsRefusedWhereASelectorChooses() {
        route(new ModelRouting.Open(List.of(FAST)));

        assertThat(refused(resolve(
                                SpawnCall.builder(null).model("acme/fast-1.5").build()))
                        .refusal())
                .isEqualTo(Refusal.MODEL_ROUTED);
    }

    @Test
    void theSelectorCannotChooseWhatIsNoCandidateOrNotTheOperatorsOrOutOfScope() {
        route(new ModelRouting.Chosen(DEEP, List.of(FAST)));
        assertThat(refused(resolve(AD_HOC)).refusal()).isEqualTo(Refusal.MODEL_UNAVAILABLE);

        route(new ModelRouting.Chosen(OTHER, List.of(FAST, OTHER)));
        assertThat(refused(resolve(AD_HOC)).refusal()).isEqualTo(Refusal.MODEL_UNAVAILABLE);

        models = new Models(
                new ModelScope(List.of(List.of("acme/fast-1.5"))), new ModelRouting.Chosen(DEEP, List.of(FAST, DEEP)));
        assertThat(refused(resolve(AD_HOC)).refusal()).isEqualTo(Refusal.MODEL_UNAVAILABLE);
    }

    @Test
    void withoutAnyCandidateThatIsAllowedNothingRuns() {
        route(new ModelRouting.Open(List.of(OTHER)));

        assertThat(refused(resolve(AD_HOC)).refusal()).isEqualTo(Refusal.MODEL_UNAVAILABLE);
    }

    @Test
    void whyTheDefaultStandsInIsShown() {
        route(new ModelRouting.Defaulted("timeout"));

        Outcome outcome = resolve(PINNED, "deep");

        assertThat(granted(outcome).model()).isEqualTo(FAST);
        assertThat(field(outcome).losers())
                .extracting(Field.Loser::reason)
                .containsExactly("a selector chooses", "failed: timeout");
        assertThat(outcome.explanation().warnings()).contains("the selector failed (timeout): the default model runs");
    }

    @Test
    void aDefaultThatIsNotAllowedStandsInForNothing() {
        route(new ModelRouting.Defaulted("timeout"));

        byDefault = OTHER;
        assertThat(refused(resolve(AD_HOC)).refusal()).isEqualTo(Refusal.MODEL_UNAVAILABLE);

        byDefault = null;
        assertThat(refused(resolve(AD_HOC)).refusal()).isEqualTo(Refusal.MODEL_UNAVAILABLE);
    }

    private void route(ModelRouting routing) {
        models = models.routing(routing);
    }

    private Outcome resolve(SpawnCall call) {
        return resolve(call, "fast");
    }

    private Outcome resolve(SpawnCall call, String pinned) {
        AgentDefinition agent = AgentDefinition.named("pinned").model(pinned).build();
        OperatorPolicy operator = Requests.policy()
                .defaultModel(byDefault)
                .models(List.of(FAST, DEEP))
                .build();
        return AuthorityResolver.resolve(new AuthorityRequest(
                AgentRegistry.of(List.of(agent)), call, Requests.ordinary().settings(), operator, null, models));
    }

    private static Authority granted(Outcome outcome) {
        assertThat(outcome).isInstanceOf(Outcome.Granted.class);
        return ((Outcome.Granted) outcome).authority();
    }

    private static Outcome.Refused refused(Outcome outcome) {
        assertThat(outcome).isInstanceOf(Outcome.Refused.class);
        return (Outcome.Refused) outcome;
    }

    private static Field field(Outcome outcome) {
        return outcome.explanation().fields().stream()
                .filter(field -> field.name().equals("model"))
                .findFirst()
                .orElseThrow();
    }
}
