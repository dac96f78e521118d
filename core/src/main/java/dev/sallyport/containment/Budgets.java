package dev.sallyport.containment;

import java.math.BigDecimal;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * What a child and everybody below it may use up together. Null is no limit; 0 is nothing at all. Time is a matter of
 * {@link Limits#wall}.
 *
 * @param tokens of input and output together
 * @param microUsd millionths of a US dollar
 * @param children that may ever be started below it
 */
public record Budgets(
        @Nullable Long turns,
        @Nullable Long tokens,
        @Nullable Long microUsd,
        @Nullable Long egressBytes,
        @Nullable Long children) {

    public static final Budgets UNLIMITED = new Budgets(null, null, null, null, null);

    /** In the order in which they are shown. */
    public static final List<String> KEYS = List.of("turns", "tokens", "cost", "egress", "children");

    // What every JSON reader can hold.
    private static final long MAX = 1L << 53;
    private static final Pattern COUNT = Pattern.compile("([0-9]{1,16})([km]?)");
    private static final Pattern USD = Pattern.compile("[0-9]{1,9}(\\.[0-9]{1,6})?");

    public Budgets {
        requireSensible("turns", turns);
        requireSensible("tokens", tokens);
        requireSensible("cost", microUsd);
        requireSensible("egress", egressBytes);
        requireSensible("children", children);
    }

    private static void requireSensible(String what, @Nullable Long value) {
        if (value != null && (value < 0 || value > MAX)) {
            throw new IllegalArgumentException("budget %s: %d (expected: 0 to 2^53)".formatted(what, value));
        }
    }

    /**
     * Reads values as people write them: turns, tokens and children as numbers, or {@code 200k} and {@code 2m} for
     * thousands and millions, cost as {@code 2.50} US dollars, egress as {@code 10m} bytes of 1024 x 1024.
     *
     * @throws IllegalArgumentException for a key that is not one of {@link #KEYS} or a value that says nothing sensible
     */
    public static Budgets parse(Map<String, String> values) {
        for (String key : values.keySet()) {
            if (!KEYS.contains(key)) {
                throw new IllegalArgumentException(
                        "budget: `%s` (expected: %s)".formatted(key, String.join(", ", KEYS)));
            }
        }
        return new Budgets(
                read(values, "turns", text -> count("turns", text)),
                read(values, "tokens", text -> count("tokens", text)),
                read(values, "cost", Budgets::usd),
                read(values, "egress", text -> text.equals("0") ? 0 : Limits.parseBytes("budget egress", text)),
                read(values, "children", text -> count("children", text)));
    }

    private static @Nullable Long read(Map<String, String> values, String key, Function<String, Long> parse) {
        String text = values.get(key);
        return text == null ? null : parse.apply(text);
    }

    private static long count(String what, String text) {
        Matcher matcher = COUNT.matcher(text);
        if (!matcher.matches()) {
            throw new IllegalArgumentException(
                    "budget %s: `%s` (expected: a whole number >= 0, or one as 200k)".formatted(what, text));
        }
        int thousands = "km".indexOf(matcher.group(2)) + (matcher.group(2).isEmpty() ? 0 : 1);
        BigDecimal count = new BigDecimal(matcher.group(1)).scaleByPowerOfTen(3 * thousands);
        return count.min(BigDecimal.valueOf(MAX + 1)).longValue();
    }

    private static long usd(String text) {
        if (!USD.matcher(text).matches()) {
            throw new IllegalArgumentException(
                    "budget cost: `%s` (expected: US dollars as 2.50, six decimals at most)".formatted(text));
        }
        return new BigDecimal(text).movePointRight(6).longValueExact();
    }

    /** The value of one of {@link #KEYS}. */
    public @Nullable Long get(String key) {
        return switch (key) {
            case "turns" -> turns;
            case "tokens" -> tokens;
            case "cost" -> microUsd;
            case "egress" -> egressBytes;
            case "children" -> children;
            default -> throw new IllegalArgumentException("budget: `%s`".formatted(key));
        };
    }

    /** From one value for each of {@link #KEYS}, in their order. */
    public static Budgets of(Function<String, @Nullable Long> value) {
        return new Budgets(
                value.apply("turns"),
                value.apply("tokens"),
                value.apply("cost"),
                value.apply("egress"),
                value.apply("children"));
    }

    /** The smaller of each. */
    public Budgets meet(Budgets other) {
        return of(key -> smaller(get(key), other.get(key)));
    }

    public static @Nullable Long smaller(@Nullable Long one, @Nullable Long other) {
        if (one == null || other == null) {
            return one == null ? other : one;
        }
        return Math.min(one, other);
    }

    public boolean atMost(Budgets other) {
        return meet(other).equals(this);
    }

    /** One value for people. */
    public static String shown(String key, @Nullable Long value) {
        if (value == null) {
            return "unlimited";
        }
        return key.equals("cost") ? "$" + written(key, value) : written(key, value);
    }

    private static String written(String key, long value) {
        return switch (key) {
            case "cost" -> usd(value).toPlainString();
            case "egress" -> value == 0 ? "0" : Limits.showBytes(value);
            default -> String.valueOf(value);
        };
    }

    /** US dollars, without needless zeros. */
    public static BigDecimal usd(long microUsd) {
        return BigDecimal.valueOf(microUsd, 6).stripTrailingZeros();
    }

    /** Those that are limited, by key, as {@link #parse} reads them. */
    public Map<String, String> toText() {
        Map<String, String> texts = new LinkedHashMap<>();
        toJson().forEach((key, value) -> texts.put(key, written(key, value)));
        return texts;
    }

    /** Those that are limited, by key, as numbers. */
    public Map<String, Long> toJson() {
        Map<String, Long> json = new LinkedHashMap<>();
        for (String key : KEYS) {
            Long value = get(key);
            if (value != null) {
                json.put(key, value);
            }
        }
        return json;
    }
}
