package dev.sallyport.toolscope;

import java.util.Collection;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;

/**
 * The {@code ext:NAME} and {@code ext:NAME/TOOL} entries of {@code tools} (authority.md 7.2). They select among what is
 * loaded and never load anything.
 *
 * @param names of the extensions that are selected, in lower case; none selects every extension
 * @param tools by extension, the only ones that are selected of it
 */
public record Selectors(Set<String> names, Map<String, Set<String>> tools) {

    public static final Selectors NONE = new Selectors(Set.of(), Map.of());

    private static final String PREFIX = "ext:";

    public Selectors {
        names = Collections.unmodifiableSet(new LinkedHashSet<>(names));
        Map<String, Set<String>> copy = new LinkedHashMap<>();
        tools.forEach((name, only) -> copy.put(name, Collections.unmodifiableSet(new LinkedHashSet<>(only))));
        tools = Collections.unmodifiableMap(copy);
    }

    public static Selectors parse(Collection<String> entries) {
        Set<String> names = new LinkedHashSet<>();
        Map<String, Set<String>> tools = new LinkedHashMap<>();
        for (String entry : entries) {
            String selector = entry.startsWith(PREFIX) ? entry.substring(PREFIX.length()) : entry;
            int slash = selector.indexOf('/');
            String name = (slash < 0 ? selector : selector.substring(0, slash))
                    .strip()
                    .toLowerCase(Locale.ROOT);
            String tool = slash < 0 ? "" : selector.substring(slash + 1).strip();
            if (name.isEmpty()) {
                continue;
            }
            names.add(name);
            if (!tool.isEmpty()) {
                tools.computeIfAbsent(name, _ -> new LinkedHashSet<>()).add(tool);
            }
        }
        return new Selectors(names, tools);
    }

    public boolean admit(Extension extension, String tool) {
        List<String> known = extension.names();
        if (!names.isEmpty() && known.stream().noneMatch(names::contains)) {
            return false;
        }
        return known.stream()
                .filter(tools::containsKey)
                .findFirst()
                .map(name -> tools.getOrDefault(name, Set.of()).contains(tool))
                .orElse(true);
    }
}
