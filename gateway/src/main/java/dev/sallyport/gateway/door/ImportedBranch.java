package dev.sallyport.gateway.door;

/**
 * Where a child's result went.
 *
 * @param tip object id in hexadecimal
 */
public record ImportedBranch(String branch, String tip) {}
