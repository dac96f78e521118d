package dev.sallyport.gateway.door;

import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;

/**
 * Where the doors stand and how much one child may ask of its own.
 *
 * @param base parent of one directory per installation; absolute
 * @param requestsPerChild served at the same time; the next is a 429
 * @param connectionsPerChild open at the same time, tunnels included; the next is closed
 * @param bodyLimit bytes of one events or authorize request
 * @param modelBodyLimit bytes of one model request, and of one answer that is not streamed
 * @param bodyMemory bytes of heap that the requests of all children may take together; one child gets at most half
 * @param workspaceLimit bytes of one bundle
 * @param authorizeWait how long a tool call is held before the child must ask again
 * @param connectWait how long a CONNECT waits for people (S21)
 * @param connectTimeout for one address of an upstream
 * @param tunnelIdle without a byte in either direction
 */
public record DoorSettings(
        Path base,
        int requestsPerChild,
        int connectionsPerChild,
        int bodyLimit,
        int modelBodyLimit,
        long bodyMemory,
        long workspaceLimit,
        Duration authorizeWait,
        Duration connectWait,
        Duration connectTimeout,
        Duration tunnelIdle) {

    /** The kernel takes 107; what is left is for whoever mounts the directory elsewhere. */
    static final int LONGEST_PATH = 100;

    public DoorSettings {
        if (!base.isAbsolute()) {
            throw new IllegalArgumentException("door directory: `%s` (expected: an absolute path)".formatted(base));
        }
        if (requestsPerChild < 1 || connectionsPerChild < 1) {
            throw new IllegalArgumentException("requests and connections per child (expected: at least 1)");
        }
    }

    public static DoorSettings of(Path base) {
        return new DoorSettings(
                base,
                64,
                256,
                1 << 20,
                32 << 20,
                Runtime.getRuntime().maxMemory() / 4,
                512L << 20,
                Duration.ofSeconds(25),
                Duration.ofSeconds(20),
                Duration.ofSeconds(10),
                Duration.ofMinutes(10));
    }

    static int bytes(Path path) {
        return path.toString().getBytes(StandardCharsets.UTF_8).length;
    }
}
