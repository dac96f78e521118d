package dev.sallyport.gateway.workspace;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;

/**
 * Where repositories may lie and how much an operation on one may take.
 *
 * @param roots directories that repositories may lie in; a repository outside all of them is refused
 * @param scratch a directory of the gateway's own (made 0700) for bundles under inspection
 * @param deadline wall clock of one operation
 * @param exportBytes of a bundle that goes to a child
 * @param bundleBytes of a bundle that comes from a child
 * @param objects in such a bundle
 * @param objectBytes of one object, inflated
 * @param inflatedBytes of all objects together, inflated, deltas applied
 * @param deltaDepth longest chain; 50 is what git itself writes
 * @param diffBytes of a diff, or of all contents of a list of changes
 */
public record WorkspaceSettings(
        List<Path> roots,
        Path scratch,
        Duration deadline,
        long exportBytes,
        long bundleBytes,
        int objects,
        long objectBytes,
        long inflatedBytes,
        int deltaDepth,
        long diffBytes) {

    private static final long MIB = 1L << 20;

    public WorkspaceSettings {
        roots = List.copyOf(roots);
    }

    public static WorkspaceSettings of(List<Path> roots, Path scratch) {
        return new WorkspaceSettings(
                roots,
                scratch,
                Duration.ofMinutes(2),
                4096 * MIB,
                512 * MIB,
                500_000,
                64 * MIB,
                2048 * MIB,
                50,
                10 * MIB);
    }

    void addTo(Answer.Builder request) {
        request.add(roots.stream().map(Path::toString).toList())
                .add(scratch.toString())
                .add(deadline.toString())
                .add(exportBytes)
                .add(bundleBytes)
                .add(objects)
                .add(objectBytes)
                .add(inflatedBytes)
                .add(deltaDepth)
                .add(diffBytes);
    }

    static WorkspaceSettings from(Answer request) {
        return new WorkspaceSettings(
                request.nextList().stream().map(Path::of).toList(),
                Path.of(request.next()),
                Duration.parse(request.next()),
                request.nextLong(),
                request.nextLong(),
                request.nextInt(),
                request.nextLong(),
                request.nextLong(),
                request.nextInt(),
                request.nextLong());
    }
}
