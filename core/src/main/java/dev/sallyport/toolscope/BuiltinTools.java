package dev.sallyport.toolscope;

import java.util.List;

/** The tools that every harness of ours has, in the order in which they are shown (authority.md 3). */
public final class BuiltinTools {

    public static final List<String> NAMES = List.of("read", "bash", "edit", "write", "grep", "find", "ls");

    private static final List<String> WRITERS = List.of("bash", "edit", "write");

    private BuiltinTools() {}

    /** Whether any of the tools can change a file. */
    public static boolean canWrite(List<String> tools) {
        return tools.stream().anyMatch(WRITERS::contains);
    }
}
