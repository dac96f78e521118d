package dev.sallyport.memory;

import dev.sallyport.text.SafeName;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.Optional;

/** A memory as files (authority.md 9). Links in its place are never followed. */
public record MemoryDirectory(Path path) {

    /** An index of more bytes counts as unreadable. */
    public static final int MAX_INDEX_BYTES = 1 << 20;

    /**
     * Where the memory of an agent is.
     *
     * @param project directory that the project's settings come from
     * @throws IllegalArgumentException if the agent's name cannot be part of a path
     */
    public static MemoryDirectory of(MemoryScope scope, String agent, Path home, Path agentDirectory, Path project) {
        if (!SafeName.isSafe(agent)) {
            throw new IllegalArgumentException(
                    "memory of agent `%s` (expected: a name of 1 to 128 letters, digits, . _ -)".formatted(agent));
        }
        return new MemoryDirectory(
                switch (scope) {
                    case USER -> user(agent, home, agentDirectory);
                    case PROJECT -> project.resolve(".pi/agent-memory").resolve(agent);
                    case LOCAL -> project.resolve(".pi/agent-memory-local").resolve(agent);
                });
    }

    private static Path user(String agent, Path home, Path agentDirectory) {
        Path now = agentDirectory.resolve("agent-memory").resolve(agent);
        Path before = home.resolve(".pi/agent-memory").resolve(agent);
        return !Files.exists(now) && Files.exists(before) && !Files.isSymbolicLink(before) ? before : now;
    }

    /** Makes the directory unless it is there; refuses a link. */
    public void create() throws IOException {
        if (Files.isSymbolicLink(path)) {
            throw new IOException("memory `%s` is a link".formatted(path));
        }
        Files.createDirectories(path);
    }

    /** The text of the index; empty if it, or the directory, is a link, is not there or cannot be read. */
    public Optional<String> index() {
        Path file = path.resolve(MemoryIndex.FILE);
        // Opening a FIFO would wait for a writer.
        if (Files.isSymbolicLink(path) || !Files.isRegularFile(file, LinkOption.NOFOLLOW_LINKS)) {
            return Optional.empty();
        }
        try (InputStream in = Files.newInputStream(file, LinkOption.NOFOLLOW_LINKS)) {
            byte[] bytes = in.readNBytes(MAX_INDEX_BYTES + 1);
            return bytes.length > MAX_INDEX_BYTES
                    ? Optional.empty()
                    : Optional.of(new String(bytes, StandardCharsets.UTF_8));
        } catch (IOException e) {
            return Optional.empty();
        }
    }
}
