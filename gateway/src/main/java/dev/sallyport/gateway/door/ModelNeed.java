package dev.sallyport.gateway.door;

import dev.sallyport.model.Price;
import org.jspecify.annotations.Nullable;

/**
 * The most that one model call can come to (S19).
 *
 * @param inputTokens at most; null where nobody can say
 * @param outputTokens that it asks for
 * @param leastOutput without which it makes no sense
 * @param price null where none is known
 */
public record ModelNeed(
        @Nullable Long inputTokens,
        long outputTokens,
        long leastOutput,
        @Nullable Price price) {}
