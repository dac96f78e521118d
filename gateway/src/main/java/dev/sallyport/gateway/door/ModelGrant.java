package dev.sallyport.gateway.door;

/**
 * The one model a child may call.
 *
 * @param provider name of a configured provider, or {@code scripted}
 * @param id as the provider knows it
 */
public record ModelGrant(String provider, String id) {}
