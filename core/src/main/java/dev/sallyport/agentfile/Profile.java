package dev.sallyport.agentfile;

import dev.sallyport.containment.WorkspaceAccess;
import dev.sallyport.permission.PermissionConfig;
import dev.sallyport.permission.PermissionState;
import dev.sallyport.toolscope.BuiltinTools;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A named ceiling that a call, an agent file or {@code subagents.json} asks for. It never adds anything.
 *
 * @param workspace the most, null for what others allow
 * @param permission can only narrow (S2)
 * @param origin where it is written, {@code built in} for those that nobody can redefine
 */
public record Profile(
        String name,
        List<String> tools,
        @Nullable WorkspaceAccess workspace,
        PermissionConfig permission,
        String origin) {

    /** What several children that are started at once have unless they ask for another. */
    public static final String BATCH_DEFAULT = "explore";

    static final String READ_ONLY = "read-only";

    private static final List<String> READERS = List.of("read", "grep", "find", "ls");

    // No program here writes, runs another or takes a file to write to, whatever its options are. That excludes find
    // (-delete, -exec), sort (-o), uniq (its second word), tree (-o), file (-C), rg (--pre) and git, which runs what
    // the repository's own configuration names.
    private static final List<String> LOOKING = List.of(
            "basename",
            "cat",
            "cksum",
            "cmp",
            "cut",
            "df",
            "diff",
            "dirname",
            "du",
            "echo",
            "grep",
            "head",
            "id",
            "ls",
            "nl",
            "od",
            "pwd",
            "readlink",
            "realpath",
            "sha256sum",
            "stat",
            "tail",
            "uname",
            "wc",
            "which");

    private static final List<String> COMPOUND = List.of(";", "&", "|", "<", ">", "(", ")", "$", "`", "\\", "\n", "\r");

    /** By name; reserved. */
    static final Map<String, Profile> BUILT_IN = builtIn();

    public Profile {
        tools = List.copyOf(tools);
    }

    private static Map<String, Profile> builtIn() {
        List<String> lookers = new ArrayList<>(READERS);
        lookers.add("bash");
        Map<String, Profile> all = new LinkedHashMap<>();
        for (Profile profile : List.of(
                of("explore", READERS, WorkspaceAccess.READ_ONLY),
                of("review", READERS, WorkspaceAccess.READ_ONLY),
                of("general", BuiltinTools.NAMES, null),
                of("none", List.of(), WorkspaceAccess.READ_ONLY),
                of(READ_ONLY, READERS, WorkspaceAccess.READ_ONLY),
                new Profile("read-only-with-safe-bash", lookers, WorkspaceAccess.READ_ONLY, safeBash(), "built in"),
                of("full-tools", BuiltinTools.NAMES, null))) {
            all.put(profile.name(), profile);
        }
        return all;
    }

    private static Profile of(String name, List<String> tools, @Nullable WorkspaceAccess workspace) {
        return new Profile(name, tools, workspace, PermissionConfig.EMPTY, "built in");
    }

    /** The last pattern that matches decides: all is denied, then looking is allowed, then whatever is more than one command is denied. */
    private static PermissionConfig safeBash() {
        Map<String, PermissionConfig.Entry> rules = new LinkedHashMap<>();
        PermissionConfig.Entry deny =
                new PermissionConfig.Entry(PermissionState.DENY, "not a simple read-only command");
        rules.put("*", deny);
        LOOKING.forEach(program -> rules.put(program + " *", new PermissionConfig.Entry(PermissionState.ALLOW, null)));
        // A program is also known by its bare name: evil/ls must not pass for ls.
        LOOKING.forEach(program -> rules.put("*/" + program + " *", deny));
        COMPOUND.forEach(part -> rules.put("*" + part + "*", deny));
        return new PermissionConfig(Map.of("bash", new PermissionConfig.Surface.Patterns(rules)));
    }
}
