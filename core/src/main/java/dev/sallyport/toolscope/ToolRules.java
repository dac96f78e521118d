package dev.sallyport.toolscope;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.Collections;
import java.util.EnumSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;

/**
 * What decides about a child's tools, settled when it is started (authority.md 7.5); {@link ToolScope} applies it to what
 * the extensions register.
 *
 * @param tools plain names, as written
 * @param disallowed names that lose in any case
 * @param extensions what the child's own file says first, then each of its parents: all must admit a tool; never empty
 * @param delegates whether the child has the tools of {@link DelegationTools}
 * @param quirks behaviours of the original that the operator asked to have back
 */
public record ToolRules(
        List<String> tools, Set<String> disallowed, List<Rights> extensions, boolean delegates, Set<Quirk> quirks) {

    public ToolRules {
        tools = List.copyOf(tools);
        disallowed = Collections.unmodifiableSet(new LinkedHashSet<>(disallowed));
        extensions = List.copyOf(extensions);
        EnumSet<Quirk> copy = EnumSet.noneOf(Quirk.class);
        copy.addAll(quirks);
        quirks = Collections.unmodifiableSet(copy);
        if (extensions.isEmpty()) {
            throw new IllegalArgumentException("rules without rights");
        }
    }

    /**
     * The rules that an authority comes down to.
     *
     * @param tools our own that are granted, those for delegation included
     * @param denied locked, whoever has them
     */
    public static ToolRules granted(
            List<String> tools, Collection<String> denied, Rights extensions, Set<Quirk> quirks) {
        boolean delegates = DelegationTools.NAMES.stream().anyMatch(tools::contains);
        Set<String> disallowed = new LinkedHashSet<>(denied);
        DelegationTools.NAMES.stream().filter(name -> !tools.contains(name)).forEach(disallowed::add);
        return new ToolRules(tools, disallowed, List.of(extensions), delegates, quirks);
    }

    /** What one agent file, its parent's or its own, lets through of the extensions. */
    public record Rights(ExtensionFilter filter, Selectors selectors) {

        boolean admit(Extension extension, String tool) {
            return filter.keeps(extension) && selectors.admit(extension, tool);
        }
    }

    /** What the original does and we do only when asked to. */
    public enum Quirk {
        /** A plain name admits an extension's tool that the selectors leave out. */
        PLAIN_TOOLS_BYPASS_SELECTORS,
        /** Tools are in scope by name alone, whoever registered them, and the last to register a name has it. */
        SHARED_TOOL_NAMES,
        /** A tool that has just been registered is shown to the model until the turn ends, in scope or not. */
        LATE_TOOLS_VISIBLE,
        /** Without extensions no call is vetoed; a tool that is not there is merely not found. */
        NO_VETO_WITHOUT_EXTENSIONS;

        /** {@code shared-tool-names} and so on. */
        public String wire() {
            return name().toLowerCase(Locale.ROOT).replace('_', '-');
        }

        /** Reads what {@link #wire} gives; refuses any other name. */
        public static Quirk parse(String wire) {
            return Arrays.stream(values())
                    .filter(one -> one.wire().equals(wire))
                    .findFirst()
                    .orElseThrow(() -> new IllegalArgumentException("quirk `%s` is unknown".formatted(wire)));
        }
    }

    /** Whether extensions can load at all. */
    public boolean live() {
        return extensions.getFirst().filter().enabled();
    }

    public boolean loads(Extension extension) {
        return extensions.stream().allMatch(rights -> rights.filter().keeps(extension));
    }

    boolean admits(Extension extension, String tool) {
        return !disallowed.contains(tool) && extensions.stream().allMatch(rights -> rights.admit(extension, tool));
    }

    /** The tools that are there if no extension is: the only ones, as a list that is closed. */
    public List<String> allowList() {
        List<String> allowed = new ArrayList<>(tools);
        allowed.removeAll(DelegationTools.NAMES);
        allowed.addAll(delegates ? DelegationTools.NAMES : List.of());
        allowed.removeAll(disallowed);
        return allowed;
    }

    /** What no extension can register, whenever it tries. */
    public Set<String> denyList() {
        Set<String> denied = new LinkedHashSet<>(delegates ? List.of() : DelegationTools.NAMES);
        BuiltinTools.NAMES.stream().filter(name -> !tools.contains(name)).forEach(denied::add);
        denied.addAll(disallowed);
        return denied;
    }
}
