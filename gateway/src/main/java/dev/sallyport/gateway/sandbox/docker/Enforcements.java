package dev.sallyport.gateway.sandbox.docker;

import com.github.dockerjava.api.command.InspectContainerResponse;
import com.github.dockerjava.api.model.HostConfig;
import dev.sallyport.gateway.sandbox.Enforcement;
import dev.sallyport.gateway.sandbox.MountTable;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Reads back from the kernel what holds for one running container (S11). What cannot be read counts as not in force. */
final class Enforcements {

    private static final String RUNC = "runc";

    private final Kernel kernel;
    private final LoopVolumes loops;
    private final InspectContainerResponse container;
    private final HostConfig asked;
    private final long pid;

    Enforcements(Kernel kernel, LoopVolumes loops, InspectContainerResponse container, long pid) {
        this.kernel = kernel;
        this.loops = loops;
        this.container = container;
        this.asked = Objects.requireNonNull(container.getHostConfig());
        this.pid = pid;
    }

    List<Enforcement> read() {
        List<Enforcement> all = new ArrayList<>();
        Map<String, String> status = kernel.status(pid);
        Optional<MountTable> mounts = kernel.mounts(pid);
        if (RUNC.equals(asked.getRuntime())) {
            all.add(user(status));
            all.add(capabilities(status));
            all.add(of("no-new-privileges", "1".equals(status.get("NoNewPrivs")), "NoNewPrivs", status));
            all.add(of("seccomp", "2".equals(status.get("Seccomp")), "Seccomp", status));
            all.add(readOnlyRoot(mounts));
            all.add(network());
        } else {
            // The process that the host sees is the runtime's own, and says nothing about the child behind it.
            Stream.of("user", "capabilities", "no-new-privileges", "seccomp", "read-only-root", "network")
                    .map(name -> Enforcement.unavailable(name, "not visible from outside " + asked.getRuntime()))
                    .forEach(all::add);
        }
        all.add(memory());
        all.add(swap());
        all.add(cpu());
        all.add(processes());
        all.add(disk(mounts));
        all.add(
                kernel.mapsUsers(pid)
                        ? Enforcement.applied("user-namespace", "users are mapped")
                        : Enforcement.unavailable("user-namespace", "the engine maps no users"));
        return all;
    }

    private static Enforcement user(Map<String, String> status) {
        String uid = status.getOrDefault("Uid", "");
        String gid = status.getOrDefault("Gid", "");
        boolean root = Stream.of(uid, gid)
                .flatMap(ids -> Stream.of(ids.split("\\s+", -1)))
                .anyMatch(id -> id.isEmpty() || id.equals("0"));
        String groups = status.getOrDefault("Groups", "");
        return of(
                "user",
                !root && groups.matches("|" + gid.split("\\s+", -1)[0]),
                "uid %s, gid %s, groups [%s]".formatted(first(uid), first(gid), groups));
    }

    private static Enforcement capabilities(Map<String, String> status) {
        List<String> held = Stream.of("CapInh", "CapPrm", "CapEff", "CapBnd", "CapAmb")
                .filter(set -> !status.getOrDefault(set, "?").matches("0+"))
                .toList();
        return of("capabilities", held.isEmpty(), held.isEmpty() ? "none" : "held in " + held);
    }

    private static Enforcement readOnlyRoot(Optional<MountTable> mounts) {
        Optional<MountTable.Entry> root = mounts.flatMap(table -> table.at(Path.of("/")));
        return of(
                "read-only-root",
                root.filter(entry -> entry.mountOptions().contains("ro")).isPresent(),
                root.map(entry -> "mounted " + entry.mountOptions().getFirst()).orElse("not visible"));
    }

    private Enforcement network() {
        List<String> interfaces = kernel.interfaces(pid);
        return of("network", interfaces.equals(List.of("lo")), "interfaces " + interfaces);
    }

    private Enforcement memory() {
        return bounded("memory", asked.getMemory(), limit("memory", "memory.limit_in_bytes", "memory.max"), "bytes");
    }

    private Enforcement swap() {
        if (!kernel.hasSwap()) {
            return Enforcement.applied("swap", "the host has none");
        }
        // v1 counts memory and swap together, v2 swap alone.
        Optional<Long> v1 = kernel.limit(pid, container.getId(), "memory", "memory.memsw.limit_in_bytes", "-")
                .flatMap(Enforcements::number);
        Optional<Long> v2 = kernel.limit(pid, container.getId(), "-", "-", "memory.swap.max")
                .flatMap(Enforcements::number);
        boolean off = v1.filter(bytes -> bytes <= orZero(asked.getMemory())).isPresent()
                || v2.filter(bytes -> bytes == 0).isPresent();
        return of("swap", off, off ? "off" : "the kernel does not account for it");
    }

    private Enforcement cpu() {
        // v1 has quota and period in two files, v2 in one.
        Optional<String> v1 = kernel.limit(pid, container.getId(), "cpu", "cpu.cfs_quota_us", "-");
        Optional<String> period = kernel.limit(pid, container.getId(), "cpu", "cpu.cfs_period_us", "-");
        Optional<String> v2 = kernel.limit(pid, container.getId(), "-", "-", "cpu.max");
        String[] fraction = v1.isPresent() && period.isPresent()
                ? new String[] {v1.get(), period.get()}
                : v2.orElse("").split(" ", -1);
        Optional<Long> milli = fraction.length < 2
                ? Optional.empty()
                : number(fraction[0]).flatMap(quota -> number(fraction[1]).map(per -> quota * 1000 / per));
        return bounded("cpu", orZero(asked.getNanoCPUs()) / 1_000_000, milli, "thousandths");
    }

    private Enforcement processes() {
        return bounded("processes", asked.getPidsLimit(), limit("pids", "pids.max", "pids.max"), "processes");
    }

    private Enforcement disk(Optional<MountTable> mounts) {
        Optional<MountTable.Entry> workspace = mounts.flatMap(table -> table.at(Path.of(ContainerConfig.WORKSPACE)));
        if (workspace.isEmpty()) {
            return Enforcement.unavailable("disk", "the workspace is not visible");
        }
        MountTable.Entry entry = workspace.get();
        if (entry.type().equals("tmpfs") || entry.mountOptions().contains("ro")) {
            return Enforcement.applied("disk", "writes to memory only");
        }
        return loops.backs(entry.source())
                ? Enforcement.applied("disk", "a file system of its own")
                : Enforcement.unavailable("disk", "the workspace lies on a disk of the host");
    }

    private Optional<Long> limit(String controller, String v1, String v2) {
        return kernel.limit(pid, container.getId(), controller, v1, v2).flatMap(Enforcements::number);
    }

    /** The kernel rounds a limit down, never up. */
    private static Enforcement bounded(String name, @Nullable Long asked, Optional<Long> found, String unit) {
        return of(
                name,
                found.filter(limit -> limit > 0 && limit <= orZero(asked)).isPresent(),
                found.map(limit -> "%d %s".formatted(limit, unit))
                        .orElse("not a member of a control group with a limit"));
    }

    private static Enforcement of(String name, boolean applied, String field, Map<String, String> status) {
        return of(name, applied, "%s %s".formatted(field, status.getOrDefault(field, "not visible")));
    }

    private static Enforcement of(String name, boolean applied, String detail) {
        return applied ? Enforcement.applied(name, detail) : Enforcement.unavailable(name, detail);
    }

    private static String first(String numbers) {
        return numbers.split("\\s+", -1)[0];
    }

    private static long orZero(@Nullable Long value) {
        return value == null ? 0 : value;
    }

    /** Empty for `max`. */
    private static Optional<Long> number(String text) {
        try {
            return Optional.of(Long.parseLong(text));
        } catch (NumberFormatException unlimited) {
            return Optional.empty();
        }
    }
}
