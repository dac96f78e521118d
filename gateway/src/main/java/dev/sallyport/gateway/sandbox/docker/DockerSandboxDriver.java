package dev.sallyport.gateway.sandbox.docker;

import com.github.dockerjava.api.DockerClient;
import com.github.dockerjava.api.command.InspectContainerResponse;
import com.github.dockerjava.api.command.InspectImageResponse;
import com.github.dockerjava.api.exception.ConflictException;
import com.github.dockerjava.api.exception.DockerException;
import com.github.dockerjava.api.exception.NotFoundException;
import com.github.dockerjava.api.exception.NotModifiedException;
import com.github.dockerjava.api.model.Container;
import com.github.dockerjava.api.model.WaitResponse;
import dev.sallyport.gateway.sandbox.Enforcement;
import dev.sallyport.gateway.sandbox.FileKey;
import dev.sallyport.gateway.sandbox.ImageId;
import dev.sallyport.gateway.sandbox.SandboxDriver;
import dev.sallyport.gateway.sandbox.SandboxException;
import dev.sallyport.gateway.sandbox.SandboxId;
import dev.sallyport.gateway.sandbox.SandboxSpec;
import dev.sallyport.gateway.sandbox.SandboxState;
import dev.sallyport.gateway.sandbox.SandboxUser;
import dev.sallyport.gateway.sandbox.VolumeId;
import dev.sallyport.gateway.sandbox.WorkspaceMount;
import dev.sallyport.identity.InstallationId;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** Sandboxes of one installation on one Docker engine. */
final class DockerSandboxDriver implements SandboxDriver {

    private static final Duration REMOVAL = Duration.ofSeconds(10);
    private static final long POLL_MILLIS = 20;
    private static final long RETRY_MILLIS = 500;
    /** A connection can die without a word; then this is how late an exit is seen. */
    private static final long WAIT_SECONDS = 30;

    private static final int UNKNOWN_EXIT_CODE = 255;

    private final DockerEngine engine;
    private final DockerClient docker;
    private final Labels labels;
    private final ContainerConfig config;
    private final DockerVolumes volumes;
    private final Kernel kernel = new Kernel();

    /** @param volumeDirectory as in {@link DockerProperties} */
    static DockerSandboxDriver of(DockerEngine engine, InstallationId installation, Path volumeDirectory) {
        Labels labels = new Labels(installation);
        ContainerConfig config = new ContainerConfig(labels);
        LoopVolumes loops = new LoopVolumes(volumeDirectory.resolve(installation.value()));
        return new DockerSandboxDriver(engine, labels, config, new DockerVolumes(engine, labels, config, loops));
    }

    private DockerSandboxDriver(DockerEngine engine, Labels labels, ContainerConfig config, DockerVolumes volumes) {
        this.engine = engine;
        this.docker = engine.client();
        this.labels = labels;
        this.config = config;
        this.volumes = volumes;
    }

    @Override
    public void create(SandboxSpec spec) {
        String runtime = engine.runtime(spec.runtime());
        requireImage(spec.image());
        if (spec.workspace() instanceof WorkspaceMount.Volume(VolumeId volume)) {
            volumes.attach(volume);
        }
        String container = engine.ask(() -> {
            try {
                return config.child(docker.createContainerCmd(spec.image().value()), spec, runtime)
                        .exec()
                        .getId();
            } catch (NotFoundException e) {
                throw new SandboxException.ImageNotFound(spec.image());
            } catch (ConflictException e) {
                throw new SandboxException.AlreadyExists(spec.id());
            }
        });
        boolean started = false;
        try {
            start(container);
            started = true;
        } finally {
            if (!started) {
                discard(container);
            }
        }
    }

    /** Refuses an image that would bring what the spec does not ask for: the engine makes a writable volume for each it declares. */
    private void requireImage(ImageId image) {
        InspectImageResponse found = engine.ask(() -> {
            try {
                return docker.inspectImageCmd(image.value()).exec();
            } catch (NotFoundException e) {
                throw new SandboxException.ImageNotFound(image);
            }
        });
        Map<String, ?> declared =
                found.getConfig() == null ? null : found.getConfig().getVolumes();
        if (declared != null && !declared.isEmpty()) {
            throw new SandboxException.Rejected(
                    "image %s declares volumes: %s".formatted(image, declared.keySet()), null);
        }
    }

    private void start(String container) {
        engine.ask(() -> {
            try {
                return docker.startContainerCmd(container).exec();
            } catch (NotModifiedException alreadyStarted) {
                return null;
            } catch (DockerException e) {
                // The engine answers 500 for whatever its runtime refuses.
                throw new SandboxException.Rejected(DockerEngine.reason(e), e);
            }
        });
    }

    /** Best effort: what stays is found by {@link #list}, and the first failure is the one to tell. */
    private void discard(String container) {
        try {
            engine.ask(() -> docker.removeContainerCmd(container)
                    .withForce(true)
                    .withRemoveVolumes(true)
                    .exec());
        } catch (SandboxException leftToTheReaper) {
            // see above
        }
    }

    @Override
    public SandboxState inspect(SandboxId id) {
        return find(id).map(this::state).orElseGet(SandboxState.Gone::new);
    }

    private SandboxState state(String container) {
        return look(container).map(DockerSandboxDriver::state).orElseGet(SandboxState.Gone::new);
    }

    private static SandboxState state(InspectContainerResponse container) {
        InspectContainerResponse.ContainerState state = container.getState();
        return switch (Objects.requireNonNullElse(state.getStatus(), "")) {
            case "created" -> new SandboxState.Pending();
            case "exited", "dead" ->
                new SandboxState.Exited(
                        Optional.ofNullable(state.getExitCodeLong())
                                .map(Long::intValue)
                                .orElse(UNKNOWN_EXIT_CODE),
                        Boolean.TRUE.equals(state.getOOMKilled()));
            // Running, paused, restarting, removing, or a word of a later engine: not over before the engine says so.
            default -> new SandboxState.Running();
        };
    }

    @Override
    public SandboxState.Ended awaitExit(SandboxId id) throws InterruptedException {
        while (true) {
            try {
                Optional<String> container = find(id);
                if (container.isEmpty()) {
                    return new SandboxState.Gone();
                }
                if (state(container.get()) instanceof SandboxState.Ended ended) {
                    return ended;
                }
                awaitChange(container.get());
            } catch (SandboxException.BackendUnavailable e) {
                Thread.sleep(RETRY_MILLIS);
            }
        }
    }

    private void awaitChange(String container) throws InterruptedException {
        try (Streaming<WaitResponse> exit =
                engine.ask(() -> docker.waitContainerCmd(container).exec(new Streaming<>()))) {
            exit.awaitEnd(WAIT_SECONDS, TimeUnit.SECONDS);
        }
    }

    @Override
    public void remove(SandboxId id) {
        Optional<String> found = find(id);
        if (found.isEmpty()) {
            return;
        }
        String container = found.get();
        long deadline = System.nanoTime() + REMOVAL.toNanos();
        String left = "";
        do {
            left = removeOnce(container);
            if (left.isEmpty()) {
                return;
            }
            pause();
        } while (System.nanoTime() < deadline);
        throw new SandboxException.NotRemoved(id, left);
    }

    /**
     * Ends the container's first process, and with it its PID namespace: on cgroup v1 there is no other way to end a group
     * that forks faster than it is killed (S11).
     *
     * @return what is still there
     */
    private String removeOnce(String container) {
        String refused = engine.ask(() -> {
            try {
                docker.removeContainerCmd(container)
                        .withForce(true)
                        .withRemoveVolumes(true)
                        .exec();
                return "";
            } catch (NotFoundException alreadyGone) {
                return "";
            } catch (DockerException e) {
                return DockerEngine.reason(e);
            }
        });
        List<Long> survivors = kernel.processes(container);
        // Where the engine failed. As another user than root this does nothing, and the caller is told.
        survivors.forEach(pid -> ProcessHandle.of(pid).ifPresent(ProcessHandle::destroyForcibly));
        if (!survivors.isEmpty()) {
            return "processes " + survivors;
        }
        return look(container).isPresent() ? "container " + container + " " + refused : "";
    }

    private static void pause() {
        try {
            Thread.sleep(POLL_MILLIS);
        } catch (InterruptedException e) {
            // Removal is short and has its own end; the caller sees the interrupt afterwards.
            Thread.currentThread().interrupt();
        }
    }

    @Override
    public List<SandboxId> list() {
        return containers(labels.own()).stream()
                .map(Container::getLabels)
                .map(Labels::sandbox)
                .flatMap(Optional::stream)
                .toList();
    }

    private Optional<String> find(SandboxId id) {
        return containers(labels.of(id)).stream().map(Container::getId).findFirst();
    }

    private List<Container> containers(Map<String, String> withLabels) {
        return engine.ask(() -> docker.listContainersCmd()
                .withShowAll(true)
                .withLabelFilter(withLabels)
                .exec());
    }

    private Optional<InspectContainerResponse> look(String container) {
        return engine.ask(() -> {
            try {
                return Optional.of(docker.inspectContainerCmd(container).exec());
            } catch (NotFoundException gone) {
                return Optional.empty();
            }
        });
    }

    @Override
    public Optional<FileKey> workspaceFileKey(SandboxId id) {
        InspectContainerResponse container = running(id);
        boolean hasWorkspace =
                Objects.requireNonNullElse(container.getMounts(), List.<InspectContainerResponse.Mount>of()).stream()
                        .anyMatch(mount -> mount.getDestination() != null
                                && ContainerConfig.WORKSPACE.equals(
                                        mount.getDestination().getPath()));
        if (!hasWorkspace) {
            return Optional.empty();
        }
        long pid = pid(container);
        try {
            FileKey key = FileKey.of(Path.of("/proc", Long.toString(pid), "root" + ContainerConfig.WORKSPACE));
            // The number could have gone to another process meanwhile.
            requireOwned(pid, container);
            return Optional.of(key);
        } catch (IOException e) {
            throw new SandboxException.Unverifiable(
                    "what it sees at %s cannot be looked at (expected: a gateway that is root, or the child's own user)"
                            .formatted(ContainerConfig.WORKSPACE),
                    e);
        }
    }

    @Override
    public List<Enforcement> enforcements(SandboxId id) {
        InspectContainerResponse container = running(id);
        long pid = pid(container);
        List<Enforcement> enforcements = new Enforcements(kernel, volumes.loops(), container, pid).read();
        requireOwned(pid, container);
        return enforcements;
    }

    private InspectContainerResponse running(SandboxId id) {
        InspectContainerResponse container = find(id).flatMap(this::look)
                .filter(found -> state(found) instanceof SandboxState.Running)
                .orElseThrow(() -> new SandboxException.Unverifiable("it does not run", null));
        requireOwned(pid(container), container);
        return container;
    }

    private void requireOwned(long pid, InspectContainerResponse container) {
        if (pid < 1 || !kernel.owns(pid, container.getId())) {
            throw new SandboxException.Unverifiable(
                    "its processes are not visible (expected: a gateway on the engine's host that still runs it)",
                    null);
        }
    }

    private static long pid(InspectContainerResponse container) {
        @Nullable Long pid = container.getState().getPidLong();
        return pid == null ? 0 : pid;
    }

    @Override
    public void createVolume(VolumeId volume, ImageId image, SandboxUser owner, long bytes) {
        volumes.create(volume, image, owner, bytes);
    }

    @Override
    public void removeVolume(VolumeId volume) {
        volumes.remove(volume);
    }

    @Override
    public List<VolumeId> volumes() {
        return volumes.list();
    }

    @Override
    public void salvage(VolumeId volume, ImageId image, SandboxUser owner, OutputStream tar) throws IOException {
        requireImage(image);
        volumes.salvage(volume, image, owner, tar);
    }
}
