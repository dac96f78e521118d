package dev.sallyport.gateway.workspace;

import java.nio.file.Path;

/** A git bundle on disk that holds exactly one branch: all of {@code commit}'s history under {@code refs/heads/<branch>}. */
public record Bundle(Path file, long bytes, String branch, String commit) {}
