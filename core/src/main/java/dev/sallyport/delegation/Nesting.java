package dev.sallyport.delegation;

import dev.sallyport.agentfile.AgentRegistry;
import dev.sallyport.agentfile.SubagentPermission;
import dev.sallyport.authority.Delegation;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Which agents an agent may start, see and end (authority.md 11.8). What it says about itself in a request plays no part. */
public final class Nesting {

    private Nesting() {}

    /** A maximum depth as a program sets it: whole, and not below 0. */
    public static int clamp(double depth) {
        return (int) Math.max(0, Math.floor(depth));
    }

    /** Whether it may see, steer, end or resume an agent with this parent: its own child, never its child's child. */
    public static boolean owns(String agent, @Nullable String parent) {
        return agent.equals(parent);
    }

    /** The answer to a wish to start an agent. */
    public sealed interface Permit {

        /** Yes, and how deep the new agent is. */
        record Granted(String agent, int depth) implements Permit {}

        /** Too deep, or without any right to delegate. */
        record NoDelegation() implements Permit {}

        /** What could be started instead stands in the order of the registry. */
        record UnknownAgent(List<String> permitted) implements Permit {}

        record NotAllowed(String agent, List<String> permitted) implements Permit {}
    }

    /** Looks the name up strictly: no fallback ever runs below another agent. */
    public static Permit permit(Delegation rights, AgentRegistry registry, @Nullable String requested) {
        if (!rights.mayDelegate()) {
            return new Permit.NoDelegation();
        }
        Set<String> keys = keys(rights.agents(), registry);
        List<String> permitted =
                registry.available().stream().filter(keys::contains).toList();
        Optional<String> key = registry.enabledKey(requested);
        if (key.isEmpty()) {
            return new Permit.UnknownAgent(permitted);
        }
        return keys.contains(key.get())
                ? new Permit.Granted(key.get(), rights.depth() + 1)
                : new Permit.NotAllowed(key.get(), permitted);
    }

    /** The names of an agent file are looked up loosely; one that means nothing stays as it is written. */
    private static Set<String> keys(SubagentPermission agents, AgentRegistry registry) {
        return switch (agents) {
            case SubagentPermission.All() -> Set.copyOf(registry.keys());
            case SubagentPermission.Only(List<String> names) ->
                names.stream().map(name -> registry.looseKey(name).orElse(name)).collect(Collectors.toSet());
        };
    }
}
