package dev.sallyport.gateway.child;

import dev.sallyport.containment.Harness;
import dev.sallyport.text.VisibleText;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * What a runner says is active in it before it gets its task. A claim of the child (S4, S39): it finds a runner of another
 * version, a wrong image and a mistake of ours; whoever controls the container can say what it likes.
 *
 * @param nonce of the assignment that it started with: a report of another start does not have it
 * @param model as {@code provider/id}
 * @param tools that the model will be shown
 * @param extensions by their names, those that started
 */
record Evidence(String nonce, @Nullable String model, List<String> tools, List<String> extensions) {

    private static final int LONGEST_NAME = 128;
    private static final int MOST_NAMES = 10;

    Evidence {
        tools = List.copyOf(tools);
        extensions = List.copyOf(extensions);
    }

    /** From a report whose form was checked at the door. */
    static Evidence of(ObjectNode started) {
        return new Evidence(
                started.path("nonce").stringValue(),
                started.path("model").stringValue(null),
                texts(started.path("tools")),
                texts(started.path("extensions")));
    }

    private static List<String> texts(JsonNode list) {
        return list.valueStream().map(JsonNode::stringValue).toList();
    }

    /** What about it contradicts the child's terms, in one sentence for people. Nothing is ever granted to make it fit. */
    Optional<String> contradiction(Terms terms, ChildTools granted, String assigned) {
        if (!nonce.equals(assigned)) {
            return Optional.of("its runner reported the nonce of another start");
        }
        // A command has no tools of ours; what it brings itself is its own business.
        boolean builtin = terms.harness() == Harness.BUILTIN;
        String expected = terms.model() == null ? null : terms.model().name();
        if (!Objects.equals(model, expected)) {
            return Optional.of("its runner has model %s (expected: %s)".formatted(shown(model), shown(expected)));
        }
        List<String> beyond = new ArrayList<>(tools);
        beyond.removeAll(builtin ? granted.visible() : List.of());
        beyond.addAll(extensions);
        beyond.removeAll(names(terms.extensions().given()));
        if (!beyond.isEmpty()) {
            return Optional.of("active in its runner and not granted: " + words(beyond));
        }
        List<String> missing = new ArrayList<>(builtin ? terms.requested() : List.of());
        missing.removeAll(tools);
        missing.addAll(names(
                terms.extensions().given().stream().filter(Terms.Given::named).toList()));
        missing.removeAll(extensions);
        return missing.isEmpty()
                ? Optional.empty()
                : Optional.of("asked for by its agent file and not active in its runner: " + words(missing));
    }

    /** Granted, not active, and nobody asked for it by name. Which tools an extension offers may change at any time. */
    List<String> omitted(Terms terms) {
        if (terms.harness() != Harness.BUILTIN) {
            return List.of();
        }
        List<String> omitted = new ArrayList<>(terms.tools());
        omitted.removeAll(tools);
        List<String> silent = new ArrayList<>(names(terms.extensions().given()));
        silent.removeAll(extensions);
        omitted.addAll(silent);
        return omitted;
    }

    private static List<String> names(List<Terms.Given> given) {
        return given.stream().map(Terms.Given::name).toList();
    }

    private static String shown(@Nullable String model) {
        return model == null ? "none" : "`%s`".formatted(VisibleText.excerpt(model, LONGEST_NAME));
    }

    private static String words(List<String> names) {
        String shown = names.stream().limit(MOST_NAMES).map(Evidence::shown).collect(Collectors.joining(", "));
        return names.size() <= MOST_NAMES ? shown : "%s and %d more".formatted(shown, names.size() - MOST_NAMES);
    }
}
