package dev.sallyport.gateway.child;

import dev.sallyport.agentfile.SubagentPermission;
import dev.sallyport.authority.ExtensionRights;
import dev.sallyport.containment.Harness;
import dev.sallyport.containment.HostPort;
import dev.sallyport.containment.Limits;
import dev.sallyport.containment.RuntimeClass;
import dev.sallyport.containment.WorkspaceAccess;
import dev.sallyport.gateway.permission.PermissionService.Narrowing;
import dev.sallyport.gateway.sandbox.FileKey;
import dev.sallyport.memory.MemoryAccess;
import dev.sallyport.memory.MemoryScope;
import dev.sallyport.toolscope.Extension;
import dev.sallyport.toolscope.ToolRules;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * What was settled when a child was accepted and never changes: what it is to do, and those facts of its authority that the
 * gateway itself acts on.
 *
 * @param definitionDigest null for an agent that is built in
 * @param model null for a harness without one
 * @param requested those of {@code tools} that its agent file asks for by name: without them it is not started
 * @param network exactly these, each still subject to the permission-service
 * @param narrowing policies of the repository and the agent file, which can only make decisions stricter (S2)
 * @param parentClaimed whether its prompt or task carries what the caller claims of its parent (P7); null in rows of old
 * @param memory null without one
 * @param transcript whether its conversation is kept after its end; null in rows of old: it is
 */
record Terms(
        String agent,
        @Nullable String definitionDigest,
        String authorityDigest,
        String description,
        String prompt,
        Harness harness,
        List<String> command,
        @Nullable Model model,
        List<String> tools,
        @Nullable List<String> requested,
        String systemPrompt,
        @Nullable Integer maxTurns,
        int graceTurns,
        Workspace workspace,
        List<HostPort> network,
        Limits limits,
        RuntimeClass runtime,
        List<Narrowing> narrowing,
        @Nullable Boolean parentClaimed,
        Delegation delegation,
        @Nullable Boolean runInBackground,
        @Nullable Boolean transcript,
        Extensions extensions,
        @Nullable Memory memory) {

    Terms {
        // A child from before there was delegation has none, nor extensions.
        extensions = Objects.requireNonNullElse(extensions, Extensions.NONE);
        delegation = Objects.requireNonNullElse(delegation, Delegation.NONE);
        command = List.copyOf(command);
        tools = List.copyOf(tools);
        // Rows of old say nothing.
        requested = requested == null ? List.of() : List.copyOf(requested);
        network = List.copyOf(network);
        narrowing = List.copyOf(narrowing);
    }

    /** What decides about its tools for as long as it runs. */
    ToolRules rules() {
        return ToolRules.granted(tools, extensions.denied(), extensions.rights().rights(), extensions.quirks());
    }

    /**
     * What it may have of extensions, and those whose files it is given; no others are in its sandbox (P8).
     *
     * @param denied tools that are locked, whoever has them
     * @param quirks old behaviours that the operator has asked for; null in rows of old
     */
    record Extensions(ExtensionRights rights, List<String> denied, List<Given> given, Set<ToolRules.Quirk> quirks) {

        static final Extensions NONE = new Extensions(ExtensionRights.NONE, List.of(), List.of(), Set.of());

        Extensions {
            quirks = quirks == null ? Set.of() : Set.copyOf(quirks);
            denied = List.copyOf(denied);
            given = List.copyOf(given);
        }
    }

    /**
     * What it remembers.
     *
     * @param project directory of the host; null if the memory is that of all projects
     * @param id null if there was none when it was accepted
     * @param version that it has a copy of; 0 for none
     */
    record Memory(
            MemoryScope scope,
            MemoryAccess access,
            @Nullable String project,
            @Nullable String id,
            int version) {}

    /**
     * An extension that is copied into its sandbox.
     *
     * @param name of its directory, by which the runner speaks of it
     * @param directory on the host
     * @param digest of what is copied: other files are not
     * @param command that starts it, in its directory
     * @param named whether its agent file asks for it by name: without it the child is not started
     */
    record Given(String name, String directory, String digest, List<String> command, boolean named) {

        Given {
            command = List.copyOf(command);
        }

        Extension extension() {
            return new Extension(name, List.of(name.toLowerCase(Locale.ROOT)));
        }
    }

    /**
     * Its right to start children of its own, as a row can hold it.
     *
     * @param agents null for all
     * @param depth 1 for a child that a session started
     * @param active children of the session that may live at a time
     */
    record Delegation(@Nullable List<String> agents, int depth, int maxDepth, int active, boolean sharedWriters) {

        static final Delegation NONE = new Delegation(List.of(), 1, 1, 1, false);

        static Delegation of(dev.sallyport.authority.Delegation rights) {
            return new Delegation(
                    switch (rights.agents()) {
                        case SubagentPermission.All _ -> null;
                        case SubagentPermission.Only(List<String> names) -> names;
                    },
                    rights.depth(),
                    rights.maxDepth(),
                    rights.maxActivePerSession(),
                    rights.allowSharedWriters());
        }

        dev.sallyport.authority.Delegation rights() {
            return new dev.sallyport.authority.Delegation(
                    agents == null ? SubagentPermission.all() : new SubagentPermission.Only(agents),
                    depth,
                    maxDepth,
                    active,
                    sharedWriters);
        }
    }

    /**
     * @param shape of its API: `messages` or `chat`
     * @param thinking a level that is known; null for the model's own default
     */
    record Model(
            String provider,
            String id,
            String shape,
            boolean scripted,
            @Nullable String thinking) {

        String name() {
            return provider + "/" + id;
        }
    }

    /**
     * @param directory on the host that was asked for, without links; null if access is {@code none}
     * @param mounted what of the host is mounted: the same or, under another child's mount, that whole (S5); null if nothing
     * @param subdirectory from the workspace's top to where the child's tools start; empty for the top
     * @param key of the mounted directory as it was checked; null where nothing of the host is mounted (S5)
     */
    record Workspace(
            WorkspaceAccess access,
            @Nullable String directory,
            @Nullable String mounted,
            String subdirectory,
            @Nullable FileKey key,
            @Nullable Integer uncommittedFiles) {

        static final Workspace NONE = new Workspace(WorkspaceAccess.NONE, null, null, "", null, null);
    }
}
