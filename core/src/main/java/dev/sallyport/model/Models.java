package dev.sallyport.model;

import java.util.List;

/** Which models people work with, and who chooses one for a child. */
public record Models(ModelScope scope, ModelRouting routing) {

    /** Every model, and nobody but file and caller to choose one. */
    public static final Models ANY = new Models(ModelScope.NONE, new ModelRouting.Static());

    public Models routing(ModelRouting other) {
        return new Models(scope, other);
    }

    /** Those of a selector's candidates that it may choose. */
    public List<Model> eligible(ModelCatalogue catalogue, List<Model> candidates) {
        return candidates.stream()
                .filter(model -> mayBeChosen(catalogue, model))
                .toList();
    }

    /** Whether a machine may choose a model: nobody is there to be warned, so the scope is a limit. */
    public boolean mayBeChosen(ModelCatalogue catalogue, Model model) {
        return catalogue.exact(model.toString()).isPresent()
                && scope.judge(catalogue, model, null, true) instanceof ModelScope.Verdict.Inside;
    }
}
