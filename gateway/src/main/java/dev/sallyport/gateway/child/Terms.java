package dev.sallyport.gateway.child;

import dev.sallyport.containment.Harness;
import dev.sallyport.containment.HostPort;
import dev.sallyport.containment.Limits;
import dev.sallyport.containment.RuntimeClass;
import dev.sallyport.containment.WorkspaceAccess;
import dev.sallyport.gateway.permission.PermissionService.Narrowing;
import dev.sallyport.gateway.sandbox.FileKey;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What was settled when a child was accepted and never changes: what it is to do, and those facts of its authority that the
 * gateway itself acts on.
 *
 * @param definitionDigest null for an agent that is built in
 * @param model null for a harness without one
 * @param network exactly these, each still subject to the permission-service
 * @param narrowing policies of the repository and the agent file, which can only make decisions stricter (S2)
 * @param parentClaimed whether its prompt or task carries what the caller claims of its parent (P7); null in rows of old
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
        String systemPrompt,
        @Nullable Integer maxTurns,
        int graceTurns,
        Workspace workspace,
        List<HostPort> network,
        Limits limits,
        RuntimeClass runtime,
        List<Narrowing> narrowing,
        @Nullable Boolean parentClaimed) {

    Terms {
        command = List.copyOf(command);
        tools = List.copyOf(tools);
        network = List.copyOf(network);
        narrowing = List.copyOf(narrowing);
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
