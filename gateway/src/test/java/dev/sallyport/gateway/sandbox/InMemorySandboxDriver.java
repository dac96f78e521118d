package dev.sallyport.gateway.sandbox;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** A driver without a backend. A test says when sandboxes end, what is mounted in them, and when the engine is down. */
public final class InMemorySandboxDriver implements SandboxDriver {

    public static final ImageId IMAGE = new ImageId("sha256:" + "a".repeat(64));

    /** What several installations share. */
    public static final class Engine {

        private final Map<String, Map<SandboxId, Box>> boxes = new HashMap<>();
        private final Map<String, Map<VolumeId, String>> volumes = new HashMap<>();
        private final Map<SandboxId, Integer> exits = new HashMap<>();
        private boolean down;
    }

    private static final class Box {

        private final SandboxSpec spec;
        private SandboxState state = new SandboxState.Running();
        private @Nullable FileKey mounted;

        private Box(SandboxSpec spec) {
            this.spec = spec;
            this.mounted = spec.workspace() instanceof WorkspaceMount.Bind bind
                    ? bind.source().key()
                    : null;
        }
    }

    private final Engine engine;
    private final String installation;
    private final List<Enforcement> enforcements = new ArrayList<>(List.of(
            Enforcement.applied("memory", "limit read back"),
            Enforcement.applied("cpu", "limit read back"),
            Enforcement.applied("processes", "limit read back"),
            Enforcement.unavailable("disk", "no quota here"),
            Enforcement.applied("seccomp", "filter"),
            Enforcement.applied("network", "loopback only")));
    private final Map<VolumeId, Integer> larger = new HashMap<>();
    private final Set<SandboxId> stubborn = new HashSet<>();
    private @Nullable FileKey swapped;
    private boolean breaking;
    private boolean opaque;
    private @Nullable Runnable onList;
    private int created;
    private volatile Consumer<SandboxId> runner = _ -> {};

    public InMemorySandboxDriver(Engine engine, String installation) {
        this.engine = engine;
        this.installation = installation;
    }

    @Override
    public void create(SandboxSpec spec) {
        synchronized (engine) {
            requireUp();
            if (!spec.image().equals(IMAGE)) {
                throw new SandboxException.ImageNotFound(spec.image());
            }
            if (spec.workspace() instanceof WorkspaceMount.Volume(VolumeId volume)
                    && !mine(engine.volumes).containsKey(volume)) {
                throw new SandboxException.Rejected("no such volume: " + volume, null);
            }
            Box box = new Box(spec);
            if (mine(engine.boxes).putIfAbsent(spec.id(), box) != null) {
                throw new SandboxException.AlreadyExists(spec.id());
            }
            created++;
            if (box.mounted != null && swapped != null) {
                box.mounted = swapped;
            }
            Integer exit = engine.exits.remove(spec.id());
            if (exit != null) {
                box.state = new SandboxState.Exited(exit, false);
            }
            engine.notifyAll();
            if (breaking) {
                breaking = false;
                engine.down = true;
                throw new SandboxException.BackendUnavailable("the engine went down", null);
            }
        }
        runner.accept(spec.id());
    }

    @Override
    public SandboxState inspect(SandboxId id) {
        synchronized (engine) {
            requireUp();
            Box box = mine(engine.boxes).get(id);
            return box == null ? new SandboxState.Gone() : box.state;
        }
    }

    @Override
    public SandboxState.Ended awaitExit(SandboxId id) throws InterruptedException {
        synchronized (engine) {
            while (true) {
                if (!engine.down) {
                    Box box = mine(engine.boxes).get(id);
                    if (box == null) {
                        return new SandboxState.Gone();
                    }
                    if (box.state instanceof SandboxState.Ended ended) {
                        return ended;
                    }
                }
                engine.wait();
            }
        }
    }

    @Override
    public void remove(SandboxId id) {
        synchronized (engine) {
            requireUp();
            if (stubborn.contains(id)) {
                throw new SandboxException.NotRemoved(id, "it is stubborn");
            }
            mine(engine.boxes).remove(id);
            engine.notifyAll();
        }
    }

    @Override
    public List<SandboxId> list() {
        if (onList != null) {
            onList.run();
        }
        synchronized (engine) {
            requireUp();
            return List.copyOf(mine(engine.boxes).keySet());
        }
    }

    @Override
    public Optional<FileKey> workspaceFileKey(SandboxId id) {
        synchronized (engine) {
            return Optional.ofNullable(running(id).mounted);
        }
    }

    @Override
    public List<Enforcement> enforcements(SandboxId id) {
        synchronized (engine) {
            running(id);
            return List.copyOf(enforcements);
        }
    }

    @Override
    public void createVolume(VolumeId volume, ImageId image, SandboxUser owner, long bytes) {
        synchronized (engine) {
            requireUp();
            mine(engine.volumes).putIfAbsent(volume, "work of " + volume);
        }
    }

    @Override
    public void removeVolume(VolumeId volume) {
        synchronized (engine) {
            requireUp();
            requireUnused(volume);
            mine(engine.volumes).remove(volume);
        }
    }

    @Override
    public List<VolumeId> volumes() {
        synchronized (engine) {
            requireUp();
            return List.copyOf(mine(engine.volumes).keySet());
        }
    }

    @Override
    public void salvage(VolumeId volume, ImageId image, SandboxUser owner, OutputStream tar) throws IOException {
        String content;
        synchronized (engine) {
            requireUp();
            requireUnused(volume);
            content = mine(engine.volumes).get(volume);
        }
        if (content == null) {
            throw new SandboxException.Rejected("no such volume: " + volume, null);
        }
        tar.write(content.getBytes(StandardCharsets.UTF_8));
        for (int i = 0; i < larger.getOrDefault(volume, 0); i++) {
            tar.write(new byte[1 << 20]);
        }
    }

    private void requireUnused(VolumeId volume) {
        if (mine(engine.boxes).values().stream()
                .anyMatch(box -> box.spec.workspace().equals(new WorkspaceMount.Volume(volume)))) {
            throw new IllegalStateException("a sandbox still has the volume: " + volume);
        }
    }

    private Box running(SandboxId id) {
        requireUp();
        Box box = mine(engine.boxes).get(id);
        if (box == null || opaque || !(box.state instanceof SandboxState.Running)) {
            throw new SandboxException.Unverifiable("not running: " + id, null);
        }
        return box;
    }

    private void requireUp() {
        if (engine.down) {
            throw new SandboxException.BackendUnavailable("the engine is down", null);
        }
    }

    private <K, V> Map<K, V> mine(Map<String, Map<K, V>> all) {
        return all.computeIfAbsent(installation, _ -> new LinkedHashMap<>());
    }

    // What a test does to the backend.

    /** The sandbox ends, or will as soon as it is created. */
    public void exit(SandboxId id, int code) {
        end(id, new SandboxState.Exited(code, false));
    }

    public void oomKill(SandboxId id) {
        end(id, new SandboxState.Exited(137, true));
    }

    private void end(SandboxId id, SandboxState.Exited state) {
        synchronized (engine) {
            Box box = mine(engine.boxes).get(id);
            if (box == null) {
                engine.exits.put(id, state.exitCode());
            } else {
                box.state = state;
            }
            engine.notifyAll();
        }
    }

    /** Somebody else takes the sandbox away. */
    public void vanish(SandboxId id) {
        synchronized (engine) {
            mine(engine.boxes).remove(id);
            engine.notifyAll();
        }
    }

    public void down(boolean down) {
        synchronized (engine) {
            engine.down = down;
            engine.notifyAll();
        }
    }

    /** The next sandbox is made, and before anybody hears of it the engine goes down. */
    public void goDownAfterCreate() {
        synchronized (engine) {
            breaking = true;
        }
    }

    /** From now on sandboxes run and cannot be looked into. */
    public void opaque() {
        synchronized (engine) {
            opaque = true;
        }
    }

    /** What is done between a caller's wish for a list and the list. */
    public void onList(Runnable action) {
        onList = action;
    }

    public void stubborn(SandboxId id) {
        synchronized (engine) {
            stubborn.add(id);
        }
    }

    /** Lets the content of a volume grow. */
    public void fill(VolumeId volume, int mebibytes) {
        larger.put(volume, mebibytes);
    }

    /** From now on another directory than the checked one is found mounted. */
    public void swapWorkspaces(FileKey key) {
        synchronized (engine) {
            swapped = key;
        }
    }

    /** What runs in every sandbox from its start. */
    public void runner(Consumer<SandboxId> program) {
        runner = program;
    }

    /** A sandbox that no child asked for. */
    public void plant(SandboxSpec spec) {
        create(spec);
    }

    public Optional<SandboxSpec> spec(SandboxId id) {
        synchronized (engine) {
            return Optional.ofNullable(mine(engine.boxes).get(id)).map(box -> box.spec);
        }
    }

    public Set<Integer> uids() {
        synchronized (engine) {
            Set<Integer> uids = new TreeSet<>();
            mine(engine.boxes).values().forEach(box -> uids.add(box.spec.user().uid()));
            return uids;
        }
    }

    /** How many sandboxes were ever made. */
    public int created() {
        synchronized (engine) {
            return created;
        }
    }
}
