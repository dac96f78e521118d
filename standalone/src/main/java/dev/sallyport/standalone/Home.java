package dev.sallyport.standalone;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.SecureRandom;
import java.util.Base64;

/**
 * The data directory of one installation, readable by its owner only: database, token and socket for the command line,
 * logs. Held under a lock, so that two processes never share one.
 */
final class Home implements AutoCloseable {

    private static final FileAttribute<?> OWNER_ONLY_DIRECTORY =
            PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------"));
    private static final FileAttribute<?> OWNER_ONLY_FILE =
            PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------"));

    private final Path directory;
    private final FileChannel lock;

    private Home(Path directory, FileChannel lock) {
        this.directory = directory;
        this.lock = lock;
    }

    /** @throws InUseException if another process holds this directory */
    static Home open(Path directory) throws IOException {
        Files.createDirectories(directory, OWNER_ONLY_DIRECTORY);
        Files.setPosixFilePermissions(directory, PosixFilePermissions.fromString("rwx------"));
        FileChannel channel =
                FileChannel.open(directory.resolve("lock"), StandardOpenOption.CREATE, StandardOpenOption.WRITE);
        FileLock held = channel.tryLock();
        if (held == null) {
            channel.close();
            throw new InUseException(directory);
        }
        return new Home(directory, channel);
    }

    static final class InUseException extends IOException {

        private static final long serialVersionUID = 1L;

        private InUseException(Path directory) {
            super("another sallyport uses the data directory: " + directory);
        }
    }

    Path resolve(String name) {
        return directory.resolve(name);
    }

    /** Replaces a file in one step, so that a reader sees the old or the new content and never a part. Mode 0600 (S22). */
    void write(String name, String content) throws IOException {
        Path fresh = directory.resolve(name + ".new");
        Files.deleteIfExists(fresh);
        Files.createFile(fresh, OWNER_ONLY_FILE);
        Files.writeString(fresh, content);
        Files.move(fresh, directory.resolve(name), StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
    }

    /** A secret made on first use and kept: base64 of 32 random bytes. */
    String secret(String name) throws IOException {
        Path file = directory.resolve(name);
        try {
            Files.createFile(file, OWNER_ONLY_FILE);
        } catch (FileAlreadyExistsException e) {
            String kept = Files.readString(file);
            if (!kept.isBlank()) {
                return kept;
            }
            // A crash between creating and writing: nothing was ever protected by an empty secret.
        }
        write(name, randomSecret());
        return Files.readString(file);
    }

    static String randomSecret() {
        byte[] bytes = new byte[32];
        new SecureRandom().nextBytes(bytes);
        return Base64.getEncoder().encodeToString(bytes);
    }

    @Override
    public void close() {
        try {
            Files.deleteIfExists(directory.resolve("endpoint.json"));
            lock.close();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
