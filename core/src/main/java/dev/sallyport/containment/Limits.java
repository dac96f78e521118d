package dev.sallyport.containment;

import java.math.BigDecimal;
import java.time.Duration;
import java.time.format.DateTimeParseException;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The most that a child may use of its host. Every value is above zero.
 *
 * @param cpuMillis thousandths of one CPU
 * @param pids processes and threads together
 * @param wall from the start of the container to its end, waiting for people included (S21)
 */
public record Limits(int cpuMillis, long memoryBytes, int pids, Duration wall, long diskBytes) {

    private static final long GIB = 1L << 30;
    // What every JSON reader can hold.
    private static final long MAX = 1L << 53;

    public static final Limits DEFAULT = new Limits(1000, GIB, 256, Duration.ofMinutes(30), GIB);

    /** In the order in which they are shown. */
    public static final List<String> KEYS = List.of("cpu", "memory", "pids", "wall", "disk");

    private static final Pattern CPU = Pattern.compile("([0-9]{1,4}(?:\\.[0-9]{1,3})?)|([0-9]{1,7})m");
    private static final Pattern SIZE = Pattern.compile("([0-9]{1,18}(?:\\.[0-9]{1,6})?)(?:([kmgt])i?)?b?");
    private static final Pattern TIME = Pattern.compile("([0-9]{1,9})(s|m|h|d)");
    private static final Pattern COUNT = Pattern.compile("[0-9]{1,9}");

    public Limits {
        requirePositive("cpuMillis", cpuMillis);
        requirePositive("memoryBytes", memoryBytes);
        requirePositive("pids", pids);
        requirePositive("wall", wall.isPositive() ? 1 : 0);
        requirePositive("diskBytes", diskBytes);
    }

    private static void requirePositive(String what, long value) {
        if (value <= 0 || value > MAX) {
            throw new IllegalArgumentException("%s: %d (expected: > 0 and at most 2^53)".formatted(what, value));
        }
    }

    /** What one source says about limits; a null says nothing. */
    public record Partial(
            @Nullable Integer cpuMillis,
            @Nullable Long memoryBytes,
            @Nullable Integer pids,
            @Nullable Duration wall,
            @Nullable Long diskBytes) {

        public static final Partial NOTHING = new Partial(null, null, null, null, null);

        /**
         * Reads values as people write them: cpu {@code 1.5} or {@code 500m}, memory and disk {@code 512m} or {@code 1g}
         * (powers of 1024), pids {@code 256}, wall {@code 15m} or {@code PT15M}.
         *
         * @throws IllegalArgumentException for a key that is not one of {@link Limits#KEYS} or a value that says nothing
         *     sensible
         */
        public static Partial parse(Map<String, String> values) {
            for (String key : values.keySet()) {
                if (!KEYS.contains(key)) {
                    throw new IllegalArgumentException(
                            "limit: `%s` (expected: %s)".formatted(key, String.join(", ", KEYS)));
                }
            }
            String cpu = values.get("cpu");
            String memory = values.get("memory");
            String pids = values.get("pids");
            String wall = values.get("wall");
            String disk = values.get("disk");
            return new Partial(
                    cpu == null ? null : parseCpu(cpu),
                    memory == null ? null : parseBytes("memory", memory),
                    pids == null ? null : parseCount("pids", pids),
                    wall == null ? null : parseDuration("wall", wall),
                    disk == null ? null : parseBytes("disk", disk));
        }
    }

    /** The smaller of each. */
    public Limits meet(Limits other) {
        return new Limits(
                Math.min(cpuMillis, other.cpuMillis),
                Math.min(memoryBytes, other.memoryBytes),
                Math.min(pids, other.pids),
                wall.compareTo(other.wall) <= 0 ? wall : other.wall,
                Math.min(diskBytes, other.diskBytes));
    }

    public boolean atMost(Limits other) {
        return meet(other).equals(this);
    }

    public static int parseCpu(String text) {
        Matcher matcher = CPU.matcher(text);
        if (!matcher.matches()) {
            throw malformed("cpu", text, "CPUs as 1.5 or 500m");
        }
        String whole = matcher.group(1);
        int millis = whole != null
                ? new BigDecimal(whole).movePointRight(3).intValueExact()
                : Integer.parseInt(matcher.group(2));
        return above0("cpu", text, millis);
    }

    /** Reads one value; {@code what} names the field in the message. */
    public static long parseBytes(String what, String text) {
        Matcher matcher = SIZE.matcher(text.toLowerCase(Locale.ROOT));
        if (!matcher.matches()) {
            throw malformed(what, text, "a size as 512m or 1g");
        }
        String unit = matcher.group(2);
        int shift = unit == null ? 0 : 10 * ("kmgt".indexOf(unit) + 1);
        BigDecimal bytes = new BigDecimal(matcher.group(1)).multiply(BigDecimal.valueOf(1L << shift));
        if (bytes.compareTo(BigDecimal.valueOf(MAX)) > 0) {
            throw malformed(what, text, "a size as 512m or 1g");
        }
        return above0(what, text, bytes.longValue());
    }

    /** Reads one value; {@code what} names the field in the message. */
    public static Duration parseDuration(String what, String text) {
        Matcher matcher = TIME.matcher(text);
        Duration duration;
        if (matcher.matches()) {
            long amount = Long.parseLong(matcher.group(1));
            duration = switch (matcher.group(2)) {
                case "s" -> Duration.ofSeconds(amount);
                case "m" -> Duration.ofMinutes(amount);
                case "h" -> Duration.ofHours(amount);
                default -> Duration.ofDays(amount);
            };
        } else {
            try {
                duration = Duration.parse(text);
            } catch (DateTimeParseException e) {
                throw malformed(what, text, "a time as 90s, 15m, 2h or PT15M");
            }
        }
        if (!duration.isPositive()) {
            throw malformed(what, text, "> 0");
        }
        return duration;
    }

    public static String showCpu(long millis) {
        return BigDecimal.valueOf(millis, 3).stripTrailingZeros().toPlainString();
    }

    /** In the largest unit that needs no fraction. */
    public static String showBytes(long bytes) {
        int unit = 0;
        long rest = bytes;
        while (unit < "kmgt".length() && rest % 1024 == 0) {
            rest /= 1024;
            unit++;
        }
        return unit == 0 ? String.valueOf(bytes) : rest + "kmgt".substring(unit - 1, unit);
    }

    /** In the largest unit that needs no fraction; below a second as ISO 8601. */
    public static String showDuration(Duration duration) {
        long seconds = duration.toSeconds();
        if (!duration.equals(Duration.ofSeconds(seconds))) {
            return duration.toString();
        }
        if (seconds % 3600 == 0) {
            return seconds / 3600 + "h";
        }
        return seconds % 60 == 0 ? seconds / 60 + "m" : seconds + "s";
    }

    private static int parseCount(String what, String text) {
        if (!COUNT.matcher(text).matches()) {
            throw malformed(what, text, "a whole number > 0");
        }
        return above0(what, text, Integer.parseInt(text));
    }

    private static int above0(String what, String text, int value) {
        if (value <= 0) {
            throw malformed(what, text, "> 0");
        }
        return value;
    }

    private static long above0(String what, String text, long value) {
        if (value <= 0) {
            throw malformed(what, text, "> 0");
        }
        return value;
    }

    private static IllegalArgumentException malformed(String what, String text, String expected) {
        return new IllegalArgumentException("%s: `%s` (expected: %s)".formatted(what, text, expected));
    }
}
