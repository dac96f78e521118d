package dev.sallyport.gateway.sandbox;

import java.io.IOException;
import java.io.OutputStream;
import java.util.List;
import java.util.Optional;

/**
 * Creates, observes and removes sandboxes on one kind of infrastructure.
 *
 * <p>A driver reports what its backend sees and nothing more. Whether a child counts as started also depends on its runner
 * having called at the door. It sees only what its own installation made: what another one made is, to it, gone (S28).
 * Drivers are used by several threads at once; every method may throw {@link SandboxException.BackendUnavailable}.
 */
public interface SandboxDriver {

    /**
     * Creates and starts a sandbox. When this throws, nothing runs; a remainder is found by {@link #list}.
     *
     * @throws SandboxException.ImageNotFound if the backend does not have {@code spec.image()}; it is never fetched
     * @throws SandboxException.RuntimeNotFound if the backend does not have {@code spec.runtime()}
     * @throws SandboxException.AlreadyExists if there is a sandbox of this id
     * @throws SandboxException.Rejected if the backend understood the spec and refused it
     */
    void create(SandboxSpec spec);

    /** Never throws for an unknown id: a sandbox that is gone is {@link SandboxState.Gone}. */
    SandboxState inspect(SandboxId id);

    /**
     * Waits until the sandbox ended. A backend that goes away meanwhile is waited for.
     *
     * @return {@link SandboxState.Exited}, or {@link SandboxState.Gone} if it was removed or is unknown
     */
    SandboxState.Ended awaitExit(SandboxId id) throws InterruptedException;

    /**
     * Ends and removes the sandbox, but not its volume; when this returns, none of its processes is left. Removing one that
     * is already gone does nothing.
     *
     * @throws SandboxException.NotRemoved if something of it is left
     */
    void remove(SandboxId id);

    /** Every sandbox of this installation that still exists, in whatever state, for the reaper. */
    List<SandboxId> list();

    /**
     * What is mounted at {@code /workspace}, seen from within a running sandbox (S5); empty if its spec has no workspace.
     *
     * @throws SandboxException.Unverifiable if it does not run, or the gateway may not look
     */
    Optional<FileKey> workspaceFileKey(SandboxId id);

    /**
     * What holds for a running sandbox, each item read back from the kernel or the backend (S11), in a fixed order.
     *
     * @throws SandboxException.Unverifiable if it does not run
     */
    List<Enforcement> enforcements(SandboxId id);

    /**
     * Makes an empty volume that belongs to {@code owner}; does nothing if it exists.
     *
     * @param image the child's; where only the backend can change an owner, its {@code chown} does it
     * @param bytes its capacity, enforced where the host can ({@code disk} among the {@link #enforcements})
     */
    void createVolume(VolumeId volume, ImageId image, SandboxUser owner, long bytes);

    /** Removing a volume that is already gone, or was left half made, is no error. */
    void removeVolume(VolumeId volume);

    /** Every volume of this installation that still exists, for the reaper. */
    List<VolumeId> volumes();

    /**
     * Writes all files of a volume as one tar, read by a fresh sandbox without network as {@code owner} (S15). The content
     * is the child's and hostile. What {@code owner} has no right to read is left out.
     *
     * @throws SandboxException.Rejected if there is no such volume or it could not be read to its end
     * @throws IOException from {@code tar} only
     */
    void salvage(VolumeId volume, ImageId image, SandboxUser owner, OutputStream tar) throws IOException;
}
