package dev.sallyport.gateway.sandbox;

import dev.sallyport.gateway.sandbox.BindRefusal.Reason;
import java.io.IOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.Deque;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Decides which directories of the host children may be given.
 *
 * <p>All of it happens before the engine resolves the path again, as root, so none of it is enough without comparing
 * {@link BindSource#key} with what was mounted in the end (S5).
 */
public final class BindSources {

    /** What a child is to have of the directory. */
    public sealed interface Use {

        /** Reading only, as {@code user}. */
        record Read(SandboxUser user) implements Use {}

        /** The child runs as the directory's owner (S7). */
        record Write() implements Use {}
    }

    static final int MAX_FILES = 1_000_000;

    private static final int MAX_LINKS = 40;
    private static final int MAX_NAMED = 5;

    private final List<Path> roots;
    private final List<Path> reserved;
    private final BooleanSupplier userNamespaces;
    private final int maxFiles;

    /**
     * Sources for one tenant.
     *
     * @param roots the tenant's (S29), absolute; may be links themselves
     * @param reserved where this installation keeps its secrets; what lies in there or around it is refused
     * @param userNamespaces whether the engine maps users, so that a child's files would get a foreign owner; asked when it matters
     */
    public BindSources(List<Path> roots, List<Path> reserved, BooleanSupplier userNamespaces) {
        this(roots, reserved, userNamespaces, MAX_FILES);
    }

    BindSources(List<Path> roots, List<Path> reserved, BooleanSupplier userNamespaces, int maxFiles) {
        this.roots = List.copyOf(roots);
        this.reserved = List.copyOf(reserved);
        this.userNamespaces = userNamespaces;
        this.maxFiles = maxFiles;
    }

    /**
     * Decides about one directory.
     *
     * @param requested absolute; links in it are resolved first
     * @param childWritable the source of every mount that a live child can write
     */
    public BindSource check(Path requested, Use use, Collection<Path> childWritable) throws BindRefusal, IOException {
        if (!requested.isAbsolute()) {
            throw new IllegalArgumentException("directory: `%s` (expected: absolute)".formatted(requested));
        }
        Set<Path> linksIn = new LinkedHashSet<>();
        Path directory = resolve(requested, linksIn);
        // Before anything that tells whether it exists.
        requireBelowRoot(directory);
        if (!Files.isDirectory(directory, LinkOption.NOFOLLOW_LINKS)) {
            throw new BindRefusal(Reason.NOT_A_DIRECTORY, "not a directory: `%s`".formatted(requested));
        }
        Path mounted = whole(directory, linksIn, childWritable, requested);
        requireBelowRoot(mounted);
        requireNotReserved(mounted);
        Map<String, Object> attributes =
                Files.readAttributes(mounted, "unix:dev,ino,uid,gid,mode", LinkOption.NOFOLLOW_LINKS);
        int uid = number(attributes, "uid").intValue();
        int gid = number(attributes, "gid").intValue();
        if (use instanceof Use.Write) {
            if (userNamespaces.getAsBoolean()) {
                throw new BindRefusal(
                        Reason.USER_NAMESPACE,
                        "the engine maps users, so files written in `%s` would get a foreign owner".formatted(mounted));
            }
            requireOwner(mounted, uid, gid);
        }
        List<String> warnings = new ArrayList<>(inspect(mounted, use));
        if (!mounted.equals(directory) || childWritable.contains(mounted)) {
            warnings.add("a running child can write here: these children can talk");
        }
        return new BindSource(
                mounted,
                mounted.relativize(directory),
                new FileKey(
                        number(attributes, "dev").longValue(),
                        number(attributes, "ino").longValue()),
                uid,
                gid,
                warnings);
    }

    /**
     * As {@link Path#toRealPath}, and adds to {@code linksIn} each directory in which a link was followed: whoever can write
     * there chose where the path leads.
     */
    private static Path resolve(Path requested, Set<Path> linksIn) throws BindRefusal, IOException {
        Deque<Path> ahead = new ArrayDeque<>();
        requested.forEach(ahead::addLast);
        Path at = Objects.requireNonNull(requested.getRoot());
        int links = 0;
        while (!ahead.isEmpty()) {
            String name = ahead.removeFirst().toString();
            if (name.isEmpty() || name.equals(".")) {
                continue;
            }
            if (name.equals("..")) {
                at = at.getParent() == null ? at : at.getParent();
                continue;
            }
            Path next = at.resolve(name);
            if (!Files.isSymbolicLink(next)) {
                at = next;
                continue;
            }
            if (++links > MAX_LINKS) {
                throw new BindRefusal(Reason.NOT_A_DIRECTORY, "too many links in `%s`".formatted(requested));
            }
            linksIn.add(at);
            Path target = Files.readSymbolicLink(next);
            for (int i = target.getNameCount() - 1; i >= 0; i--) {
                ahead.addFirst(target.getName(i));
            }
            at = target.isAbsolute() ? Objects.requireNonNull(target.getRoot()) : at;
        }
        return at;
    }

    /** The directory itself, or the writable mount around it: what lies below that can be swapped at any time (S5). */
    private static Path whole(Path directory, Set<Path> linksIn, Collection<Path> childWritable, Path requested)
            throws BindRefusal {
        for (Path writable : childWritable) {
            if (writable.startsWith(directory) && !writable.equals(directory)) {
                throw new BindRefusal(
                        Reason.CHILD_WRITABLE,
                        "`%s` contains `%s`, which a running child can write".formatted(directory, writable));
            }
            for (Path in : linksIn) {
                if (in.startsWith(writable) && !directory.startsWith(writable)) {
                    throw new BindRefusal(
                            Reason.CHILD_WRITABLE,
                            "`%s` leads through a link in `%s`, which a running child can write"
                                    .formatted(requested, in));
                }
            }
        }
        return childWritable.stream()
                .filter(directory::startsWith)
                .min(Comparator.comparingInt(Path::getNameCount))
                .orElse(directory);
    }

    private void requireBelowRoot(Path directory) throws BindRefusal, IOException {
        for (Path root : roots) {
            if (Files.exists(root) && directory.startsWith(root.toRealPath())) {
                return;
            }
        }
        throw new BindRefusal(
                Reason.OUTSIDE_ROOTS, "`%s` is not below a workspace root (roots: %s)".formatted(directory, roots));
    }

    private void requireNotReserved(Path mounted) throws BindRefusal, IOException {
        for (Path secret : reserved) {
            Path real = Files.exists(secret) ? secret.toRealPath() : secret;
            if (mounted.startsWith(real) || real.startsWith(mounted)) {
                throw new BindRefusal(
                        Reason.RESERVED, "`%s` holds what this installation keeps to itself".formatted(mounted));
            }
        }
    }

    static void requireOwner(Path directory, int uid, int gid) throws BindRefusal {
        if (uid == 0 || gid == 0) {
            throw new BindRefusal(
                    Reason.ROOT_OWNED,
                    "`%s` belongs to %d:%d, and a child never runs as root or in its group"
                            .formatted(directory, uid, gid));
        }
    }

    /**
     * Refuses what would be more than files (S6): a host's socket can be talked to through a read-only mount, and a mount
     * below keeps its own rights.
     *
     * @return warnings
     */
    private List<String> inspect(Path directory, Use use) throws BindRefusal, IOException {
        for (Path point : MountTable.of("self").below(directory)) {
            throw new BindRefusal(Reason.MOUNT_POINT, "`%s` is a mount point".formatted(point));
        }
        Inspection inspection = new Inspection(directory, use);
        Files.walkFileTree(directory, inspection);
        if (inspection.refusal != null) {
            throw inspection.refusal;
        }
        return inspection.warnings();
    }

    private static Number number(Map<String, Object> attributes, String name) {
        return (Number) Objects.requireNonNull(attributes.get(name));
    }

    private final class Inspection extends SimpleFileVisitor<Path> {

        private final Path top;
        private final Use use;
        private final List<Path> unreadable = new ArrayList<>();
        private int files;
        private int unreadableFiles;
        private @Nullable BindRefusal refusal;

        Inspection(Path top, Use use) {
            this.top = top;
            this.use = use;
        }

        @Override
        public FileVisitResult preVisitDirectory(Path directory, BasicFileAttributes attributes) throws IOException {
            return count(directory);
        }

        @Override
        public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) throws IOException {
            if (attributes.isOther()) {
                return refuse(Reason.SPECIAL_FILE, "`%s` is a %s".formatted(file, kind(file)));
            }
            return attributes.isSymbolicLink() ? countOnly() : count(file);
        }

        @Override
        public FileVisitResult visitFileFailed(Path file, IOException e) {
            if (e instanceof NoSuchFileException) {
                return FileVisitResult.CONTINUE;
            }
            return refuse(Reason.UNREADABLE, "`%s` cannot be looked at".formatted(file));
        }

        private FileVisitResult count(Path file) throws IOException {
            if (!canRead(file)) {
                unreadableFiles++;
                if (unreadable.size() < MAX_NAMED) {
                    // The directory itself has no name of its own here.
                    unreadable.add(file.equals(top) ? Path.of(".") : top.relativize(file));
                }
            }
            return countOnly();
        }

        private FileVisitResult countOnly() {
            return ++files > maxFiles
                    ? refuse(Reason.TOO_MANY_FILES, "`%s` holds more than %d files".formatted(top, maxFiles))
                    : FileVisitResult.CONTINUE;
        }

        private FileVisitResult refuse(Reason reason, String message) {
            refusal = new BindRefusal(reason, message);
            return FileVisitResult.TERMINATE;
        }

        List<String> warnings() {
            return unreadableFiles == 0
                    ? List.of()
                    : List.of("the child cannot read %d of %d files, such as %s"
                            .formatted(unreadableFiles, files, unreadable));
        }

        /** By mode bits alone; an access control list may say otherwise. */
        private boolean canRead(Path file) throws IOException {
            return switch (use) {
                case Use.Write() -> true;
                case Use.Read(SandboxUser user) -> {
                    try {
                        yield BindSources.canRead(user, file);
                    } catch (NoSuchFileException gone) {
                        yield true;
                    }
                }
            };
        }
    }

    private static boolean canRead(SandboxUser user, Path file) throws IOException {
        Map<String, Object> attributes = Files.readAttributes(file, "unix:uid,gid,mode", LinkOption.NOFOLLOW_LINKS);
        int mode = number(attributes, "mode").intValue();
        int shift = number(attributes, "uid").intValue() == user.uid()
                ? 6
                : number(attributes, "gid").intValue() == user.gid() ? 3 : 0;
        int needed = (mode & 0170000) == 0040000 ? 05 : 04;
        return (mode >> shift & needed) == needed;
    }

    private static String kind(Path file) throws IOException {
        int mode = (Integer) Files.getAttribute(file, "unix:mode", LinkOption.NOFOLLOW_LINKS);
        return switch (mode & 0170000) {
            case 0140000 -> "socket";
            case 0010000 -> "FIFO";
            default -> "device";
        };
    }
}
