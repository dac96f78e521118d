package dev.sallyport.gateway.workspace;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.PosixFileAttributes;
import java.nio.file.attribute.PosixFilePermission;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashSet;
import java.util.Optional;
import java.util.Set;
import org.eclipse.jgit.dircache.DirCache;
import org.eclipse.jgit.dircache.DirCacheEntry;
import org.eclipse.jgit.dircache.DirCacheIterator;
import org.eclipse.jgit.ignore.IgnoreNode;
import org.eclipse.jgit.lib.AnyObjectId;
import org.eclipse.jgit.lib.Constants;
import org.eclipse.jgit.lib.FileMode;
import org.eclipse.jgit.lib.ObjectId;
import org.eclipse.jgit.lib.ObjectInserter;
import org.eclipse.jgit.lib.ObjectReader;
import org.eclipse.jgit.treewalk.TreeWalk;
import org.eclipse.jgit.treewalk.filter.TreeFilter;
import org.eclipse.jgit.util.FS;
import org.jspecify.annotations.Nullable;

/**
 * Counts what a clone will not see. Contents are compared as they lie on disk, because what turns them into what git would
 * store is a filter, and filters are programs.
 */
final class Uncommitted {

    private static final int MAX_IGNORE = 1 << 20;

    private final SourceRepository source;
    private final Path top;
    private final Set<String> tracked = new HashSet<>();
    private final Set<String> changed = new HashSet<>();
    private int untracked;

    Uncommitted(SourceRepository source) {
        this.source = source;
        this.top = source.top();
    }

    int count(AnyObjectId tree) throws IOException {
        Path indexFile = source.git().descriptor().resolve("index");
        Instant written = Instant.MAX;
        DirCache index = DirCache.newInCore();
        if (source.git().isRegularFile("index")) {
            written = Files.getLastModifiedTime(indexFile).toInstant();
            index = DirCache.read(indexFile.toFile(), FS.DETECTED);
        }
        compareIndex(tree, index);
        for (int i = 0; i < index.getEntryCount(); i++) {
            DirCacheEntry entry = index.getEntry(i);
            tracked.add(entry.getPathString());
            if (entry.getStage() != DirCacheEntry.STAGE_0 || isChanged(entry, written)) {
                changed.add(entry.getPathString());
            }
        }
        Files.walkFileTree(top, new Untracked());
        return changed.size() + untracked;
    }

    private void compareIndex(AnyObjectId tree, DirCache index) throws IOException {
        try (ObjectReader reader = source.objects().newReader();
                TreeWalk walk = new TreeWalk(reader)) {
            walk.addTree(tree);
            walk.addTree(new DirCacheIterator(index));
            walk.setFilter(TreeFilter.ANY_DIFF);
            walk.setRecursive(true);
            while (walk.next()) {
                changed.add(walk.getPathString());
            }
        }
    }

    private boolean isChanged(DirCacheEntry entry, Instant indexWritten) throws IOException {
        if (entry.isSkipWorkTree()
                || entry.isAssumeValid()
                || entry.getFileMode().equals(FileMode.GITLINK)) {
            return false;
        }
        Path file = top.resolve(entry.getPathString());
        PosixFileAttributes attributes;
        try {
            attributes = Files.readAttributes(file, PosixFileAttributes.class, LinkOption.NOFOLLOW_LINKS);
        } catch (IOException e) {
            return true;
        }
        if (!mode(attributes).equals(entry.getFileMode())) {
            return true;
        }
        Instant modified = attributes.lastModifiedTime().toInstant();
        if (entry.getLength() == (int) attributes.size()
                && modified.equals(entry.getLastModifiedInstant())
                && modified.isBefore(indexWritten)) {
            return false;
        }
        return !id(file, attributes).equals(entry.getObjectId());
    }

    private static FileMode mode(PosixFileAttributes attributes) {
        if (attributes.isSymbolicLink()) {
            return FileMode.SYMLINK;
        }
        if (!attributes.isRegularFile()) {
            return FileMode.MISSING;
        }
        return attributes.permissions().contains(PosixFilePermission.OWNER_EXECUTE)
                ? FileMode.EXECUTABLE_FILE
                : FileMode.REGULAR_FILE;
    }

    private static ObjectId id(Path file, PosixFileAttributes attributes) throws IOException {
        try (ObjectInserter.Formatter formatter = new ObjectInserter.Formatter()) {
            if (attributes.isSymbolicLink()) {
                return formatter.idFor(
                        Constants.OBJ_BLOB,
                        Files.readSymbolicLink(file).toString().getBytes(UTF_8));
            }
            try (InputStream content = Files.newInputStream(file, LinkOption.NOFOLLOW_LINKS)) {
                return formatter.idFor(Constants.OBJ_BLOB, attributes.size(), content);
            }
        }
    }

    /** Ignore rules, the nearest directory's first. */
    private final class Untracked extends SimpleFileVisitor<Path> {

        private final Deque<Rules> rules = new ArrayDeque<>();

        private record Rules(Path directory, IgnoreNode node) {}

        @Override
        public FileVisitResult preVisitDirectory(Path directory, BasicFileAttributes attributes) throws IOException {
            if (directory.equals(top)) {
                pushExcludes();
            } else {
                if (directory.endsWith(".git") || isIgnored(directory, true)) {
                    return FileVisitResult.SKIP_SUBTREE;
                }
                if (Files.exists(directory.resolve(".git"), LinkOption.NOFOLLOW_LINKS)) {
                    count(directory);
                    return FileVisitResult.SKIP_SUBTREE;
                }
            }
            push(directory, content(directory.resolve(".gitignore")));
            return FileVisitResult.CONTINUE;
        }

        @Override
        public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) {
            if (!file.endsWith(".git") && !isIgnored(file, false)) {
                count(file);
            }
            return FileVisitResult.CONTINUE;
        }

        @Override
        public FileVisitResult visitFileFailed(Path file, IOException unreadable) {
            return FileVisitResult.CONTINUE;
        }

        @Override
        public FileVisitResult postVisitDirectory(Path directory, @Nullable IOException e) {
            rules.pop();
            return FileVisitResult.CONTINUE;
        }

        private void count(Path file) {
            String path = top.relativize(file).toString();
            if (!tracked.contains(path) && !changed.contains(path)) {
                untracked++;
            }
        }

        private boolean isIgnored(Path file, boolean directory) {
            for (Rules each : rules) {
                Boolean ignored = each.node()
                        .checkIgnored(each.directory().relativize(file).toString(), directory);
                if (ignored != null) {
                    return ignored;
                }
            }
            return false;
        }

        private void pushExcludes() throws IOException {
            if (source.common().contains("info")) {
                try (HeldDirectory info = source.common().child("info")) {
                    push(top, info.read("exclude", MAX_IGNORE));
                }
            }
        }

        private Optional<byte[]> content(Path ignore) throws IOException {
            if (!Files.isRegularFile(ignore, LinkOption.NOFOLLOW_LINKS)) {
                return Optional.empty();
            }
            try (InputStream in = Files.newInputStream(ignore, LinkOption.NOFOLLOW_LINKS)) {
                return Optional.of(in.readNBytes(MAX_IGNORE));
            } catch (NoSuchFileException e) {
                return Optional.empty();
            }
        }

        private void push(Path directory, Optional<byte[]> content) throws IOException {
            IgnoreNode node = new IgnoreNode();
            node.parse(new ByteArrayInputStream(content.orElse(new byte[0])));
            rules.push(new Rules(directory, node));
        }
    }
}
