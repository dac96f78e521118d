package dev.sallyport.cli;

import static java.nio.file.LinkOption.NOFOLLOW_LINKS;

import java.io.Closeable;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.nio.channels.SeekableByteChannel;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.nio.file.SecureDirectoryStream;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributeView;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.PosixFileAttributeView;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.HashSet;
import java.util.HexFormat;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * A directory of the user's that a child's changes are written into. Every step goes by the handle of a directory that was opened without
 * following links, so that nothing that swaps a directory for a link meanwhile leads a write elsewhere.
 */
final class WorkingTree implements Closeable {

    private static final Set<PosixFilePermission> EXECUTE = PosixFilePermissions.fromString("--x--x--x");

    private final Path top;
    private final SecureDirectoryStream<Path> root;
    private final List<Path> made = new ArrayList<>();

    private WorkingTree(Path top, SecureDirectoryStream<Path> root) {
        this.top = top;
        this.root = root;
    }

    /** @throws Failure where the file system cannot do it safely */
    @SuppressWarnings("StreamResourceLeak") // the tree closes it
    static WorkingTree open(Path top) throws IOException {
        DirectoryStream<Path> stream = Files.newDirectoryStream(top);
        if (stream instanceof SecureDirectoryStream<Path> secure) {
            return new WorkingTree(top, secure);
        }
        stream.close();
        throw Failure.of(
                "apply-unsupported",
                "this system cannot write without following links",
                "merge the child's branch with git");
    }

    /**
     * Checks without writing that all changes can be made.
     *
     * @throws Failure naming the first that cannot
     */
    void check(List<Change> changes) throws IOException {
        Set<List<String>> paths = new HashSet<>();
        for (Change change : changes) {
            if (!paths.add(change.segments())) {
                throw Change.refused(change.path(), "it occurs twice");
            }
        }
        for (Change change : changes) {
            for (int length = 1; length < change.segments().size(); length++) {
                if (paths.contains(change.segments().subList(0, length))) {
                    throw Change.refused(change.path(), "a file of the same change is in its way");
                }
            }
            checkOne(change);
        }
    }

    private void checkOne(Change change) throws IOException {
        try (Folder folder = folder(change, false)) {
            folder.requireBase(change);
        } catch (NoSuchFileException e) {
            if (change.kind() != Change.Kind.ADDED) {
                throw Change.refused(change.path(), "it is not there any more");
            }
        }
    }

    /**
     * Makes all changes, or none: each new file is complete beside its place before the first is moved there, and each old one is kept
     * until the last is.
     */
    void apply(List<Change> changes) throws IOException {
        List<Step> steps = new ArrayList<>();
        try {
            for (Change change : changes) {
                steps.add(new Step(change, folder(change, change.kind() == Change.Kind.ADDED)));
            }
            for (Step step : steps) {
                step.stage();
            }
            for (Step step : steps) {
                step.replace();
            }
            for (Step step : steps) {
                step.forgetOld();
            }
        } catch (IOException | RuntimeException e) {
            for (Step step : steps.reversed()) {
                step.undo();
            }
            for (Path directory : made.reversed()) {
                Files.deleteIfExists(directory);
            }
            throw e;
        } finally {
            close(steps);
        }
    }

    @Override
    public void close() throws IOException {
        root.close();
    }

    /** @throws NoSuchFileException if a directory on the way is missing and is not to be made */
    private Folder folder(Change change, boolean make) throws IOException {
        List<String> parents = change.segments().subList(0, change.segments().size() - 1);
        List<SecureDirectoryStream<Path>> opened = new ArrayList<>();
        SecureDirectoryStream<Path> at = root;
        try {
            Path path = top;
            for (String name : parents) {
                path = path.resolve(name);
                at = open(at, Path.of(name), path, change, make);
                opened.add(at);
            }
            return new Folder(at, opened);
        } catch (IOException | RuntimeException e) {
            close(opened);
            throw e;
        }
    }

    private SecureDirectoryStream<Path> open(
            SecureDirectoryStream<Path> at, Path name, Path path, Change change, boolean make) throws IOException {
        try {
            return at.newDirectoryStream(name, NOFOLLOW_LINKS);
        } catch (NoSuchFileException e) {
            if (!make) {
                throw e;
            }
            // By its path, since no handle can make a directory. Opened by handle next, it is used only if it is where
            // it should be.
            Files.createDirectory(path);
            made.add(path);
            return at.newDirectoryStream(name, NOFOLLOW_LINKS);
        } catch (IOException e) {
            throw Change.refused(change.path(), "`%s` is a link or no directory".formatted(name));
        }
    }

    private static void close(List<? extends Closeable> streams) throws IOException {
        for (Closeable stream : streams) {
            stream.close();
        }
    }

    /** The directory of one file, held open. */
    private record Folder(SecureDirectoryStream<Path> stream, List<SecureDirectoryStream<Path>> opened)
            implements Closeable {

        /** @throws Failure unless the file is as the child found it */
        void requireBase(Change change) throws IOException {
            Path name = Path.of(change.segments().getLast());
            BasicFileAttributes found = attributes(name);
            if (change.kind() == Change.Kind.ADDED) {
                if (found != null) {
                    throw Change.refused(change.path(), "it is there already");
                }
                return;
            }
            if (found == null) {
                throw Change.refused(change.path(), "it is not there any more");
            }
            if (!found.isRegularFile()) {
                throw Change.refused(change.path(), "it is not a regular file");
            }
            if (!sha256(name).equals(change.oldSha256())) {
                throw Change.refused(change.path(), "it was changed since the child started");
            }
        }

        @Nullable BasicFileAttributes attributes(Path name) throws IOException {
            try {
                return stream.getFileAttributeView(name, BasicFileAttributeView.class, NOFOLLOW_LINKS)
                        .readAttributes();
            } catch (NoSuchFileException e) {
                return null;
            }
        }

        String sha256(Path name) throws IOException {
            try (SeekableByteChannel channel =
                            stream.newByteChannel(name, Set.of(StandardOpenOption.READ, NOFOLLOW_LINKS));
                    InputStream in = Channels.newInputStream(channel)) {
                MessageDigest digest = MessageDigest.getInstance("SHA-256");
                byte[] buffer = new byte[64 * 1024];
                for (int read = in.read(buffer); read >= 0; read = in.read(buffer)) {
                    digest.update(buffer, 0, read);
                }
                return HexFormat.of().formatHex(digest.digest());
            } catch (NoSuchAlgorithmException e) {
                throw new AssertionError("every JDK has SHA-256", e);
            }
        }

        @Override
        public void close() throws IOException {
            WorkingTree.close(opened);
        }
    }

    /** One change on its way. */
    private static final class Step implements Closeable {

        private final Change change;
        private final Folder folder;
        private final Path name;
        private final Path staged = Path.of(".sallyport-new-" + UUID.randomUUID());
        private final Path old = Path.of(".sallyport-old-" + UUID.randomUUID());
        private boolean hasStaged;
        private boolean hasOld;
        private boolean replaced;

        Step(Change change, Folder folder) {
            this.change = change;
            this.folder = folder;
            this.name = Path.of(change.segments().getLast());
        }

        void stage() throws IOException {
            if (change.content() == null) {
                return;
            }
            Set<OpenOption> options = Set.of(StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE, NOFOLLOW_LINKS);
            String permissions = change.executable() ? "rwxrwxrwx" : "rw-rw-rw-"; // less what the user's umask takes
            try (SeekableByteChannel out = folder.stream()
                    .newByteChannel(
                            staged,
                            options,
                            PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString(permissions)))) {
                hasStaged = true;
                for (ByteBuffer content = ByteBuffer.wrap(change.content()); content.hasRemaining(); ) {
                    out.write(content);
                }
            }
            if (change.kind() == Change.Kind.MODIFIED) {
                keepPermissions();
            }
        }

        private void keepPermissions() throws IOException {
            Set<PosixFilePermission> permissions =
                    EnumSet.copyOf(view(name).readAttributes().permissions());
            permissions.removeAll(EXECUTE);
            if (change.executable()) {
                permissions.addAll(EXECUTE);
            }
            view(staged).setPermissions(permissions);
        }

        private PosixFileAttributeView view(Path file) {
            return folder.stream().getFileAttributeView(file, PosixFileAttributeView.class, NOFOLLOW_LINKS);
        }

        void replace() throws IOException {
            folder.requireBase(change);
            if (change.kind() != Change.Kind.ADDED) {
                folder.stream().move(name, folder.stream(), old);
                hasOld = true;
            }
            if (hasStaged) {
                folder.stream().move(staged, folder.stream(), name);
                hasStaged = false;
                replaced = true;
            }
        }

        void undo() throws IOException {
            if (replaced) {
                folder.stream().deleteFile(name);
                replaced = false;
            }
            if (hasOld) {
                folder.stream().move(old, folder.stream(), name);
                hasOld = false;
            }
        }

        void forgetOld() throws IOException {
            if (hasOld) {
                folder.stream().deleteFile(old);
                hasOld = false;
            }
        }

        @Override
        public void close() throws IOException {
            if (hasStaged) {
                folder.stream().deleteFile(staged);
            }
            folder.close();
        }
    }
}
