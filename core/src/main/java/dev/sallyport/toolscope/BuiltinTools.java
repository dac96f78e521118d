package dev.sallyport.toolscope;

import java.util.List;
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
