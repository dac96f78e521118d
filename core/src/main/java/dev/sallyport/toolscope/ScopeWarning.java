package dev.sallyport.toolscope;

import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Something in an agent's file about tools that has no effect. The child runs all the same, with what is left.
 *
 * @param name as compared, mostly in lower case; null if the field as a whole has no effect
 */
public record ScopeWarning(Kind kind, @Nullable String name) {

    /** What is wrong. */
    public enum Kind {
        UNKNOWN_BUILTIN("tools: unknown tool `%s`"),
        EXCLUDE_NOOP("exclude_extensions: no extension is loaded anyway"),
        EXCLUDE_UNMATCHED("exclude_extensions: no extension `%s`"),
        INCLUDE_UNMATCHED("extensions: no extension `%s`"),
        INCLUDE_AND_EXCLUDE("extensions: `%s` is excluded too, which counts"),
        SELECTOR_ORPHAN("tools: extension `%s` is selected and not loaded");

        private final String message;

        Kind(String message) {
            this.message = message;
        }
    }

    public String message() {
        return name == null ? kind.message : kind.message.formatted(name);
    }

    /** What can be seen before any extension is. */
    public static List<ScopeWarning> of(ToolRules rules) {
        List<ScopeWarning> warnings = new ArrayList<>();
        new LinkedHashSet<>(rules.tools())
                .stream()
                        .filter(tool -> !BuiltinTools.NAMES.contains(tool))
                        .forEach(tool -> warnings.add(new ScopeWarning(Kind.UNKNOWN_BUILTIN, tool)));
        ExtensionFilter filter = rules.extensions().getFirst().filter();
        if (!filter.enabled() && !filter.excluded().isEmpty()) {
            warnings.add(new ScopeWarning(Kind.EXCLUDE_NOOP, null));
        }
        return warnings;
    }

    /** What can be seen once all extensions were found, those that are filtered out included. */
    public static List<ScopeWarning> of(ToolRules rules, Collection<Extension> found) {
        List<ScopeWarning> warnings = new ArrayList<>(of(rules));
        ExtensionFilter filter = rules.extensions().getFirst().filter();
        Set<String> known = new LinkedHashSet<>();
        Set<String> loaded = new LinkedHashSet<>();
        for (Extension extension : found) {
            known.addAll(extension.names());
            if (rules.loads(extension)) {
                loaded.addAll(extension.names());
            }
        }
        if (filter.enabled()) {
            add(warnings, Kind.EXCLUDE_UNMATCHED, filter.excluded(), known);
            for (String name : filter.names()) {
                Kind kind = filter.excluded().contains(name) ? Kind.INCLUDE_AND_EXCLUDE : Kind.INCLUDE_UNMATCHED;
                add(warnings, kind, Set.of(name), loaded);
            }
        }
        add(
                warnings,
                Kind.SELECTOR_ORPHAN,
                rules.extensions().getFirst().selectors().names(),
                loaded);
        return warnings;
    }

    private static void add(List<ScopeWarning> warnings, Kind kind, Set<String> names, Set<String> there) {
        names.stream()
                .filter(name -> !there.contains(name))
                .forEach(name -> warnings.add(new ScopeWarning(kind, name)));
    }
}
