package dev.sallyport.toolscope;

import dev.sallyport.text.VisibleText;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;

/**
 * A child's tools while it runs. Three things are kept apart: what is registered, what the model is shown, and what may be
 * called now. Each follows at once what extensions register and withdraw, so that {@link #permits}, asked at every call, is
 * one look-up. Safe for use by several threads.
 */
public final class ToolScope {

    /** Of all extensions together; a provider that offers more is not asked to stop, its tools are just not there. */
    public static final int MAX_TOOLS = 1_000;

    private static final int MAX_NAME = 128;

    private final ToolRules rules;
    private final Set<String> denied;
    private final Map<Extension, Set<String>> live = new LinkedHashMap<>();
    private volatile State state;

    /**
     * @param registered by name, empty for our own tools
     * @param scope names that may be called
     */
    private record State(Map<String, Optional<Extension>> registered, Set<String> scope, List<String> visible) {}

    public ToolScope(ToolRules rules) {
        this.rules = rules;
        this.denied = rules.denyList();
        this.state = narrowed();
    }

    /** Loads an extension with the tools that it has from the start, after those loaded before; false if it is filtered out. */
    public synchronized boolean load(Extension extension, Collection<String> tools) {
        if (!rules.loads(extension)) {
            return false;
        }
        Set<String> names = live.computeIfAbsent(extension, _ -> new LinkedHashSet<>());
        tools.stream().filter(tool -> isAcceptable(extension, tool)).forEach(names::add);
        state = narrowed();
        return true;
    }

    /** An extension offers one more tool; false if the child does not have it, or has it from another. */
    public synchronized boolean register(Extension extension, String tool) {
        Set<String> names = live.get(extension);
        if (names == null || !isAcceptable(extension, tool)) {
            return false;
        }
        names.add(tool);
        List<String> shown = state.visible();
        State next = narrowed();
        if (has(ToolRules.Quirk.LATE_TOOLS_VISIBLE)) {
            List<String> late = new ArrayList<>(shown);
            if (next.registered().containsKey(tool) && !late.contains(tool)) {
                late.add(tool);
            }
            next = new State(next.registered(), next.scope(), late);
        }
        state = next;
        return provider(tool).equals(Optional.of(extension));
    }

    /** An extension takes a tool back. */
    public synchronized void withdraw(Extension extension, String tool) {
        Set<String> names = live.get(extension);
        if (names != null && names.remove(tool)) {
            state = narrowed();
        }
    }

    /** Exactly these are what a loaded extension offers now. */
    public synchronized void offers(Extension extension, Collection<String> tools) {
        List.copyOf(live.getOrDefault(extension, Set.of())).stream()
                .filter(tool -> !tools.contains(tool))
                .forEach(tool -> withdraw(extension, tool));
        tools.forEach(tool -> register(extension, tool));
    }

    /** Shows the model what is in scope and nothing else; before its first turn and after each. */
    public synchronized void turnEnded() {
        state = narrowed();
    }

    /** Registered names: built-in tools, those of extensions in the order of loading, those of delegation. */
    public List<String> registered() {
        return List.copyOf(state.registered().keySet());
    }

    /** What the model is shown, in order. */
    public List<String> visible() {
        return List.copyOf(state.visible());
    }

    /** Whether a call may go ahead now. */
    public boolean permits(String tool) {
        return state.scope().contains(tool) || (!rules.live() && has(ToolRules.Quirk.NO_VETO_WITHOUT_EXTENSIONS));
    }

    /** Who answers a call, empty for our own tools and for names that are not registered. */
    public Optional<Extension> provider(String tool) {
        return state.registered().getOrDefault(tool, Optional.empty());
    }

    private boolean isAcceptable(Extension extension, String tool) {
        // What is refused is forgotten: a name that its owner gives up does not go to whoever wanted it before (T75).
        boolean taken = state.scope().contains(tool) && !provider(tool).equals(Optional.of(extension));
        return (!taken || has(ToolRules.Quirk.SHARED_TOOL_NAMES))
                && !tool.isBlank()
                && tool.length() <= MAX_NAME
                && VisibleText.line(tool).equals(tool)
                && live.values().stream().mapToInt(Set::size).sum() < MAX_TOOLS;
    }

    private boolean has(ToolRules.Quirk quirk) {
        return rules.quirks().contains(quirk);
    }

    private State narrowed() {
        return rules.live() ? withExtensions() : closed();
    }

    private State closed() {
        Set<String> allowed = new LinkedHashSet<>(rules.allowList());
        Map<String, Optional<Extension>> registered = new LinkedHashMap<>();
        BuiltinTools.NAMES.stream().filter(allowed::contains).forEach(tool -> registered.put(tool, Optional.empty()));
        delegation().filter(allowed::contains).forEach(tool -> registered.put(tool, Optional.empty()));
        allowed.retainAll(registered.keySet());
        return new State(registered, allowed, List.copyOf(allowed));
    }

    private State withExtensions() {
        Map<String, Optional<Extension>> registered = new LinkedHashMap<>();
        BuiltinTools.NAMES.stream()
                .filter(tool -> !denied.contains(tool))
                .forEach(tool -> registered.put(tool, Optional.empty()));
        Set<String> scope = new HashSet<>(registered.keySet());
        if (has(ToolRules.Quirk.SHARED_TOOL_NAMES)) {
            byName(registered, scope);
        } else {
            byProvider(registered, scope);
        }
        if (has(ToolRules.Quirk.PLAIN_TOOLS_BYPASS_SELECTORS)) {
            rules.tools().stream()
                    .filter(tool -> !rules.disallowed().contains(tool))
                    .forEach(scope::add);
        }
        DelegationTools.NAMES.forEach(scope::remove);
        delegation().filter(tool -> !denied.contains(tool)).forEach(tool -> {
            registered.put(tool, Optional.empty());
            scope.add(tool);
        });
        return new State(
                registered,
                scope,
                registered.keySet().stream().filter(scope::contains).toList());
    }

    /** A name belongs to the first that may have it; our own tools' names belong to nobody else. */
    private void byProvider(Map<String, Optional<Extension>> registered, Set<String> scope) {
        live.forEach((extension, tools) -> tools.forEach(tool -> {
            if (denied.contains(tool) || BuiltinTools.NAMES.contains(tool) || DelegationTools.NAMES.contains(tool)) {
                return;
            }
            boolean admitted = rules.admits(extension, tool);
            if (admitted ? scope.add(tool) : !registered.containsKey(tool)) {
                registered.put(tool, Optional.of(extension));
            }
        }));
    }

    private void byName(Map<String, Optional<Extension>> registered, Set<String> scope) {
        live.forEach((extension, tools) -> tools.forEach(tool -> {
            if (!denied.contains(tool)) {
                registered.put(tool, Optional.of(extension));
            }
            if (rules.admits(extension, tool)) {
                scope.add(tool);
            }
        }));
    }

    private Stream<String> delegation() {
        return (rules.delegates() ? DelegationTools.NAMES : List.<String>of()).stream();
    }
}
