package dev.sallyport.authority;

import dev.sallyport.agentfile.AgentDefinition;
import dev.sallyport.agentfile.Inclusion;
import dev.sallyport.toolscope.ExtensionFilter;
import dev.sallyport.toolscope.Selectors;
import dev.sallyport.toolscope.ToolRules;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Which extensions a child may load, and which of their tools it may use (authority.md 7.1, 7.2), in a form of which a meet
 * can be taken. Lists are sorted.
 *
 * @param all every extension that is discovered; {@code names} are empty then
 * @param names in lower case
 * @param paths loaded besides, as written
 * @param excluded in lower case; locked for every descendant
 * @param selectors {@code ext:name} or {@code ext:name/tool}; null leaves every tool of what is loaded; never empty
 */
public record ExtensionRights(
        boolean all,
        List<String> names,
        List<String> paths,
        List<String> excluded,
        @Nullable List<String> selectors) {

    public static final ExtensionRights ALL = new ExtensionRights(true, List.of(), List.of(), List.of(), null);
    public static final ExtensionRights NONE = new ExtensionRights(false, List.of(), List.of(), List.of(), null);

    private static final String SELECTOR = "ext:";

    public ExtensionRights {
        names = all ? List.of() : sorted(names);
        paths = sorted(paths);
        excluded = sorted(excluded);
        // Where nothing is loaded there is nothing to select from: one form for one meaning.
        boolean nothing = !all && names.isEmpty() && paths.isEmpty();
        selectors = nothing || selectors == null || tools(selectors).isEmpty() ? null : written(tools(selectors));
    }

    /** What an agent file asks for. */
    public static ExtensionRights of(AgentDefinition definition) {
        return of(definition.extensions(), definition.excludeExtensions(), definition.extSelectors());
    }

    /** Null excludes nothing, or selects nothing in particular. */
    public static ExtensionRights of(
            Inclusion include, @Nullable List<String> exclude, @Nullable List<String> selectors) {
        List<String> excluded = exclude == null ? List.of() : lower(exclude);
        return switch (include) {
            case Inclusion.None _ -> NONE;
            case Inclusion.All _ -> new ExtensionRights(true, List.of(), List.of(), excluded, selectors);
            case Inclusion.Only(List<String> entries) ->
                new ExtensionRights(
                        entries.contains("*"),
                        lower(entries.stream()
                                .filter(entry -> !ExtensionFilter.isPath(entry) && !entry.equals("*"))
                                .toList()),
                        entries.stream().filter(ExtensionFilter::isPath).toList(),
                        excluded,
                        selectors);
        };
    }

    /** The same as rules for what is found. What is found has names; no path is ever among it. */
    public ToolRules.Rights rights() {
        return new ToolRules.Rights(
                new ExtensionFilter(
                        !loadsNothing(), all, new LinkedHashSet<>(names), List.of(), new LinkedHashSet<>(excluded)),
                selectors == null ? Selectors.NONE : Selectors.parse(selectors));
    }

    public boolean loadsNothing() {
        return !all && names.isEmpty() && paths.isEmpty();
    }

    /** As an agent file would say it. */
    public Inclusion include() {
        if (loadsNothing()) {
            return new Inclusion.None();
        }
        if (all && paths.isEmpty()) {
            return new Inclusion.All();
        }
        return new Inclusion.Only(Stream.of(all ? List.of("*") : names, paths)
                .flatMap(List::stream)
                .toList());
    }

    /** What both allow. A path has to be named by both: who may load everything that is found has not found that. */
    public ExtensionRights meet(ExtensionRights other) {
        List<String> without =
                Stream.of(excluded, other.excluded).flatMap(List::stream).toList();
        List<String> tools = meet(selectors, other.selectors);
        if (tools != null && tools.isEmpty()) {
            // Without a tool that it may use, nothing has to be loaded; an empty list of selectors would select all.
            return new ExtensionRights(false, List.of(), List.of(), without, null);
        }
        return new ExtensionRights(
                all && other.all,
                all ? other.names : other.all ? names : common(names, other.names),
                common(paths, other.paths),
                without,
                tools);
    }

    /** The same without these. */
    public ExtensionRights without(List<String> names) {
        List<String> more =
                Stream.of(excluded, lower(names)).flatMap(List::stream).toList();
        return new ExtensionRights(all, this.names, paths, more, selectors);
    }

    public boolean atMost(ExtensionRights other) {
        return meet(other).equals(this);
    }

    private static @Nullable List<String> meet(@Nullable List<String> one, @Nullable List<String> other) {
        if (one == null || other == null) {
            return one == null ? other : one;
        }
        Map<String, Set<String>> mine = tools(one);
        Map<String, Set<String>> theirs = tools(other);
        Map<String, Set<String>> both = new TreeMap<>();
        mine.forEach((name, tools) -> {
            Set<String> bound = theirs.get(name);
            if (bound == null) {
                return;
            }
            // No tool named is every tool; two lists without a common tool leave nothing of the extension.
            Set<String> met = new TreeSet<>(tools.isEmpty() ? bound : tools);
            if (!tools.isEmpty() && !bound.isEmpty()) {
                met.retainAll(bound);
                if (met.isEmpty()) {
                    return;
                }
            }
            both.put(name, met);
        });
        return written(both);
    }

    /** Tools by extension; an empty set is all of them. A selector with a tool wins over one without. */
    private static Map<String, Set<String>> tools(List<String> selectors) {
        Selectors parsed = Selectors.parse(selectors);
        Map<String, Set<String>> tools = new TreeMap<>();
        parsed.names()
                .forEach(name -> tools.put(name, new TreeSet<>(parsed.tools().getOrDefault(name, Set.of()))));
        return tools;
    }

    private static List<String> written(Map<String, Set<String>> tools) {
        List<String> selectors = new ArrayList<>();
        tools.forEach((name, named) -> {
            if (named.isEmpty()) {
                selectors.add(SELECTOR + name);
            }
            named.forEach(tool -> selectors.add(SELECTOR + name + "/" + tool));
        });
        return List.copyOf(selectors);
    }

    private static List<String> common(List<String> one, List<String> other) {
        return one.stream().filter(other::contains).toList();
    }

    private static List<String> lower(List<String> names) {
        return names.stream().map(name -> name.toLowerCase(Locale.ROOT)).toList();
    }

    private static List<String> sorted(Collection<String> names) {
        return List.copyOf(new TreeSet<>(names));
    }

    /** For people. */
    public String shown() {
        List<String> words = new ArrayList<>();
        words.add(include().shown());
        if (!excluded.isEmpty()) {
            words.add("without " + String.join(", ", excluded));
        }
        if (selectors != null) {
            words.add("only " + String.join(", ", selectors));
        }
        return String.join("; ", words);
    }
}
