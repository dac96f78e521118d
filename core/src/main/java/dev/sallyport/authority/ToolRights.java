package dev.sallyport.authority;

import dev.sallyport.agentfile.AgentDefinition;
import dev.sallyport.agentfile.Inclusion;
import dev.sallyport.memory.MemoryAccess;
import dev.sallyport.toolscope.ExtensionFilter;
import dev.sallyport.toolscope.Selectors;
import dev.sallyport.toolscope.ToolRules;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** From an agent file to the rules about its tools (authority.md 7). */
final class ToolRights {

    private ToolRights() {}

    /** Where paths in agent files begin, as the child sees them. */
    record Place(String home, String directory) {

        static final Place CHILD = new Place("/home/agent", "/workspace");
    }

    /**
     * The rules of a child.
     *
     * @param delegates whether it may start children of its own, isolation aside
     * @param parent what the parent's rules let through; empty for none
     */
    static ToolRules rules(
            AgentDefinition definition,
            boolean isolated,
            boolean delegates,
            List<ToolRules.Rights> parent,
            Place place,
            Compatibility compatibility) {
        List<String> denied = orNothing(definition.disallowedTools());
        List<String> tools = definition.toolNames();
        if (definition.memory() != null && compatibility.has(Compatibility.Switch.MEMORY_ADDS_TOOLS)) {
            tools = Stream.concat(tools.stream(), MemoryAccess.of(tools, denied).missing(tools).stream())
                    .toList();
        }
        List<ToolRules.Rights> rights = new ArrayList<>(List.of(own(definition, isolated, place)));
        rights.addAll(parent);
        return new ToolRules(
                tools, new LinkedHashSet<>(denied), rights, delegates && !isolated, compatibility.toolQuirks());
    }

    private static ToolRules.Rights own(AgentDefinition definition, boolean isolated, Place place) {
        if (isolated) {
            return new ToolRules.Rights(ExtensionFilter.none(List.of()), Selectors.NONE);
        }
        List<String> excluded = orNothing(definition.excludeExtensions());
        ExtensionFilter filter = switch (definition.extensions()) {
            case Inclusion.None _ -> ExtensionFilter.none(excluded);
            case Inclusion.All _ -> ExtensionFilter.all(excluded);
            case Inclusion.Only(List<String> entries) ->
                ExtensionFilter.of(entries, excluded, place.home(), place.directory());
        };
        return new ToolRules.Rights(filter, Selectors.parse(orNothing(definition.extSelectors())));
    }

    private static List<String> orNothing(@Nullable List<String> list) {
        return list == null ? List.of() : list;
    }
}
