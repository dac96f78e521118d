package dev.sallyport.gateway.workspace;

import static java.nio.file.LinkOption.NOFOLLOW_LINKS;
import static java.nio.file.StandardOpenOption.CREATE_NEW;
import static java.nio.file.StandardOpenOption.READ;
import static java.nio.file.StandardOpenOption.WRITE;

import dev.sallyport.gateway.workspace.WorkspaceException.Refused;
import java.io.Closeable;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.nio.channels.FileChannel;
import java.nio.channels.SeekableByteChannel;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.SecureDirectoryStream;
import java.nio.file.attribute.BasicFileAttributeView;
import java.nio.file.attribute.PosixFileAttributeView;
import java.nio.file.attribute.PosixFileAttributes;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * An open directory. What is reached through it is reached from its descriptor and never through a link, so that nobody
 * who swaps a directory or plants a link changes what is read, or where something is written.
 */
final class HeldDirectory implements Closeable {

    private final SecureDirectoryStream<Path> directory;
    private final String shown;
    private @Nullable List<String> names;

    private HeldDirectory(DirectoryStream<Path> directory, String shown) {
        if (!(directory instanceof SecureDirectoryStream<Path> secure)) {
            throw new IllegalStateException("this platform cannot hold directories open (expected: Linux)");
        }
        this.directory = secure;
        this.shown = shown;
    }

    /** Opens a path that has been resolved before: a link in it by now is a refusal. */
    @SuppressWarnings("StreamResourceLeak") // closed with what holds it
    static HeldDirectory open(Path resolved) throws IOException {
        HeldDirectory held = new HeldDirectory(Files.newDirectoryStream(resolved.getRoot()), "/");
        for (Path name : resolved) {
            try (HeldDirectory parent = held) {
                held = parent.child(name.toString());
            }
        }
        return held;
    }

    HeldDirectory child(String name) throws IOException {
        PosixFileAttributes attributes = attributes(name).orElseThrow(() -> new NoSuchFileException(name));
        if (attributes.isSymbolicLink()) {
            throw linked(name);
        }
        return new HeldDirectory(directory.newDirectoryStream(Path.of(name), NOFOLLOW_LINKS), below(name));
    }

    /** Of the entry itself, not of what it points to. */
    Optional<PosixFileAttributes> attributes(String name) throws IOException {
        try {
            return Optional.of(view(name).readAttributes());
        } catch (NoSuchFileException e) {
            return Optional.empty();
        }
    }

    boolean contains(String name) throws IOException {
        return attributes(name).isPresent();
    }

    List<String> names() throws IOException {
        if (names == null) {
            names = new ArrayList<>();
            for (Path entry : directory) {
                names.add(entry.getFileName().toString());
            }
        }
        return names;
    }

    /** Empty where there is no such file; a refusal where it is anything but a regular file of at most {@code max} bytes. */
    Optional<byte[]> read(String name, int max) throws IOException {
        if (!isRegularFile(name)) {
            return Optional.empty();
        }
        try (InputStream in =
                Channels.newInputStream(directory.newByteChannel(Path.of(name), Set.of(READ, NOFOLLOW_LINKS)))) {
            byte[] content = in.readNBytes(max + 1);
            if (content.length > max) {
                throw new Refused(
                        WorkspaceRefusal.REPOSITORY_TOO_LARGE, "%s has more than %d bytes".formatted(shown(name), max));
            }
            return Optional.of(content);
        }
    }

    boolean isRegularFile(String name) throws IOException {
        Optional<PosixFileAttributes> attributes = attributes(name);
        if (attributes.isPresent() && !attributes.get().isRegularFile()) {
            throw attributes.get().isSymbolicLink()
                    ? linked(name)
                    : new Refused(WorkspaceRefusal.REPOSITORY_DAMAGED, shown(name) + " is not a file");
        }
        return attributes.isPresent();
    }

    /** A new file with the owner of this directory, on disk when this returns; fails where the name is taken. */
    void create(String name, String permissions, InputStream content) throws IOException {
        PosixFileAttributes owner = attributes();
        try (SeekableByteChannel channel = directory.newByteChannel(
                Path.of(name),
                Set.of(CREATE_NEW, WRITE, NOFOLLOW_LINKS),
                PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")))) {
            byte[] buffer = new byte[1 << 16];
            for (int n = content.read(buffer); n >= 0; n = content.read(buffer)) {
                ByteBuffer rest = ByteBuffer.wrap(buffer, 0, n);
                while (rest.hasRemaining()) {
                    channel.write(rest);
                }
            }
            PosixFileAttributeView view = view(name);
            PosixFileAttributes made = view.readAttributes();
            if (!made.group().equals(owner.group())) {
                view.setGroup(owner.group());
            }
            if (!made.owner().equals(owner.owner())) {
                view.setOwner(owner.owner());
            }
            view.setPermissions(PosixFilePermissions.fromString(permissions));
            ((FileChannel) channel).force(true);
        }
    }

    /** Replaces {@code to}. */
    void rename(String from, String to) throws IOException {
        directory.move(Path.of(from), directory, Path.of(to));
    }

    void deleteIfExists(String name) throws IOException {
        try {
            directory.deleteFile(Path.of(name));
        } catch (NoSuchFileException e) {
            // Gone is what was wanted.
        }
    }

    /** Makes renames in this directory survive a power failure. */
    void sync() throws IOException {
        try (FileChannel channel = FileChannel.open(descriptor(), READ)) {
            channel.force(true);
        }
    }

    PosixFileAttributes attributes() throws IOException {
        return directory.getFileAttributeView(PosixFileAttributeView.class).readAttributes();
    }

    /** Device and inode. */
    Object key() throws IOException {
        return Objects.requireNonNull(attributes().fileKey());
    }

    /** A path for libraries that want one; it leads to this very directory for as long as it is held. */
    Path descriptor() throws IOException {
        return descriptor(descriptors());
    }

    Path descriptor(Map<Object, Path> descriptors) throws IOException {
        return Objects.requireNonNull(descriptors.get(key()), "/proc/self/fd does not list " + shown);
    }

    /** Every directory that this process holds, by device and inode. */
    static Map<Object, Path> descriptors() throws IOException {
        Map<Object, Path> open = new HashMap<>();
        try (DirectoryStream<Path> descriptors = Files.newDirectoryStream(Path.of("/proc/self/fd"))) {
            for (Path descriptor : descriptors) {
                Object key = keyOf(descriptor);
                if (key != null) {
                    open.put(key, descriptor);
                }
            }
        }
        return open;
    }

    private static @Nullable Object keyOf(Path descriptor) throws IOException {
        try {
            return Files.getFileAttributeView(descriptor, BasicFileAttributeView.class)
                    .readAttributes()
                    .fileKey();
        } catch (NoSuchFileException e) {
            return null;
        }
    }

    private PosixFileAttributeView view(String name) {
        return directory.getFileAttributeView(Path.of(name), PosixFileAttributeView.class, NOFOLLOW_LINKS);
    }

    private Refused linked(String name) {
        return new Refused(WorkspaceRefusal.REPOSITORY_LINKED, shown(name) + " is a symbolic link");
    }

    private String shown(String name) {
        return Quoted.name(below(name));
    }

    private String below(String name) {
        return Path.of(shown, name).toString();
    }

    @Override
    public void close() throws IOException {
        directory.close();
    }
}
