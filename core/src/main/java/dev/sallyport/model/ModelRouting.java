package dev.sallyport.model;

import java.util.List;

/** Who chooses a child's model, as far as that is known when its authority is worked out. */
public sealed interface ModelRouting {

    /** Agent file, call, parent, default: the first that says anything. */
    record Static() implements ModelRouting {}

    /** A selector will be asked to choose one of these when the child is spawned. */
    record Open(List<Model> candidates) implements ModelRouting {

        public Open {
            candidates = List.copyOf(candidates);
        }
    }

    /** The selector chose one of the candidates. */
    record Chosen(Model model, List<Model> candidates) implements ModelRouting {

        public Chosen {
            candidates = List.copyOf(candidates);
        }
    }

    /** The selector failed, and the operator lets the default model stand in; the reason is a word for machines. */
    record Defaulted(String reason) implements ModelRouting {}
}
