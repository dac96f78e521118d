package dev.sallyport.gateway.door;

import java.math.BigDecimal;
import java.util.stream.Stream;

/**
 * What a model's tokens cost: USD for a million of each kind. All four are known or there is no price, because which kinds a
 * call uses is the child's choice.
 *
 * @param input tokens that are neither read from a cache nor written to one
 * @param cacheWrite the dearest that the provider charges, where it depends on how long it caches
 */
public record Price(BigDecimal input, BigDecimal output, BigDecimal cacheRead, BigDecimal cacheWrite) {

    public Price {
        if (Stream.of(input, output, cacheRead, cacheWrite).anyMatch(price -> price.signum() < 0)) {
            throw new IllegalArgumentException("price: %s, %s, %s, %s (expected: 0 or more USD per million tokens)"
                    .formatted(input, output, cacheRead, cacheWrite));
        }
    }

    /** In USD, exactly. */
    BigDecimal of(long inputTokens, long outputTokens, long cacheReadTokens, long cacheWriteTokens) {
        return input.multiply(BigDecimal.valueOf(inputTokens))
                .add(output.multiply(BigDecimal.valueOf(outputTokens)))
                .add(cacheRead.multiply(BigDecimal.valueOf(cacheReadTokens)))
                .add(cacheWrite.multiply(BigDecimal.valueOf(cacheWriteTokens)))
                .movePointLeft(6);
    }
}
