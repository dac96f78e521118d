package dev.sallyport.gateway.workspace;

import static java.nio.charset.StandardCharsets.US_ASCII;

import dev.sallyport.gateway.workspace.WorkspaceException.Refused;
import java.io.ByteArrayInputStream;
import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import org.eclipse.jgit.internal.storage.file.Pack;
import org.eclipse.jgit.internal.storage.pack.PackExt;
import org.eclipse.jgit.lib.ObjectId;

/**
 * The only code that writes to a repository: one pack, its index, one new branch, in this order and each on disk before
 * the next, so that a stop in between leaves at most objects that nothing names. The branch is made by git's own protocol
 * ({@code NAME.lock}, then rename), so that a git of the owner and another gateway both keep out of the way.
 */
final class Publication {

    private static final String HEADS = "refs/heads/";

    private final SourceRepository source;
    private final String branch;
    private final ObjectId tip;
    private final String temporary;

    /**
     * @param branch without {@code refs/heads/}
     * @param operation a name that no other operation has; git removes old {@code tmp_} files of packs itself
     */
    Publication(SourceRepository source, String branch, ObjectId tip, String operation) {
        this.source = source;
        this.branch = branch;
        this.tip = tip;
        this.temporary = "tmp_pack_" + operation;
    }

    void publish(Optional<Pack> pack) throws IOException {
        if (isThere()) {
            return;
        }
        if (pack.isPresent()) {
            store(pack.get());
        }
        try (HeldDirectory heads = heads()) {
            create(heads);
        }
    }

    private void store(Pack pack) throws IOException {
        HeldDirectory packs = source.packs();
        File packFile = pack.getPackFile();
        String name = Path.of(packFile.getPath()).getFileName().toString();
        String index = name.replaceFirst("\\.pack$", "." + PackExt.INDEX.getExtension());
        if (packs.isRegularFile(name) && packs.isRegularFile(index)) {
            return;
        }
        try {
            copy(packFile.toPath(), packs, temporary + ".pack");
            copy(packFile.toPath().resolveSibling(index), packs, temporary + ".idx");
            // Whoever sees the index looks for the pack.
            packs.rename(temporary + ".pack", name);
            packs.rename(temporary + ".idx", index);
            packs.sync();
        } finally {
            packs.deleteIfExists(temporary + ".pack");
            packs.deleteIfExists(temporary + ".idx");
        }
    }

    private static void copy(Path file, HeldDirectory packs, String name) throws IOException {
        try (InputStream content = Files.newInputStream(file)) {
            packs.create(name, "r--r--r--", content);
        }
    }

    private void create(HeldDirectory heads) throws IOException {
        String lock = branch + ".lock";
        try {
            heads.create(lock, "rw-r--r--", new ByteArrayInputStream(lockContent()));
        } catch (FileAlreadyExistsException e) {
            throw exists("is being written by someone else");
        }
        try {
            if (!isThere()) {
                heads.rename(lock, branch);
                heads.sync();
            }
        } finally {
            heads.deleteIfExists(lock);
        }
    }

    private byte[] lockContent() {
        return (tip.name() + "\n").getBytes(US_ASCII);
    }

    /** Whether this very branch was published before, so that a retry gets its answer. */
    private boolean isThere() throws IOException {
        Optional<ObjectId> present = source.ref(HEADS + branch);
        if (present.isPresent() && !present.get().equals(tip)) {
            throw exists("exists already at " + present.get().name());
        }
        try (HeldDirectory heads = heads()) {
            if (present.isEmpty() && heads.contains(branch)) {
                throw exists("is a directory");
            }
        }
        if (source.packedRefs().contains(" " + HEADS + branch + "/")) {
            throw exists("is a directory of branches");
        }
        return present.isPresent();
    }

    private HeldDirectory heads() throws IOException {
        try (HeldDirectory refs = source.common().child("refs")) {
            return refs.child("heads");
        } catch (NoSuchFileException e) {
            throw new Refused(WorkspaceRefusal.REPOSITORY_DAMAGED, "the repository has no refs/heads");
        }
    }

    private Refused exists(String why) {
        return new Refused(WorkspaceRefusal.BRANCH_EXISTS, "branch `%s` %s".formatted(branch, why));
    }

    /** Removes what a publication that was killed may have left, and nothing else. */
    void cleanUp() throws IOException {
        for (String name : List.of(temporary + ".pack", temporary + ".idx")) {
            source.packs().deleteIfExists(name);
        }
        try (HeldDirectory heads = heads()) {
            byte[] lock = heads.read(branch + ".lock", 4096).orElse(null);
            if (lock != null && (lock.length == 0 || Arrays.equals(lock, lockContent()))) {
                heads.deleteIfExists(branch + ".lock");
            }
        }
    }
}
