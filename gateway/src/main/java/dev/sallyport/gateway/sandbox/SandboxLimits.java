package dev.sallyport.gateway.sandbox;

/**
 * The most that one sandbox may use at a time. How long it may live is not the backend's matter.
 *
 * @param cpuMillis thousandths of one CPU
 * @param memoryBytes including what lies in {@code /tmp} and the home directory; there is no swap
 * @param processes processes and threads together
 * @param diskBytes capacity of the volume, and the size limit of any one file
 */
public record SandboxLimits(long cpuMillis, long memoryBytes, int processes, long diskBytes) {

    public SandboxLimits {
        requirePositive("cpuMillis", cpuMillis);
        requirePositive("memoryBytes", memoryBytes);
        requirePositive("processes", processes);
        requirePositive("diskBytes", diskBytes);
    }

    private static void requirePositive(String name, long value) {
        if (value < 1) {
            throw new IllegalArgumentException("%s: %d (expected: > 0)".formatted(name, value));
        }
    }
}
