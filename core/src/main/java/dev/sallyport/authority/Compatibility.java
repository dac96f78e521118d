package dev.sallyport.authority;

import dev.sallyport.agentfile.AgentFiles;
import dev.sallyport.text.Nearest;
import dev.sallyport.toolscope.ToolRules;
import java.util.Arrays;
import java.util.Collection;
import java.util.Collections;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;

/**
 * The behaviours of the original that an operator has asked to have back (authority.md 13). Nothing is on by default, and
 * nobody but the operator can switch anything on.
 */
public record Compatibility(Set<Switch> on) {

    /** The safe behaviour everywhere. */
    public static final Compatibility NONE = new Compatibility(Set.of());

    /** The original's behaviour everywhere. */
    public static final Compatibility ALL = new Compatibility(EnumSet.allOf(Switch.class));

    public Compatibility {
        EnumSet<Switch> copy = EnumSet.noneOf(Switch.class);
        copy.addAll(on);
        on = Collections.unmodifiableSet(copy);
    }

    /** One behaviour that is unsafe and that somebody may depend on. The names are API: none is ever renamed. */
    public enum Switch {
        /** Agent names of any characters, look-alikes and blanks included (T67, T68). */
        ANY_AGENT_NAME,
        /** Two files of one directory may declare the same agent; the last in byte order counts (T68). */
        DUPLICATE_NAMES,
        /** Links among agent files may lead anywhere (T71). */
        FOLLOW_LINKS,
        /** An unknown, disabled or ambiguous agent runs as general-purpose, with every tool if that is gone (13.13). */
        FALL_BACK_TO_GENERAL_PURPOSE,
        /** A plain {@code tools} entry admits an extension's tool that selectors leave out (13.8). */
        PLAIN_TOOLS_BYPASS_SELECTORS,
        /** Several extensions may register a tool of one name, and one that shadows a built-in tool (13.9, T75). */
        SHARED_TOOL_NAMES,
        /** A tool that an extension has just registered is shown to the model until the turn ends, in scope or not. */
        LATE_TOOLS_VISIBLE,
        /** An agent without extensions has no veto; a call of a tool that it does not have is merely not found. */
        NO_VETO_WITHOUT_EXTENSIONS,
        /** {@code memory} gives an agent that may edit the tools {@code read} and {@code write} too (authority.md 7.3). */
        MEMORY_ADDS_TOOLS,
        /** A project's {@code enabledModels} takes the place of the user's instead of narrowing it (authority.md 5.7, S2). */
        PROJECT_MODELS_REPLACE;

        /** {@code any-agent-name} and so on. */
        public String wire() {
            return name().toLowerCase(Locale.ROOT).replace('_', '-');
        }

        static Switch parse(String name) {
            for (Switch one : values()) {
                if (one.wire().equals(name)) {
                    return one;
                }
            }
            List<String> known = Arrays.stream(values()).map(Switch::wire).toList();
            String hint = Nearest.to(name, known)
                    .map("nearest: `%s`"::formatted)
                    .orElseGet(() -> "expected: " + String.join(", ", known));
            throw new IllegalArgumentException("compatibility: unknown switch `%s` (%s)".formatted(name, hint));
        }
    }

    /** Reads the operator's {@code compatibility} setting; refuses a name that means nothing. */
    public static Compatibility parse(Collection<String> names) {
        EnumSet<Switch> on = EnumSet.noneOf(Switch.class);
        names.forEach(name -> on.add(Switch.parse(name)));
        return new Compatibility(on);
    }

    /** What agent files may do beyond the safe rules. */
    public AgentFiles.Leniency agentFiles() {
        return new AgentFiles.Leniency(
                has(Switch.ANY_AGENT_NAME), has(Switch.DUPLICATE_NAMES), has(Switch.FOLLOW_LINKS));
    }

    /** What of it is about the tools of a child while it runs. */
    public Set<ToolRules.Quirk> toolQuirks() {
        EnumSet<ToolRules.Quirk> quirks = EnumSet.noneOf(ToolRules.Quirk.class);
        for (Switch one : on) {
            switch (one) {
                case PLAIN_TOOLS_BYPASS_SELECTORS -> quirks.add(ToolRules.Quirk.PLAIN_TOOLS_BYPASS_SELECTORS);
                case SHARED_TOOL_NAMES -> quirks.add(ToolRules.Quirk.SHARED_TOOL_NAMES);
                case LATE_TOOLS_VISIBLE -> quirks.add(ToolRules.Quirk.LATE_TOOLS_VISIBLE);
                case NO_VETO_WITHOUT_EXTENSIONS -> quirks.add(ToolRules.Quirk.NO_VETO_WITHOUT_EXTENSIONS);
                default -> {}
            }
        }
        return quirks;
    }

    public boolean has(Switch one) {
        return on.contains(one);
    }

    /** What {@link #parse} reads, in a fixed order. */
    public List<String> names() {
        return on.stream().map(Switch::wire).toList();
    }
}
