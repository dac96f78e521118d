package dev.sallyport.toolscope;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** The tools that every harness of ours has, in the order in which they are shown (authority.md 3). */
public final class BuiltinTools {

    public static final List<String> NAMES = List.of("read", "bash", "edit", "write", "grep", "find", "ls");

    private static final List<String> WRITERS = List.of("bash", "edit", "write");

    private BuiltinTools() {}

    /** Whether any of the tools can change a file. */
    public static boolean canWrite(List<String> tools) {
        return tools.stream().anyMatch(WRITERS::contains);
    }

    /** Whether an agent with a memory may write to it (authority.md 7.3). */
    public static boolean canRemember(List<String> tools, Collection<String> disallowed) {
        return Stream.of("write", "edit").anyMatch(tool -> tools.contains(tool) && !disallowed.contains(tool));
    }

    /** The tools and those that the original adds for a memory, the disallowed ones too. */
    public static List<String> withMemory(List<String> tools, Collection<String> disallowed) {
        List<String> all = new ArrayList<>(tools);
        (canRemember(tools, disallowed) ? Stream.of("read", "write", "edit") : Stream.of("read"))
                .filter(tool -> !tools.contains(tool))
                .forEach(all::add);
        return all;
    }

    /**
     * Says in a few words which built-in tools an agent has.
     *
     * @param tools null for all
     * @param extensions whether it may have tools of extensions besides
     */
    public static String label(@Nullable List<String> tools, boolean extensions) {
        if (tools == null || tools.containsAll(NAMES)) {
            return "*";
        }
        if (tools.isEmpty()) {
            return extensions ? "no built-ins, extension tools only" : "none";
        }
        return String.join(", ", tools);
    }
}
