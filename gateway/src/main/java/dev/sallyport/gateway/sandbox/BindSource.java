package dev.sallyport.gateway.sandbox;

import java.nio.file.Path;
import java.util.List;

/**
 * A directory of the host that passed every check of {@link BindSources}, and how to recognise it once it is mounted.
 *
 * @param path without any link in it
 * @param directory where the child's tools start, relative to {@code path}; empty unless a larger directory has to be
 *     mounted whole
 * @param key must equal {@link SandboxDriver#workspaceFileKey} before the child gets its task (S5)
 * @param ownerUid whoever owns the directory; a child that may write runs as this user (S7)
 * @param warnings for people: what the child cannot read, whom it can talk to
 */
public record BindSource(Path path, Path directory, FileKey key, int ownerUid, int ownerGid, List<String> warnings) {

    public BindSource {
        warnings = List.copyOf(warnings);
    }
}
