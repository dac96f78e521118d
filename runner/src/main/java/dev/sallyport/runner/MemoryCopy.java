package dev.sallyport.runner;

import dev.sallyport.runner.door.Answer;
import dev.sallyport.runner.door.Assignment;
import dev.sallyport.runner.door.Door;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * The child's copy of what its agent remembers (authority.md §9), and its way back. No link is followed on it: what is kept
 * is what lies there, or nothing.
 */
final class MemoryCopy {

    /** Bytes that are read; the gateway takes fewer. */
    private static final int MOST = 512 << 10;

    private static final int MOST_FILES = 1000;

    private final Path directory;
    private final boolean writes;
    private SortedMap<String, String> given = new TreeMap<>();

    MemoryCopy(Assignment.Memory memory) {
        this.directory = Path.of(memory.directory());
        this.writes = memory.writes();
    }

    void prepare(Door door) throws IOException, InterruptedException {
        given = door.fetchMemory();
        Files.createDirectories(directory);
        for (var file : given.entrySet()) {
            Path path = directory.resolve(file.getKey()).normalize();
            if (!path.startsWith(directory) || path.equals(directory)) {
                throw new IOException("memory: `%s` is no file of it".formatted(file.getKey()));
            }
            Files.createDirectories(path.getParent());
            Files.writeString(path, file.getValue());
        }
    }

    /**
     * Sends back what is there now.
     *
     * @return the door's answer; empty if there is nothing new, or nothing may be
     * @throws IOException that says what cannot be kept
     */
    Optional<Answer> deliver(Door door) throws IOException, InterruptedException {
        if (!writes) {
            return Optional.empty();
        }
        SortedMap<String, String> now = now();
        return now.equals(given) ? Optional.empty() : Optional.of(door.keepMemory(now));
    }

    private SortedMap<String, String> now() throws IOException {
        SortedMap<String, String> files = new TreeMap<>();
        if (Files.notExists(directory, LinkOption.NOFOLLOW_LINKS)) {
            return files;
        }
        if (!Files.isDirectory(directory, LinkOption.NOFOLLOW_LINKS)) {
            throw new IOException("memory: %s is no directory any more".formatted(directory));
        }
        Files.walkFileTree(directory, new SimpleFileVisitor<>() {
            private int left = MOST;

            @Override
            public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) throws IOException {
                String name = directory.relativize(file).toString();
                if (!attributes.isRegularFile()) {
                    throw new IOException("memory: `%s` is no regular file".formatted(name));
                }
                if (files.size() == MOST_FILES) {
                    throw new IOException("memory: more than %d files".formatted(MOST_FILES));
                }
                byte[] bytes = read(file, left + 1);
                left -= bytes.length;
                if (left < 0) {
                    throw new IOException("memory: more than %d bytes".formatted(MOST));
                }
                files.put(name, text(name, bytes));
                return FileVisitResult.CONTINUE;
            }
        });
        return files;
    }

    /** A program that is still there may have put a link in its place. */
    private static byte[] read(Path file, int most) throws IOException {
        try (InputStream in = Files.newInputStream(file, LinkOption.NOFOLLOW_LINKS)) {
            return in.readNBytes(most);
        }
    }

    private static String text(String name, byte[] bytes) throws IOException {
        try {
            return StandardCharsets.UTF_8
                    .newDecoder()
                    .decode(ByteBuffer.wrap(bytes))
                    .toString();
        } catch (CharacterCodingException e) {
            throw new IOException("memory: `%s` is not UTF-8".formatted(name));
        }
    }
}
