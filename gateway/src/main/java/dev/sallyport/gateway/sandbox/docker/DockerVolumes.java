package dev.sallyport.gateway.sandbox.docker;

import com.github.dockerjava.api.DockerClient;
import com.github.dockerjava.api.command.CreateContainerCmd;
import com.github.dockerjava.api.command.InspectContainerResponse;
import com.github.dockerjava.api.command.InspectVolumeResponse;
import com.github.dockerjava.api.exception.NotFoundException;
import com.github.dockerjava.api.model.Container;
import com.github.dockerjava.api.model.Frame;
import com.github.dockerjava.api.model.StreamType;
import com.github.dockerjava.api.model.WaitResponse;
import dev.sallyport.gateway.sandbox.ImageId;
import dev.sallyport.gateway.sandbox.SandboxException;
import dev.sallyport.gateway.sandbox.SandboxUser;
import dev.sallyport.gateway.sandbox.VolumeId;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** The volumes of one installation: bounded by a loop device where that is possible, else plain directories of the engine. */
final class DockerVolumes {

    private static final String DEVICE = "device";
    private static final long HELPER_MINUTES = 10;
    private static final int MAX_COMPLAINT = 2_000;

    private final DockerEngine engine;
    private final DockerClient docker;
    private final Labels labels;
    private final ContainerConfig config;
    private final LoopVolumes loops;

    DockerVolumes(DockerEngine engine, Labels labels, ContainerConfig config, LoopVolumes loops) {
        this.engine = engine;
        this.docker = engine.client();
        this.labels = labels;
        this.config = config;
        this.loops = loops;
    }

    LoopVolumes loops() {
        return loops;
    }

    /** Why volumes cannot be bounded; empty if they can. */
    private String unbounded() {
        return engine.userNamespaces() ? "the engine maps users" : loops.unavailable();
    }

    void create(VolumeId volume, ImageId image, SandboxUser owner, long bytes) {
        if (find(volume).isPresent()) {
            attach(volume);
            return;
        }
        if (unbounded().isEmpty()) {
            define(volume, device(() -> loops.attach(labels.name(volume), owner, bytes)));
        } else {
            define(volume, Map.of());
            handOver(volume, image, owner);
        }
    }

    private void define(VolumeId volume, Map<String, String> options) {
        engine.ask(() -> docker.createVolumeCmd()
                .withName(labels.name(volume))
                .withLabels(labels.of(volume))
                .withDriver("local")
                .withDriverOpts(options)
                .exec());
    }

    private interface Attachment {
        String device() throws IOException;
    }

    private static Map<String, String> device(Attachment attachment) {
        try {
            return new TreeMap<>(Map.of("type", "ext4", DEVICE, attachment.device(), "o", "nosuid,nodev"));
        } catch (IOException e) {
            throw new SandboxException.Rejected("no volume: " + e.getMessage(), e);
        }
    }

    /**
     * Makes an existing volume ready to be mounted. After a restart of the host its device may be another one, and the old
     * number another file's.
     *
     * @throws SandboxException.Rejected if there is none; the engine would make an unbounded one of root's by itself
     */
    void attach(VolumeId volume) {
        InspectVolumeResponse found =
                find(volume).orElseThrow(() -> new SandboxException.Rejected("no volume " + volume, null));
        Map<String, String> options = Objects.requireNonNullElse(found.getOptions(), Map.of());
        if (!options.containsKey(DEVICE)) {
            return;
        }
        Map<String, String> current = device(() -> loops.attach(labels.name(volume)));
        if (!Objects.equals(options.get(DEVICE), current.get(DEVICE))) {
            undefine(volume);
            define(volume, current);
        }
    }

    private void handOver(VolumeId volume, ImageId image, SandboxUser owner) {
        try {
            run(
                    config.handOver(docker.createContainerCmd(image.value()), volume, owner),
                    OutputStream.nullOutputStream());
        } catch (IOException | SandboxException e) {
            undefine(volume);
            throw new SandboxException.Rejected("no volume: it cannot be given to " + owner, e);
        }
    }

    void remove(VolumeId volume) {
        for (Container helper : engine.ask(() -> docker.listContainersCmd()
                .withShowAll(true)
                .withLabelFilter(labels.ofHelper(volume))
                .exec())) {
            discard(helper.getId());
        }
        undefine(volume);
        try {
            loops.delete(labels.name(volume));
        } catch (IOException e) {
            throw new SandboxException.Rejected("volume not removed: " + e.getMessage(), e);
        }
    }

    /** Takes the engine's record of it away, and what a plain one holds; a loop file stays. */
    private void undefine(VolumeId volume) {
        if (find(volume).isEmpty()) {
            return;
        }
        engine.ask(() -> {
            try {
                return docker.removeVolumeCmd(labels.name(volume)).exec();
            } catch (NotFoundException alreadyGone) {
                return null;
            }
        });
    }

    /** Those that the engine knows, and files that a crash left before it did. */
    List<VolumeId> list() {
        Collection<InspectVolumeResponse> known = engine.ask(() -> docker.listVolumesCmd()
                .withFilter("label", Labels.filter(labels.own()))
                .exec()
                .getVolumes());
        Stream<VolumeId> defined = (known == null ? List.<InspectVolumeResponse>of() : known)
                .stream().map(volume -> Labels.volume(volume.getLabels())).flatMap(Optional::stream);
        try {
            return Stream.concat(
                            defined, loops.names().stream().map(labels::volume).flatMap(Optional::stream))
                    .distinct()
                    .toList();
        } catch (IOException e) {
            throw new SandboxException.BackendUnavailable("the volume directory cannot be read", e);
        }
    }

    /** Ours only: a volume of that name without our labels is not there. */
    private Optional<InspectVolumeResponse> find(VolumeId volume) {
        return engine.ask(() -> {
                    try {
                        return Optional.of(
                                docker.inspectVolumeCmd(labels.name(volume)).exec());
                    } catch (NotFoundException none) {
                        return Optional.<InspectVolumeResponse>empty();
                    }
                })
                .filter(found -> labels.of(volume).equals(found.getLabels()));
    }

    void salvage(VolumeId volume, ImageId image, SandboxUser owner, OutputStream tar) throws IOException {
        attach(volume);
        run(config.salvage(docker.createContainerCmd(image.value()), volume, owner), tar);
    }

    /** Runs a helper to its end, and removes it. */
    private void run(CreateContainerCmd helper, OutputStream out) throws IOException {
        String container = engine.ask(() -> helper.exec().getId());
        try (Capture capture = new Capture(out)) {
            engine.ask(() -> docker.attachContainerCmd(container)
                    .withStdOut(true)
                    .withStdErr(true)
                    .withFollowStream(true)
                    .exec(capture));
            capture.awaitStart();
            engine.ask(() -> docker.startContainerCmd(container).exec());
            capture.awaitEnd(HELPER_MINUTES, TimeUnit.MINUTES);
            capture.rethrow();
            long exitCode = exitCode(container);
            if (exitCode != 0) {
                throw new SandboxException.Rejected(
                        "a volume's helper ended with %d: %s".formatted(exitCode, capture.complaint()), null);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new SandboxException.BackendUnavailable("interrupted", e);
        } finally {
            discard(container);
        }
    }

    /** The stream can end a moment before the engine has written down how the container did. */
    private long exitCode(String container) throws InterruptedException {
        try (Streaming<WaitResponse> exit =
                engine.ask(() -> docker.waitContainerCmd(container).exec(new Streaming<>()))) {
            exit.awaitEnd(HELPER_MINUTES, TimeUnit.MINUTES);
        }
        InspectContainerResponse.ContainerState state =
                engine.ask(() -> docker.inspectContainerCmd(container).exec()).getState();
        Long exitCode = state.getExitCodeLong();
        if (exitCode == null || !"exited".equals(state.getStatus())) {
            throw new SandboxException.Rejected("a volume's helper did not end", null);
        }
        return exitCode;
    }

    private void discard(String container) {
        try {
            engine.ask(() -> docker.removeContainerCmd(container)
                    .withForce(true)
                    .withRemoveVolumes(true)
                    .exec());
        } catch (SandboxException.Rejected alreadyGone) {
            // removed by somebody else, or being removed
        }
    }

    /** Standard output to a stream, standard error to a message. */
    private static final class Capture extends Streaming<Frame> {

        private final OutputStream out;
        private final ByteArrayOutputStream complaint = new ByteArrayOutputStream();
        private volatile @Nullable IOException failure;

        Capture(OutputStream out) {
            this.out = out;
        }

        @Override
        public void onNext(Frame frame) {
            if (frame.getStreamType() == StreamType.STDOUT) {
                write(frame.getPayload());
            } else if (complaint.size() < MAX_COMPLAINT) {
                complaint.writeBytes(frame.getPayload());
            }
        }

        private void write(byte[] bytes) {
            if (failure != null) {
                return;
            }
            try {
                out.write(bytes);
            } catch (IOException e) {
                failure = e;
                // Nobody takes the rest.
                close();
            }
        }

        void rethrow() throws IOException {
            IOException e = failure;
            if (e != null) {
                throw e;
            }
        }

        String complaint() {
            return complaint.toString(StandardCharsets.UTF_8).strip();
        }
    }
}
