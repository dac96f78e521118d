package dev.sallyport.agentfile;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/**
 * What agent files said when they were read, for as long as they are the same files: same inode, not changed since. Nobody
 * can set the time of an inode's last change but by the clock, and a file that was changed just now is not remembered at all,
 * because it may be changed again within one tick (what git calls racily clean).
 */
final class ReadBefore {

    /** Coarser than the clock of any file system in use. */
    private static final Duration RACY = Duration.ofSeconds(2);

    private static final long MAX_BYTES = 16 << 20;

    // Whatever changes the content, the size, the time of modification or the name of a file sets ctime as well.
    private static final String ATTRIBUTES = "unix:ctime,ino";

    private final InstantSource clock;
    private final Map<Path, Kept> directories = new LinkedHashMap<>(16, 0.75f, true);

    ReadBefore(InstantSource clock) {
        this.clock = clock;
    }

    /** When a file is the same file with the same content. */
    record Stamp(FileTime changed, long inode) {}

    /**
     * @param name without {@code .md}
     * @param stamp when it was listed, null where there are no inodes
     */
    record Listed(Path path, String name, @Nullable Stamp stamp) {}

    /** @param problem why the file cannot be used, null if it can */
    record Parsed(
            @Nullable AgentDefinition definition,
            List<LoadWarning> warnings,
            @Nullable String problem) {

        Parsed {
            warnings = List.copyOf(warnings);
        }
    }

    private record Entry(Listed file, long bytes, Parsed parsed) {}

    private record Kept(Map<String, Entry> entries, long bytes) {}

    /** One directory, being looked through; what is not seen again is forgotten. */
    static final class Looking {

        private final Map<String, Entry> before;
        private final Map<String, Entry> now = new LinkedHashMap<>();
        private long bytes;

        private Looking(Map<String, Entry> before) {
            this.before = before;
        }

        private void remember(Entry entry) {
            now.put(entry.file().name(), entry);
            bytes += entry.bytes();
        }

        private @Nullable Entry same(Listed file) {
            Entry entry = before.get(file.name());
            return entry != null && Objects.equals(entry.file().stamp(), file.stamp()) ? entry : null;
        }

        /** Whether these are the files of then, unchanged, and no others. */
        boolean isAllOf(List<Listed> files) {
            return files.size() == before.size() && files.stream().allMatch(file -> same(file) != null);
        }

        /** In the order of then. */
        void forEach(BiConsumer<Listed, Parsed> action) {
            before.values().forEach(entry -> action.accept(entry.file(), entry.parsed()));
        }

        /** What this file said, if it is still the same file. */
        @Nullable Parsed find(Listed file) {
            Entry entry = same(file);
            if (entry == null) {
                return null;
            }
            remember(entry);
            return entry.parsed();
        }
    }

    Looking begin(Path directory) {
        synchronized (directories) {
            Kept kept = directories.get(directory);
            return new Looking(kept == null ? Map.of() : kept.entries());
        }
    }

    void end(Path directory, Looking looked) {
        synchronized (directories) {
            directories.put(directory, new Kept(looked.now, looked.bytes));
            long total = directories.values().stream().mapToLong(Kept::bytes).sum();
            for (Iterator<Kept> oldest = directories.values().iterator(); total > MAX_BYTES && oldest.hasNext(); ) {
                total -= oldest.next().bytes();
                oldest.remove();
            }
        }
    }

    /** Empty where there are no inodes: everything is read every time then. */
    static Optional<Stamp> stamp(Path file) {
        try {
            Map<String, Object> is = Files.readAttributes(file, ATTRIBUTES, LinkOption.NOFOLLOW_LINKS);
            return is.get("ctime") instanceof FileTime changed && is.get("ino") instanceof Long inode
                    ? Optional.of(new Stamp(changed, inode))
                    : Optional.empty();
        } catch (IOException | UnsupportedOperationException | IllegalArgumentException e) {
            return Optional.empty();
        }
    }

    /** Remembers it, unless it is a link, whose target may change, or may be changing. */
    void keep(Looking looking, Listed file, Parsed parsed) {
        Stamp listed = file.stamp();
        if (listed == null) {
            return;
        }
        try {
            BasicFileAttributes is =
                    Files.readAttributes(file.path(), BasicFileAttributes.class, LinkOption.NOFOLLOW_LINKS);
            boolean settled =
                    listed.changed().toInstant().isBefore(clock.instant().minus(RACY));
            if (settled && is.isRegularFile() && stamp(file.path()).equals(Optional.of(listed))) {
                looking.remember(new Entry(file, is.size(), parsed));
            }
        } catch (IOException e) {
            // It is gone, and there is nothing to remember.
        }
    }
}
