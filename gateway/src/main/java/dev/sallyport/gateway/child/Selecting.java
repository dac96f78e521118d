package dev.sallyport.gateway.child;

import dev.sallyport.authority.AuthorityRequest;
import dev.sallyport.gateway.child.Spawning.Resolved;
import dev.sallyport.gateway.error.GatewayException.AuthorityRefused;
import dev.sallyport.gateway.routing.Constraints;
import dev.sallyport.gateway.routing.ModelRouter;
import dev.sallyport.gateway.routing.Selection;
import dev.sallyport.identity.Tenant;
import dev.sallyport.model.Model;
import dev.sallyport.model.ModelCatalogue;
import dev.sallyport.model.ModelRouting;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;

/** Has a child's model chosen where the operator lets a selector do that, and remembers how it went. */
final class Selecting {

    private final ModelRouter router;
    private final JsonMapper json;

    Selecting(ModelRouter router, JsonMapper json) {
        this.router = router;
        this.json = json;
    }

    /**
     * A resolution with its model.
     *
     * @param event for the child's timeline
     */
    record Chosen(Resolved resolved, ObjectNode event) {}

    ModelRouting before(SpawnRequest request) {
        return router.before(request.command() == null || !prompt(request).isBlank());
    }

    /**
     * Empty if nobody is to be asked; a failure is a refusal or the default model, as the operator set it.
     *
     * @param pay done before anybody is asked: a question that is not paid for is not asked (P12)
     */
    Optional<Chosen> choose(Tenant tenant, SpawnRequest request, Resolved resolved, Runnable pay) {
        AuthorityRequest asked = resolved.asked();
        if (!(asked.models().routing() instanceof ModelRouting.Open(List<Model> candidates))) {
            return Optional.empty();
        }
        List<Model> eligible =
                asked.models().eligible(ModelCatalogue.of(asked.operator().models()), candidates);
        pay.run();
        Constraints constraints = new Constraints(resolved.granted().authority().thinking());
        Selection selection = router.choose(tenant, prompt(request), eligible, constraints);
        String outcome = selection.outcome().wire();
        Model model = selection.model();
        if (model == null && !selection.defaultStandsIn()) {
            throw new AuthorityRefused(
                    "model-selection-failed", List.of("the selector chose no model: %s".formatted(outcome)));
        }
        Resolved routed = resolved.routed(
                model == null ? new ModelRouting.Defaulted(outcome) : new ModelRouting.Chosen(model, eligible));
        return Optional.of(new Chosen(routed, event(routed.granted().authority().model(), model, outcome, eligible)));
    }

    private ObjectNode event(@Nullable Model runs, @Nullable Model chosen, String outcome, List<Model> eligible) {
        ObjectNode event = json.createObjectNode()
                .put("model", String.valueOf(runs))
                .put("by", chosen == null ? "default" : "selector")
                .put("outcome", outcome);
        eligible.forEach(model -> event.withArray("candidates").add(model.toString()));
        return event;
    }

    private static String prompt(SpawnRequest request) {
        return request.prompt() == null ? "" : request.prompt();
    }
}
