package dev.sallyport.model;

import java.math.BigDecimal;
import java.math.RoundingMode;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * What a model's tokens cost: USD for a million of each kind. All four are known or there is no price, because which kinds a
 * call uses is the child's choice.
 *
 * @param input tokens that are neither read from a cache nor written to one
 * @param cacheWrite the dearest that the provider charges, where it depends on how long it caches
 */
public record Price(BigDecimal input, BigDecimal output, BigDecimal cacheRead, BigDecimal cacheWrite) {

    /** As they are called where prices are written. */
    public static final List<String> KEYS = List.of("input", "output", "cacheRead", "cacheWrite");

    /** Of what is free. */
    public static final Price NOTHING = new Price(BigDecimal.ZERO, BigDecimal.ZERO, BigDecimal.ZERO, BigDecimal.ZERO);

    private static final Pattern USD = Pattern.compile("[0-9]{1,6}(\\.[0-9]{1,6})?");

    public Price {
        if (Stream.of(input, output, cacheRead, cacheWrite).anyMatch(price -> price.signum() < 0)) {
            throw new IllegalArgumentException("price: %s, %s, %s, %s (expected: 0 or more USD per million tokens)"
                    .formatted(input, output, cacheRead, cacheWrite));
        }
    }

    /** From one text for each of {@link #KEYS}. */
    public static Price of(Map<String, String> texts) {
        List<BigDecimal> prices = KEYS.stream()
                .map(key -> parse(Objects.requireNonNull(texts.get(key), key)))
                .toList();
        return new Price(prices.get(0), prices.get(1), prices.get(2), prices.get(3));
    }

    /** Reads one price, such as {@code 0.30}. */
    public static BigDecimal parse(String text) {
        if (!USD.matcher(text).matches()) {
            throw new IllegalArgumentException(
                    "price: `%s` (expected: US dollars per million tokens as 0.30, six decimals at most)"
                            .formatted(text));
        }
        return new BigDecimal(text);
    }

    /** In USD, exactly. */
    public BigDecimal of(long inputTokens, long outputTokens, long cacheReadTokens, long cacheWriteTokens) {
        return input.multiply(BigDecimal.valueOf(inputTokens))
                .add(output.multiply(BigDecimal.valueOf(outputTokens)))
                .add(cacheRead.multiply(BigDecimal.valueOf(cacheReadTokens)))
                .add(cacheWrite.multiply(BigDecimal.valueOf(cacheWriteTokens)))
                .movePointLeft(6);
    }

    /** The most that input could cost, in millionths of a USD: every token of the dearest kind. */
    public long worstInput(long tokens) {
        return microUsd(input.max(cacheRead).max(cacheWrite).multiply(BigDecimal.valueOf(tokens)));
    }

    /** In millionths of a USD, rounded up. */
    public long worstOutput(long tokens) {
        return microUsd(output.multiply(BigDecimal.valueOf(tokens)));
    }

    /** How many output tokens this pays for. */
    public long outputFor(long microUsd) {
        return output.signum() == 0
                ? Long.MAX_VALUE
                : BigDecimal.valueOf(microUsd)
                        .divide(output, 0, RoundingMode.DOWN)
                        .longValue();
    }

    // A dollar for a million tokens is a millionth for one.
    private static long microUsd(BigDecimal millionths) {
        return millionths.setScale(0, RoundingMode.UP).longValueExact();
    }
}
