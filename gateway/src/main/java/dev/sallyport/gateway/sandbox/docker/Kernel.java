package dev.sallyport.gateway.sandbox.docker;

import dev.sallyport.gateway.sandbox.MountTable;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;

/**
 * What the kernel of this host says about containers. It is the engine's kernel only if both run on one machine, so
 * nothing is believed of a process before it is known to be the container's.
 */
final class Kernel {

    private final Path proc;

    Kernel() {
        this(Path.of("/proc"));
    }

    Kernel(Path proc) {
        this.proc = proc;
    }

    /** Whether a process is one of a container. A runtime that keeps out of control groups is known by its arguments. */
    boolean owns(long pid, String container) {
        return read(pid, "cgroup").contains(container) || read(pid, "cmdline").contains(container);
    }

    /** Every process in the control groups of a container, also those that outlived it. */
    List<Long> processes(String container) {
        List<Long> pids = new ArrayList<>();
        try (DirectoryStream<Path> entries = Files.newDirectoryStream(proc, "[0-9]*")) {
            for (Path entry : entries) {
                long pid = Long.parseLong(entry.getFileName().toString());
                if (read(pid, "cgroup").contains(container)) {
                    pids.add(pid);
                }
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return pids;
    }

    /** The fields of {@code /proc/<pid>/status}. */
    Map<String, String> status(long pid) {
        return read(pid, "status")
                .lines()
                .map(line -> line.split(":\\s*", 2))
                .filter(field -> field.length == 2)
                .collect(Collectors.toMap(field -> field[0], field -> field[1].strip(), (first, _) -> first));
    }

    /** Network interfaces that a process can see. */
    List<String> interfaces(long pid) {
        return read(pid, "net/dev")
                .lines()
                .skip(2)
                .map(line -> line.substring(0, line.indexOf(':')).strip())
                .toList();
    }

    Optional<MountTable> mounts(long pid) {
        try {
            return Optional.of(MountTable.of(Long.toString(pid)));
        } catch (IOException gone) {
            return Optional.empty();
        }
    }

    /** Whether a process sees users as the host does. */
    boolean mapsUsers(long pid) {
        return !read(pid, "uid_map").strip().matches("0\\s+0\\s+4294967295");
    }

    boolean hasSwap() {
        return file(proc.resolve("swaps")).lines().skip(1).findAny().isPresent();
    }

    /**
     * A value that bounds the control group of a process, where it is a member of a group of its container.
     *
     * @param controller of cgroup v1
     * @return empty if it is not a member, or the value cannot be seen from here
     */
    Optional<String> limit(long pid, String container, String controller, String v1, String v2) {
        for (String line : read(pid, "cgroup").lines().toList()) {
            String[] fields = line.split(":", 3);
            boolean unified = fields[1].isEmpty();
            if (!fields[2].contains(container)
                    || !(unified || List.of(fields[1].split(",", -1)).contains(controller))) {
                continue;
            }
            Optional<String> value = controlGroups(unified ? "" : controller)
                    .map(top -> top.resolve("." + fields[2]).resolve(unified ? v2 : v1))
                    .map(Kernel::file)
                    .map(String::strip)
                    .filter(text -> !text.isEmpty());
            if (value.isPresent()) {
                return value;
            }
        }
        return Optional.empty();
    }

    private static Optional<Path> controlGroups(String controller) {
        try {
            return MountTable.of("self").entries().stream()
                    .filter(entry -> entry.root().equals(Path.of("/")))
                    .filter(entry -> controller.isEmpty()
                            ? entry.type().equals("cgroup2")
                            : entry.type().equals("cgroup")
                                    && entry.superOptions().contains(controller))
                    .map(MountTable.Entry::point)
                    .findFirst();
        } catch (IOException e) {
            return Optional.empty();
        }
    }

    private String read(long pid, String name) {
        return file(proc.resolve(Long.toString(pid)).resolve(name));
    }

    /** A process can end at any time; then there is nothing to read, and nothing is what every caller fails closed on. */
    private static String file(Path path) {
        try {
            return Files.readString(path);
        } catch (IOException gone) {
            return "";
        }
    }
}
