package dev.sallyport.gateway.door;

import static java.nio.file.LinkOption.NOFOLLOW_LINKS;

import dev.sallyport.identity.ChildId;
import dev.sallyport.identity.InstallationId;
import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Stream;

/**
 * {@code <base>/<installation>/<child>/door.sock} (S9). Only the gateway's user can enter the parents, so nobody else on
 * the host reaches a socket by its path; the child reaches its own through a read-only mount.
 */
final class DoorDirectory {

    static final String SOCKET = "door.sock";

    private static final int TYPE_MASK = 0170000;
    private static final int SOCKET_TYPE = 0140000;
    private static final int DIRECTORY_TYPE = 0040000;
    private static final int WRITABLE_BY_OTHERS = 0022;

    private final ChildId child;
    private final Path path;

    private DoorDirectory(ChildId child, Path path) {
        this.child = child;
        this.path = path;
    }

    /**
     * Makes the parents of every child's directory.
     *
     * @throws IllegalArgumentException if a socket path would be too long
     * @throws IOException also if a parent is there already and is a link, another user's, or open to others
     */
    static Path prepare(Path base, InstallationId installation) throws IOException {
        Path parent = base.resolve(installation.value());
        Path longest = parent.resolve("0".repeat(installation.value().length())).resolve(SOCKET);
        if (DoorSettings.bytes(longest) > DoorSettings.LONGEST_PATH) {
            throw new IllegalArgumentException(
                    "door directory: `%s` (expected: a socket path of at most %d bytes, this gives %d)"
                            .formatted(base, DoorSettings.LONGEST_PATH, DoorSettings.bytes(longest)));
        }
        if (base.getParent() != null) {
            Files.createDirectories(base.getParent());
        }
        makePrivate(base);
        makePrivate(parent);
        return parent;
    }

    static DoorDirectory of(Path parent, ChildId child) {
        return new DoorDirectory(child, parent.resolve(child.value()));
    }

    Path path() {
        return path;
    }

    Path socket() {
        return path.resolve(SOCKET);
    }

    void create() throws IOException {
        Files.createDirectory(path, PosixFilePermissions.asFileAttribute(permissions("rwx------")));
        Files.setPosixFilePermissions(path, permissions("rwxr-xr-x"));
    }

    /** To be called after bind: until then nobody but the gateway's user could connect. */
    void openToChild() throws IOException {
        Files.setPosixFilePermissions(socket(), permissions("rw-rw-rw-"));
    }

    /**
     * Unlinks the socket of an earlier gateway, so that this one can bind.
     *
     * @throws DoorException.Tampered unless the directory is ours and holds our socket or nothing
     */
    void takeOver() throws IOException {
        try {
            requireOurs(path, DIRECTORY_TYPE, "directory");
            try (Stream<Path> found = Files.list(path)) {
                for (Path entry : found.toList()) {
                    if (!entry.equals(socket())) {
                        throw new DoorException.Tampered(
                                child,
                                "unexpected file "
                                        + Names.shown(entry.getFileName().toString()));
                    }
                    requireOurs(entry, SOCKET_TYPE, "socket");
                }
            }
        } catch (NoSuchFileException e) {
            throw new DoorException.Tampered(child, "directory is missing");
        }
        Files.deleteIfExists(socket());
    }

    void remove() throws IOException {
        Files.deleteIfExists(socket());
        Files.deleteIfExists(path);
    }

    private void requireOurs(Path file, int type, String expected) throws IOException {
        Map<String, Object> found = Files.readAttributes(file, "unix:mode,uid", NOFOLLOW_LINKS);
        int mode = (Integer) Objects.requireNonNull(found.get("mode"));
        if ((mode & TYPE_MASK) != type) {
            throw new DoorException.Tampered(child, "not a %s any more: %s".formatted(expected, file.getFileName()));
        }
        if (!Objects.equals(found.get("uid"), ownUid())) {
            throw new DoorException.Tampered(child, "%s has another owner".formatted(expected));
        }
    }

    private static void makePrivate(Path directory) throws IOException {
        try {
            Files.createDirectory(directory, PosixFilePermissions.asFileAttribute(permissions("rwx------")));
        } catch (FileAlreadyExistsException e) {
            Map<String, Object> found = Files.readAttributes(directory, "unix:mode,uid", NOFOLLOW_LINKS);
            int mode = (Integer) Objects.requireNonNull(found.get("mode"));
            if ((mode & TYPE_MASK) != DIRECTORY_TYPE || !Objects.equals(found.get("uid"), ownUid())) {
                throw new IOException(
                        "door directory: `%s` (expected: a directory of the gateway's user)".formatted(directory), e);
            }
            if ((mode & WRITABLE_BY_OTHERS) != 0) {
                throw new IOException(
                        "door directory: `%s` (expected: writable by nobody else)".formatted(directory), e);
            }
            Files.setPosixFilePermissions(directory, permissions("rwx------"));
        }
    }

    /** {@code /proc/self} belongs to whoever the kernel takes this process for. */
    private static Object ownUid() throws IOException {
        return Objects.requireNonNull(Files.getAttribute(Path.of("/proc/self"), "unix:uid"));
    }

    private static Set<PosixFilePermission> permissions(String text) {
        return PosixFilePermissions.fromString(text);
    }

    /** Directories that some gateway of this installation left, for the reaper. */
    static List<String> names(Path parent) throws IOException {
        try (Stream<Path> found = Files.list(parent)) {
            return found.map(entry -> entry.getFileName().toString()).sorted().toList();
        }
    }
}
