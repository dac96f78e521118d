package dev.sallyport.gateway.door;

import java.math.BigDecimal;
import org.jspecify.annotations.Nullable;

/**
 * What one model call used, as the provider counted it.
 *
 * @param inputTokens of every kind, cached ones too
 * @param costUsd of these tokens; null, and never 0, where the model has no price or the provider counted nothing
 * @param complete false if the answer broke off, so that the counts are what was seen until then
 */
public record ModelUse(
        String provider,
        String model,
        long inputTokens,
        long outputTokens,
        @Nullable BigDecimal costUsd,
        boolean complete) {}
