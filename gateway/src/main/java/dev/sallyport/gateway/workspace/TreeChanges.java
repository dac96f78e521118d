package dev.sallyport.gateway.workspace;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.sallyport.gateway.workspace.ChangedFile.Kind;
import dev.sallyport.gateway.workspace.WorkspaceException.Refused;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.Base64;
import java.util.HexFormat;
import java.util.List;
import org.eclipse.jgit.diff.DiffFormatter;
import org.eclipse.jgit.errors.IncorrectObjectTypeException;
import org.eclipse.jgit.errors.MissingObjectException;
import org.eclipse.jgit.lib.Config;
import org.eclipse.jgit.lib.Constants;
import org.eclipse.jgit.lib.FileMode;
import org.eclipse.jgit.lib.ObjectId;
import org.eclipse.jgit.lib.ObjectLoader;
import org.eclipse.jgit.lib.ObjectReader;
import org.eclipse.jgit.revwalk.RevCommit;
import org.eclipse.jgit.revwalk.RevWalk;
import org.eclipse.jgit.treewalk.TreeWalk;
import org.eclipse.jgit.treewalk.filter.TreeFilter;

/** What differs between two commits. Only objects are read: no attribute, filter or driver has a say. */
final class TreeChanges {

    private static final int TEXT_BYTES = 4 << 20;

    private final ObjectReader reader;
    private final RevCommit base;
    private final RevCommit tip;
    private final long limit;

    TreeChanges(ObjectReader reader, ObjectId base, ObjectId tip, long limit) throws IOException {
        this.reader = reader;
        this.limit = limit;
        try (RevWalk walk = new RevWalk(reader)) {
            this.base = walk.parseCommit(base);
            this.tip = walk.parseCommit(tip);
        } catch (MissingObjectException | IncorrectObjectTypeException e) {
            throw new Refused(
                    WorkspaceRefusal.COMMIT_MISSING,
                    "the repository lacks commit %s or %s".formatted(base.name(), tip.name()));
        }
    }

    String diff() throws IOException {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        try (DiffFormatter formatter = new DiffFormatter(new LimitedOutput(out, limit, this::tooLarge))) {
            formatter.setReader(reader, new Config());
            formatter.setBinaryFileThreshold(TEXT_BYTES);
            formatter.setDetectRenames(false);
            formatter.format(base.getTree(), tip.getTree());
        }
        return out.toString(UTF_8);
    }

    private Refused tooLarge() {
        return new Refused(WorkspaceRefusal.DIFF_TOO_LARGE, "the diff has more than %d bytes".formatted(limit));
    }

    List<ChangedFile> names() throws IOException {
        return walk(false);
    }

    List<ChangedFile> withContents() throws IOException {
        return walk(true);
    }

    private List<ChangedFile> walk(boolean contents) throws IOException {
        List<ChangedFile> files = new ArrayList<>();
        long left = limit;
        try (TreeWalk walk = new TreeWalk(reader)) {
            walk.addTree(base.getTree());
            walk.addTree(tip.getTree());
            walk.setFilter(TreeFilter.ANY_DIFF);
            walk.setRecursive(true);
            while (walk.next()) {
                FileMode before = walk.getFileMode(0);
                FileMode after = walk.getFileMode(1);
                String oldSha256 = null;
                String content = null;
                if (contents && isBlob(before)) {
                    oldSha256 = sha256(walk.getObjectId(0));
                }
                if (contents && isBlob(after)) {
                    byte[] bytes = content(walk.getObjectId(1), left);
                    left -= bytes.length;
                    content = Base64.getEncoder().encodeToString(bytes);
                }
                files.add(new ChangedFile(
                        walk.getPathString(),
                        (after.equals(FileMode.MISSING) ? before : after).toString(),
                        kind(before, after),
                        oldSha256,
                        content));
            }
        }
        return files;
    }

    private static Kind kind(FileMode before, FileMode after) {
        if (before.equals(FileMode.MISSING)) {
            return Kind.ADDED;
        }
        return after.equals(FileMode.MISSING) ? Kind.DELETED : Kind.MODIFIED;
    }

    private static boolean isBlob(FileMode mode) {
        return mode.getObjectType() == Constants.OBJ_BLOB;
    }

    private byte[] content(ObjectId blob, long left) throws IOException {
        ObjectLoader loader = reader.open(blob, Constants.OBJ_BLOB);
        if (loader.getSize() > left) {
            throw new Refused(
                    WorkspaceRefusal.CHANGES_TOO_LARGE, "the changed files have more than %d bytes".formatted(limit));
        }
        return loader.getBytes((int) limit);
    }

    private String sha256(ObjectId blob) throws IOException {
        try {
            MessageDigest digest = MessageDigest.getInstance("SHA-256");
            reader.open(blob, Constants.OBJ_BLOB)
                    .copyTo(new java.security.DigestOutputStream(OutputStream.nullOutputStream(), digest));
            return HexFormat.of().formatHex(digest.digest());
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException(e);
        }
    }
}
