package dev.sallyport.authority;

import dev.sallyport.containment.Harness;
import dev.sallyport.invocation.Resolved;
import dev.sallyport.model.Model;
import dev.sallyport.model.ModelCatalogue;
import dev.sallyport.model.ModelRouting;
import dev.sallyport.model.ModelScope;
import dev.sallyport.model.Models;
import dev.sallyport.provenance.Grade;
import dev.sallyport.provenance.Layer;
import dev.sallyport.provenance.Origin;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Finds the one model of a child (authority.md 5.5 to 5.7), or says that a selector will. */
final class ModelResolver {

    private static final Origin SELECTOR = Origin.operator("routing selector");

    private final OperatorPolicy operator;
    private final @Nullable Authority parent;
    private final Models models;
    private final ModelCatalogue catalogue;
    private final List<Field> fields;
    private final List<String> warnings;
    private final List<Field.Loser> losers = new ArrayList<>();

    ModelResolver(AuthorityRequest request, List<Field> fields, List<String> warnings) {
        this.operator = request.operator();
        this.parent = request.parent();
        this.models = request.models();
        this.catalogue = ModelCatalogue.of(operator.models());
        this.fields = fields;
        this.warnings = warnings;
    }

    /** The model; null where the harness brings its own, or a selector was not asked yet. */
    @Nullable Model resolve(@Nullable Resolved<String> input, @Nullable String fromCall, Harness harness)
            throws RefusedException {
        return switch (models.routing()) {
            case ModelRouting.Static _ -> fixed(input, harness);
            case ModelRouting.Open(List<Model> candidates) -> {
                overruled(input, fromCall);
                field("one of %s".formatted(words(eligible(candidates))), SELECTOR);
                yield null;
            }
            case ModelRouting.Chosen(Model model, List<Model> candidates) -> {
                overruled(input, fromCall);
                if (!eligible(candidates).contains(model)) {
                    throw new RefusedException(
                            Refusal.MODEL_UNAVAILABLE, "the selector chose a model that it may not choose");
                }
                field(model.toString(), SELECTOR);
                yield model;
            }
            case ModelRouting.Defaulted(String reason) -> {
                overruled(input, fromCall);
                losers.add(new Field.Loser(SELECTOR, "-", "failed: " + reason));
                warnings.add("the selector failed (%s): the default model runs".formatted(reason));
                yield standIn();
            }
        };
    }

    private @Nullable Model fixed(@Nullable Resolved<String> input, Harness harness) throws RefusedException {
        String asked = input == null || input.value().isEmpty() ? null : input.value();
        boolean byCaller = input != null && input.origin().layer() == Layer.CALL;
        Origin origin = Origin.DEFAULT;
        Model model = null;
        if (input != null && asked != null) {
            origin = input.origin();
            input.outranked()
                    .forEach(loser -> losers.add(new Field.Loser(loser.origin(), loser.value(), loser.reason())));
            model = named(asked, origin, byCaller);
            requireProviderOfParent(model, byCaller);
        }
        if (model == null && parent != null && parent.model() != null) {
            model = parent.model();
            origin = Origin.parent(parent.agent());
        }
        if (model == null && operator.defaultModel() != null) {
            model = operator.defaultModel();
            origin = operator.origin("defaults.model");
        }
        if (model == null && harness == Harness.BUILTIN) {
            throw new RefusedException(
                    Refusal.MODEL_MISSING,
                    "no model is available: name one in the call or the agent file, or set a default");
        }
        requireInScope(model, asked, byCaller);
        field(model == null ? "-" : model.toString(), model == null ? Origin.DEFAULT : origin);
        return model;
    }

    private @Nullable Model named(String asked, Origin origin, boolean byCaller) throws RefusedException {
        Model model = catalogue.resolve(asked).orElse(null);
        if (model == null && byCaller) {
            throw new RefusedException(
                    Refusal.MODEL_UNAVAILABLE, "model `%s` is not available%s".formatted(asked, choices()));
        }
        if (model == null) {
            losers.add(new Field.Loser(origin, asked, "not available"));
            warnings.add("%s: model `%s` is not available".formatted(origin.location(), asked));
        } else if (!model.toString().equals(asked)) {
            losers.add(new Field.Loser(origin, asked, "taken for " + model));
        }
        return model;
    }

    /**
     * A provider is a place where data goes and money is spent, so a child's word opens none that the child has not itself.
     * Whom it may start is settled elsewhere: an agent file brings its own model.
     */
    private void requireProviderOfParent(@Nullable Model model, boolean byCaller) throws RefusedException {
        if (model == null || !byCaller || parent == null || operator.models() != null) {
            return;
        }
        Model own = parent.model();
        if (own == null || !own.provider().equals(model.provider())) {
            throw new RefusedException(
                    Refusal.MODEL_OUT_OF_SCOPE,
                    "model `%s`: parent %s has none of `%s` (the operator can name it in ceilings.models)"
                            .formatted(model, parent.agent(), model.provider()));
        }
    }

    private String choices() {
        return operator.models() == null
                ? " (expected: provider/id)"
                : " (available: %s)".formatted(String.join(", ", catalogue.names()));
    }

    private void requireInScope(@Nullable Model model, @Nullable String asked, boolean byCaller)
            throws RefusedException {
        switch (models.scope().judge(catalogue, model, asked, byCaller)) {
            case ModelScope.Verdict.Inside _ -> {}
            case ModelScope.Verdict.Refused(List<String> allowed) ->
                throw new RefusedException(
                        Refusal.MODEL_OUT_OF_SCOPE,
                        "model `%s` is not among enabledModels (allowed: %s)"
                                .formatted(model, String.join(", ", allowed)));
            case ModelScope.Verdict.Warned(String label) ->
                warnings.add("model `%s` is not among enabledModels".formatted(label));
        }
    }

    /** A file's word is passed over where a selector chooses; a caller's is refused, because a field is honoured or refused. */
    private void overruled(@Nullable Resolved<String> input, @Nullable String fromCall) throws RefusedException {
        if (fromCall != null) {
            throw new RefusedException(
                    Refusal.MODEL_ROUTED, "model: a selector chooses it here (expected: a call without a model)");
        }
        if (input != null) {
            losers.add(new Field.Loser(input.origin(), input.value(), "a selector chooses"));
        }
    }

    private List<Model> eligible(List<Model> candidates) throws RefusedException {
        List<Model> eligible = models.eligible(catalogue, candidates);
        if (eligible.isEmpty()) {
            throw new RefusedException(Refusal.MODEL_UNAVAILABLE, "none of the selector's candidates is allowed here");
        }
        return eligible;
    }

    private Model standIn() throws RefusedException {
        Model model = operator.defaultModel();
        if (model == null || !models.mayBeChosen(catalogue, model)) {
            throw new RefusedException(
                    Refusal.MODEL_UNAVAILABLE, "the selector failed, and there is no default model that is allowed");
        }
        field(model.toString(), operator.origin("defaults.model"));
        return model;
    }

    private void field(String value, Origin winner) {
        fields.add(new Field("model", value, Grade.DOOR, winner, losers));
    }

    private static String words(List<Model> models) {
        return models.stream().map(Model::toString).collect(Collectors.joining(", "));
    }
}
