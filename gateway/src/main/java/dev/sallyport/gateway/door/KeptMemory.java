package dev.sallyport.gateway.door;

/**
 * What became of what a child wants to be remembered.
 *
 * @param outcome {@code unchanged}, {@code kept}, {@code merged} or {@code conflict}
 */
public record KeptMemory(int version, String outcome) {}
