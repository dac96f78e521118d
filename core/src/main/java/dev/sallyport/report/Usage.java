package dev.sallyport.report;

/**
 * Tokens and their price (authority.md 11.9).
 *
 * @param cost in US dollars
 */
public record Usage(long input, long output, long cacheWrite, long cacheRead, double cost) {

    public static final Usage NOTHING = new Usage(0, 0, 0, 0, 0);

    public Usage plus(Usage other) {
        return new Usage(
                input + other.input,
                output + other.output,
                cacheWrite + other.cacheWrite,
                cacheRead + other.cacheRead,
                cost + other.cost);
    }

    public boolean isNothing() {
        return equals(NOTHING);
    }

    /** What people are shown: what was read from a cache is not counted again. */
    public long shown() {
        return input + output + cacheWrite;
    }

    /** All tokens, those read from a cache too. */
    public long total() {
        return input + output + cacheWrite + cacheRead;
    }
}
