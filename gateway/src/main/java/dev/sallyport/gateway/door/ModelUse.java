package dev.sallyport.gateway.door;

/**
 * What one model call used, as the provider counted it.
 *
 * @param complete false if the answer broke off, so that the counts are what was seen until then
 */
public record ModelUse(String provider, String model, long inputTokens, long outputTokens, boolean complete) {}
