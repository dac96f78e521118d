package dev.sallyport.gateway.child;

import dev.sallyport.toolscope.Extension;
import dev.sallyport.toolscope.ToolScope;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * A child's tools, as far as its gateway sees them. What its extensions offer is the child's own word (S4); what of that may be
 * shown to its model and asked for at its door is not (S1).
 */
final class ChildTools {

    private final ToolScope scope;
    private final Map<String, Extension> given = new LinkedHashMap<>();

    ChildTools(Terms terms) {
        this.scope = new ToolScope(terms.rules());
        for (Terms.Given one : terms.extensions().given()) {
            if (scope.load(one.extension(), List.of())) {
                given.put(one.name(), one.extension());
            }
        }
    }

    /** An extension offers exactly these from now on; false if the child was given no such extension. */
    boolean offers(String extension, List<String> tools) {
        Extension known = given.get(extension);
        if (known == null) {
            return false;
        }
        scope.offers(known, tools);
        return true;
    }

    boolean permits(String tool) {
        return scope.permits(tool);
    }

    /** What may be shown to the model now. */
    List<String> visible() {
        return scope.visible();
    }
}
