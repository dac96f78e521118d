package dev.sallyport.gateway.child;

import dev.sallyport.gateway.door.DoorProblem;
import dev.sallyport.gateway.workspace.Bundle;
import dev.sallyport.gateway.workspace.ChangedFile;
import dev.sallyport.gateway.workspace.ImportedBranch;
import dev.sallyport.gateway.workspace.WorkspaceException;
import dev.sallyport.gateway.workspace.Workspaces;
import dev.sallyport.identity.ChildId;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import tools.jackson.databind.json.JsonMapper;

/** A repository's way into a child with workspace {@code clone}, and the child's branch on its way back (S15, S16). */
final class Clones {

    static final int FILES_LISTED = 1000;

    private final Workspaces workspaces;
    private final Children children;
    private final Timeline timeline;
    private final Path directory;
    private final JsonMapper json;

    /** Children whose work is being taken. One at a time of each: a bundle takes disk, and its check a process. */
    private final Set<ChildId> taking = ConcurrentHashMap.newKeySet();

    Clones(Workspaces workspaces, Children children, Timeline timeline, Path directory, JsonMapper json) {
        this.workspaces = workspaces;
        this.children = children;
        this.timeline = timeline;
        this.directory = directory;
        this.json = json;
    }

    /** Makes what the child will fetch. @return the commit it holds */
    String export(Child child) {
        // What goes on with another's work starts where that one stopped, wherever HEAD is now.
        String commit = child.resumes() == null ? null : child.base();
        Bundle bundle = workspaces.export(source(child), commit, Workspaces.branch(child.id()), outgoing(child));
        children.cloned(child.id(), bundle.commit());
        return bundle.commit();
    }

    Optional<InputStream> open(Child child) throws IOException {
        Path bundle = outgoing(child);
        return Files.exists(bundle) ? Optional.of(Files.newInputStream(bundle)) : Optional.empty();
    }

    /** Checks what the child sends and makes its branch. A second delivery of the same gets the same answer. */
    ImportedBranch take(Child child, InputStream sent) throws IOException {
        String base = children.find(child.id()).map(Child::base).orElse(null);
        if (base == null) {
            throw new DoorProblem(422, "no-clone", "this child has no clone to bring back");
        }
        if (!taking.add(child.id())) {
            throw new DoorProblem(409, "import-in-progress", "another bundle of this child is being checked");
        }
        try {
            return checked(child, base, sent);
        } finally {
            taking.remove(child.id());
        }
    }

    private ImportedBranch checked(Child child, String base, InputStream sent) throws IOException {
        Path bundle = Files.createTempFile(directory, child.id() + "-", ".incoming");
        try {
            try (var file = Files.newOutputStream(bundle)) {
                sent.transferTo(file);
            }
            ImportedBranch branch = workspaces.importBranch(source(child), bundle, child.id(), base);
            children.imported(child.id(), branch.tip());
            var data = json.createObjectNode()
                    .put("branch", branch.branch())
                    .put("base", base)
                    .put("tip", branch.tip())
                    .put("changedFiles", branch.files().size());
            branch.files().stream().limit(FILES_LISTED).map(ChangedFile::path).forEach(data.putArray("files")::add);
            branch.notices().forEach(data.putArray("notices")::add);
            timeline.fact(child.id(), "workspace-imported", data);
            return branch;
        } catch (WorkspaceException.Refused e) {
            timeline.fact(
                    child.id(),
                    "workspace-refused",
                    json.createObjectNode().put("code", e.refusal().code()).put("detail", e.getMessage()));
            throw new DoorProblem(
                    422,
                    e.refusal().code(),
                    String.valueOf(e.getMessage()),
                    e.refusal().remedy(),
                    null);
        } catch (WorkspaceException.Unavailable e) {
            throw new DoorProblem(503, "workspace-unavailable", String.valueOf(e.getMessage()));
        } finally {
            Files.deleteIfExists(bundle);
        }
    }

    /** Empty if the child left no commit of its own. */
    Optional<String> diff(Child child) {
        return changed(child).map(tip -> workspaces.diff(source(child), String.valueOf(child.base()), tip));
    }

    /** Empty if the child left no commit of its own. */
    Optional<List<ChangedFile>> changes(Child child) {
        return changed(child).map(tip -> workspaces.changes(source(child), String.valueOf(child.base()), tip));
    }

    static Optional<String> changed(Child child) {
        return Optional.ofNullable(child.tip()).filter(tip -> !tip.equals(child.base()));
    }

    void discard(Child child) throws IOException {
        Files.deleteIfExists(outgoing(child));
    }

    private Path outgoing(Child child) {
        return directory.resolve(child.id() + ".bundle");
    }

    private static Path source(Child child) {
        String source = child.terms().workspace().directory();
        if (source == null) {
            throw new IllegalStateException("child %s has no repository".formatted(child.id()));
        }
        return Path.of(source);
    }
}
