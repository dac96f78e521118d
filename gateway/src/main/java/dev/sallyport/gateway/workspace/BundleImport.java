package dev.sallyport.gateway.workspace;

import static java.nio.file.StandardOpenOption.READ;

import dev.sallyport.gateway.workspace.WorkspaceException.Refused;
import java.io.BufferedInputStream;
import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.nio.channels.FileChannel;
import java.nio.channels.FileChannel.MapMode;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.Optional;
import java.util.Set;
import org.eclipse.jgit.errors.IncorrectObjectTypeException;
import org.eclipse.jgit.errors.MissingObjectException;
import org.eclipse.jgit.errors.TooLargeObjectInPackException;
import org.eclipse.jgit.internal.storage.file.ObjectDirectory;
import org.eclipse.jgit.internal.storage.file.ObjectDirectoryPackParser;
import org.eclipse.jgit.internal.storage.file.Pack;
import org.eclipse.jgit.lib.AnyObjectId;
import org.eclipse.jgit.lib.Config;
import org.eclipse.jgit.lib.Constants;
import org.eclipse.jgit.lib.NullProgressMonitor;
import org.eclipse.jgit.lib.ObjectId;
import org.eclipse.jgit.lib.ObjectInserter;
import org.eclipse.jgit.lib.ObjectReader;
import org.eclipse.jgit.revwalk.ObjectWalk;
import org.eclipse.jgit.revwalk.RevCommit;
import org.eclipse.jgit.revwalk.RevObject;
import org.eclipse.jgit.util.FS;
import org.jspecify.annotations.Nullable;

/** A child's bundle, unpacked into a directory of ours and judged there (S16). The repository is only read. */
final class BundleImport {

    private final SourceRepository source;
    private final WorkspaceSettings settings;
    private final ObjectId base;
    private final ObjectDirectory objects;
    private Set<ObjectId> outsideBases = Set.of();
    private ObjectId tip = ObjectId.zeroId();
    private @Nullable Pack pack;

    /**
     * @param view of the repository's objects, as {@link SourceRepository#open} made it
     * @param quarantine a directory that does not exist yet
     */
    BundleImport(SourceRepository source, Path view, WorkspaceSettings settings, Path quarantine, ObjectId base)
            throws IOException {
        this.source = source;
        this.settings = settings;
        this.base = base;
        Files.createDirectories(quarantine.resolve("pack"));
        // The view itself is no repository: JGit would open one with its configuration and its alternates.
        this.objects =
                new ObjectDirectory(new Config(), quarantine.toFile(), new File[] {view.toFile()}, FS.DETECTED, null);
    }

    /** @param branch in full */
    void check(Path bundle, String branch) throws IOException {
        long size = Files.size(bundle);
        if (size > Math.min(settings.bundleBytes(), Integer.MAX_VALUE)) {
            throw new Refused(
                    WorkspaceRefusal.BUNDLE_TOO_LARGE,
                    "the bundle has %d bytes (expected: at most %d)".formatted(size, settings.bundleBytes()));
        }
        BundleHeader header = header(bundle);
        header.require(branch, base.name());
        outsideBases = scan(bundle, header.bytes());
        StrictChecker checker = new StrictChecker();
        unpack(bundle, header.bytes(), checker);
        tip = ObjectId.fromString(header.refs().get(branch));
        try (ObjectReader reader = objects.newReader()) {
            for (ObjectId gitmodules : checker.gitmodules()) {
                requireHarmless(reader, gitmodules);
            }
            if (!tip.equals(base)) {
                requireDescent(reader);
            }
        }
    }

    ObjectId tip() {
        return tip;
    }

    /** Sees the repository's objects and the child's. */
    ObjectReader newReader() {
        return objects.newReader();
    }

    /** The child's objects; empty where it sent none. */
    Optional<Pack> pack() {
        return Optional.ofNullable(pack);
    }

    private static BundleHeader header(Path bundle) throws IOException {
        try (InputStream in = new BufferedInputStream(Files.newInputStream(bundle))) {
            return BundleHeader.read(in);
        }
    }

    private Set<ObjectId> scan(Path bundle, int offset) throws IOException {
        try (FileChannel channel = FileChannel.open(bundle, READ);
                ObjectReader known = source.objects().newReader()) {
            return new PackScan(
                            channel.map(MapMode.READ_ONLY, offset, channel.size() - offset),
                            settings,
                            id -> has(known, id))
                    .run();
        }
    }

    private static boolean has(ObjectReader reader, AnyObjectId id) {
        try {
            return reader.has(id);
        } catch (IOException e) {
            return false;
        }
    }

    private void unpack(Path bundle, int offset, StrictChecker checker) throws IOException {
        try (InputStream in = new BufferedInputStream(Files.newInputStream(bundle), 1 << 16);
                ObjectInserter inserter = objects.newInserter()) {
            in.skipNBytes(offset);
            ObjectDirectoryPackParser parser = (ObjectDirectoryPackParser) inserter.newPackParser(in);
            parser.setAllowThin(true);
            parser.setObjectChecker(checker);
            parser.setMaxObjectSizeLimit(settings.objectBytes());
            parser.parse(NullProgressMonitor.INSTANCE, NullProgressMonitor.INSTANCE);
            pack = parser.getPack();
        } catch (TooLargeObjectInPackException e) {
            throw new Refused(WorkspaceRefusal.BUNDLE_OBJECT_TOO_LARGE, "an object in the bundle is too large");
        } catch (MissingObjectException e) {
            throw incomplete(e.getObjectId());
        } catch (IOException | IndexOutOfBoundsException | IllegalArgumentException e) {
            // JGit meets some damage with exceptions of the language.
            throw damaged(e);
        }
    }

    private static void requireHarmless(ObjectReader reader, ObjectId gitmodules) throws IOException {
        if (!reader.has(gitmodules, Constants.OBJ_BLOB)) {
            throw incomplete(gitmodules);
        }
        if (reader.getObjectSize(gitmodules, Constants.OBJ_BLOB) > StrictChecker.MAX_GITMODULES) {
            throw new Refused(WorkspaceRefusal.BUNDLE_SUBMODULE, ".gitmodules is not acceptable: it is too long");
        }
        StrictChecker.requireHarmless(
                reader.open(gitmodules, Constants.OBJ_BLOB).getBytes());
    }

    /**
     * The tip grew from the base, every commit between is the child's own, and whatever those commits hold is in the
     * bundle or in the base's history. An object that merely happens to be in the repository is not the child's to name:
     * its branch would show what the child never saw.
     */
    private void requireDescent(ObjectReader reader) throws IOException {
        // A delta on an object shows what is in it as well as the object itself would.
        Set<ObjectId> borrowed = new HashSet<>(outsideBases);
        try (ObjectWalk walk = new ObjectWalk(reader)) {
            RevCommit end = walk.parseCommit(tip);
            if (!walk.isMergedInto(walk.parseCommit(base), end)) {
                throw new Refused(
                        WorkspaceRefusal.BUNDLE_TIP,
                        "commit %s does not descend from the base commit %s".formatted(tip.name(), base.name()));
            }
            walk.reset();
            walk.markStart(walk.parseCommit(tip));
            walk.markUninteresting(walk.parseCommit(base));
            for (RevCommit commit = walk.next(); commit != null; commit = walk.next()) {
                if (!sent(commit)) {
                    throw incomplete(commit);
                }
            }
            for (RevObject object = walk.nextObject(); object != null; object = walk.nextObject()) {
                if (!sent(object)) {
                    borrowed.add(object.copy());
                }
            }
        } catch (MissingObjectException e) {
            throw incomplete(e.getObjectId());
        } catch (IncorrectObjectTypeException e) {
            throw new Refused(WorkspaceRefusal.BUNDLE_TIP, "the branch does not end in a commit");
        }
        if (!borrowed.isEmpty()) {
            requireShared(reader, borrowed);
        }
    }

    private void requireShared(ObjectReader reader, Set<ObjectId> borrowed) throws IOException {
        try (ObjectWalk walk = new ObjectWalk(reader)) {
            RevCommit commit = walk.parseCommit(base);
            walk.markStart(commit.getTree());
            removeReached(walk, borrowed);
            walk.markStart(commit);
            while (!borrowed.isEmpty() && walk.next() != null) {
                // What the commits hold comes after the last of them.
            }
            removeReached(walk, borrowed);
        }
        for (ObjectId object : borrowed) {
            throw incomplete(object);
        }
    }

    private static void removeReached(ObjectWalk walk, Set<ObjectId> borrowed) throws IOException {
        RevObject object = walk.nextObject();
        while (object != null && !borrowed.isEmpty()) {
            borrowed.remove(object);
            object = walk.nextObject();
        }
    }

    private boolean sent(AnyObjectId id) throws IOException {
        return pack != null && pack.hasObject(id) && !outsideBases.contains(id);
    }

    private static Refused incomplete(AnyObjectId missing) {
        return new Refused(
                WorkspaceRefusal.BUNDLE_INCOMPLETE,
                "the branch needs object %s, which is neither in the bundle nor in the base's history"
                        .formatted(missing.name()));
    }

    private static Refused damaged(Exception e) {
        return new Refused(
                WorkspaceRefusal.BUNDLE_DAMAGED,
                "the bundle is damaged: " + Quoted.text(String.valueOf(e.getMessage()), 300));
    }
}
