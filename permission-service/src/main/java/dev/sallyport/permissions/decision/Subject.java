package dev.sallyport.permissions.decision;

import dev.sallyport.containment.WorkspaceAccess;
import dev.sallyport.toolscope.DelegationTools;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/**
 * What policy is asked about one action: a surface, and all names under which a rule may know the value. The child's word
 * counts for what it wants to do, never for which surface that is.
 *
 * @param names the first is what people are shown; never empty
 * @param gate speaks only where a rule was written for it (permission.md 1.8 {@code path}, {@code external_directory})
 */
record Subject(String surface, List<String> names, boolean gate) {

    /** Where every child finds its workspace. */
    static final String WORKSPACE = "/workspace";

    static final String NETWORK = "network";
    static final String BASH = "bash";
    static final String DELEGATION = "delegation";

    private static final Set<String> FILE_TOOLS = Set.of("read", "write", "edit", "grep", "find", "ls");
    private static final Set<String> WRITERS = Set.of(BASH, "write", "edit");

    /** Surfaces that are no tools: a tool of such a name would be judged by rules that were not written for it. */
    private static final Set<String> NOT_TOOLS =
            Set.of("*", NETWORK, "credential", DELEGATION, "bind_mount", "path", "external_directory", "skill", "mcp");

    Subject {
        names = List.copyOf(names);
    }

    /** Whether a tool touches files and runs none of them. */
    static boolean readsOrWritesOnly(String tool) {
        return FILE_TOOLS.contains(tool);
    }

    String value() {
        return names.getFirst();
    }

    /** The first is the action's own, for people and for the digest. */
    static List<Subject> of(Action action, WorkspaceAccess workspace) {
        return switch (action) {
            case Action.Network(var target) -> List.of(new Subject(NETWORK, List.of(target.toString()), false));
            case Action.Tool tool -> of(tool, workspace);
        };
    }

    private static List<Subject> of(Action.Tool tool, WorkspaceAccess workspace) {
        List<Subject> subjects = new ArrayList<>();
        if (tool.name().equals(BASH)) {
            subjects.add(new Subject(BASH, CommandText.names(text(tool, "command")), false));
        } else if (FILE_TOOLS.contains(tool.name())) {
            PathNames path = PathNames.of(tool.fields().get("path"), tool.directory());
            subjects.add(new Subject(tool.name(), path.names(), false));
            subjects.add(new Subject("path", path.names(), true));
            if (path.outside()) {
                subjects.add(new Subject("external_directory", path.names(), true));
            }
        } else if (tool.name().equals(DelegationTools.SPAWN)) {
            // Asked by the gateway itself, whoever made the call (S1).
            subjects.add(new Subject(DELEGATION, List.of(agent(tool)), false));
        } else if (NOT_TOOLS.contains(tool.name())) {
            throw new IllegalArgumentException("tool: `%s` is not a tool".formatted(tool.name()));
        } else {
            subjects.add(new Subject(tool.name(), List.of("*"), false));
        }
        if (workspace == WorkspaceAccess.READ_WRITE && WRITERS.contains(tool.name())) {
            subjects.add(new Subject("bind_mount", subjects.getFirst().names(), false));
        }
        return subjects;
    }

    /** Whom the call names; an agent that has no file has no name. */
    private static String agent(Action.Tool tool) {
        return switch (tool.fields().get("agent")) {
            case null -> "ad-hoc";
            case String name when !name.isBlank() -> name.strip();
            default -> throw new IllegalArgumentException("arguments.agent (expected: text)");
        };
    }

    private static String text(Action.Tool tool, String field) {
        if (tool.fields().get(field) instanceof String text && !text.isBlank()) {
            return text;
        }
        throw new IllegalArgumentException("arguments.%s (expected: text)".formatted(field));
    }

    /**
     * The names of one path (permission.md 1.10), without asking any file system: the child's is not ours. Links are the
     * container's concern.
     *
     * @param outside whether it leads out of the workspace, as far as its text says
     */
    private record PathNames(List<String> names, boolean outside) {

        static PathNames of(@org.jspecify.annotations.Nullable Object given, String directory) {
            if (given != null && !(given instanceof String)) {
                throw new IllegalArgumentException("arguments.path (expected: text)");
            }
            String literal = given instanceof String text ? cleaned(text) : "";
            if (literal.isEmpty()) {
                return new PathNames(List.of("*"), false);
            }
            String absolute = normalized(literal.startsWith("/") ? literal : directory + "/" + literal);
            Set<String> names = new LinkedHashSet<>();
            names.add(absolute);
            boolean inside = absolute.startsWith(WORKSPACE + "/");
            if (inside) {
                names.add(absolute.substring(WORKSPACE.length() + 1));
            }
            // As it was written, but not if it turns back on itself: `src/../key` is no name that `src/*` may allow.
            if (!List.of(literal.split("/", -1)).contains("..")) {
                names.add(literal);
            }
            return new PathNames(List.copyOf(names), !inside && !absolute.equals(WORKSPACE));
        }

        private static String cleaned(String text) {
            String path = text.strip();
            path = path.replaceFirst("^['\"]", "").replaceFirst("['\"]$", "");
            return path.startsWith("@") ? path.substring(1) : path;
        }

        private static String normalized(String path) {
            List<String> parts = new ArrayList<>();
            for (String part : path.split("/", -1)) {
                if (part.equals("..")) {
                    if (!parts.isEmpty()) {
                        parts.removeLast();
                    }
                } else if (!part.isEmpty() && !part.equals(".")) {
                    parts.add(part);
                }
            }
            return "/" + String.join("/", parts);
        }
    }
}
