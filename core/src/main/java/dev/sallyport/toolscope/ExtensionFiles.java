package dev.sallyport.toolscope;

import dev.sallyport.json.Digests;
import dev.sallyport.json.JsonObject;
import dev.sallyport.json.StrictJson;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Extensions as directories, each with a manifest {@value #MANIFEST} that says what starts it: {@code command} and, if need be,
 * {@code args}. Nothing of them is ever run where they lie (P8). No link is followed.
 *
 * @param found by name of the directory
 * @param problems of those that cannot be used, for people
 */
public record ExtensionFiles(List<Found> found, List<String> problems) {

    public static final ExtensionFiles NONE = new ExtensionFiles(List.of(), List.of());

    public static final String MANIFEST = "extension.json";

    private static final Pattern NAME = Pattern.compile("[A-Za-z0-9][A-Za-z0-9._-]{0,62}");
    private static final int LARGEST_MANIFEST = 65_536;
    private static final int MOST = 100;
    private static final int MOST_FILES = 2_000;
    private static final long MOST_BYTES = 64L << 20;

    public ExtensionFiles {
        found = List.copyOf(found);
        problems = List.copyOf(problems);
    }

    /**
     * One that could be loaded.
     *
     * @param command that starts it in its directory
     * @param pinned digest of the files that may be loaded; null for whatever is there
     */
    public record Found(
            Path directory,
            Extension extension,
            List<String> command,
            @Nullable String pinned) {

        public Found {
            command = List.copyOf(command);
        }

        /** Of its directory, by which it is known to its child. */
        public String name() {
            return extension.entry();
        }
    }

    /** Those of one directory, which need not be there. */
    public static ExtensionFiles in(Path directory) {
        List<Found> found = new ArrayList<>();
        List<String> problems = new ArrayList<>();
        for (Path entry : entries(directory, problems)) {
            String name = String.valueOf(entry.getFileName());
            if (!Files.exists(entry.resolve(MANIFEST), LinkOption.NOFOLLOW_LINKS)) {
                continue;
            }
            try {
                if (!NAME.matcher(name).matches() || !Files.isDirectory(entry, LinkOption.NOFOLLOW_LINKS)) {
                    throw new IOException("expected a directory with a name of letters, digits, `.`, `_` and `-`");
                }
                Extension extension = new Extension(name, List.of(name.toLowerCase(Locale.ROOT)));
                found.add(new Found(entry, extension, command(entry), null));
            } catch (IOException | IllegalArgumentException e) {
                problems.add("extension `%s`: %s".formatted(name, e.getMessage()));
            }
        }
        return new ExtensionFiles(found, problems);
    }

    /** The same, each with the digest of its files; those that cannot be copied, or are too large together, are left out. */
    public ExtensionFiles pinned() {
        Budget budget = new Budget();
        List<Found> pinned = new ArrayList<>();
        List<String> about = new ArrayList<>(problems);
        for (Found one : found) {
            try {
                String digest = digest(one.directory(), null, budget);
                pinned.add(new Found(one.directory(), one.extension(), one.command(), digest));
            } catch (IOException e) {
                about.add("extension `%s`: %s".formatted(one.name(), e.getMessage()));
            }
        }
        return new ExtensionFiles(pinned, about);
    }

    /** These and others; of two with one name, which a child could not tell apart, the one that is here. */
    public ExtensionFiles and(ExtensionFiles others) {
        List<Found> all = new ArrayList<>(found);
        List<String> about = new ArrayList<>(problems);
        about.addAll(others.problems);
        for (Found other : others.found) {
            if (found.stream().anyMatch(one -> one.name().equalsIgnoreCase(other.name()))) {
                about.add("extension `%s`: another one has its name".formatted(other.directory()));
            } else {
                all.add(other);
            }
        }
        return new ExtensionFiles(all, about);
    }

    private static List<Path> entries(Path directory, List<String> problems) {
        if (!Files.isDirectory(directory)) {
            return List.of();
        }
        List<Path> entries = new ArrayList<>();
        try (DirectoryStream<Path> stream = Files.newDirectoryStream(directory)) {
            for (Path entry : stream) {
                if (entries.size() == MOST) {
                    problems.add("`%s` has more than %d entries".formatted(directory, MOST));
                    return List.of();
                }
                entries.add(entry);
            }
        } catch (IOException | java.nio.file.DirectoryIteratorException e) {
            problems.add("`%s` cannot be read".formatted(directory));
        }
        Collections.sort(entries);
        return entries;
    }

    private static List<String> command(Path directory) throws IOException {
        byte[] text = read(directory.resolve(MANIFEST), LARGEST_MANIFEST);
        JsonObject manifest = JsonObject.of(
                MANIFEST,
                StrictJson.parse(StandardCharsets.UTF_8
                        .newDecoder()
                        .decode(ByteBuffer.wrap(text))
                        .toString()));
        List<String> command = new ArrayList<>(List.of(manifest.text("command")));
        command.addAll(manifest.optional("args") == null ? List.of() : manifest.texts("args"));
        manifest.end();
        if (command.getFirst().isEmpty() || command.stream().anyMatch(word -> word.indexOf('\0') >= 0)) {
            throw new IOException("command: expected words without NUL, the first not empty");
        }
        return command;
    }

    /**
     * Hashes a directory and, on the way, copies it: exactly what is hashed, readable by everybody and writable by nobody else.
     *
     * @param to must not exist; null to copy nothing
     * @return SHA-256 over the name, kind and content of everything in it
     * @throws IOException also if something in it is neither file nor directory, or if it is too large
     */
    public static String digest(Path directory, @Nullable Path to) throws IOException {
        return digest(directory, to, new Budget());
    }

    /** What is left to be read. */
    private static final class Budget {

        private int files = MOST_FILES;
        private long bytes = MOST_BYTES;
    }

    private static String digest(Path directory, @Nullable Path to, Budget left) throws IOException {
        Digests digests = Digests.of("sallyport-extension-v1");
        for (Path path : tree(directory)) {
            Path relative = directory.relativize(path);
            if (--left.files < 0) {
                throw new IOException("more than %d files".formatted(MOST_FILES));
            }
            if (Files.isDirectory(path, LinkOption.NOFOLLOW_LINKS)) {
                digests.field(relative.toString()).field("directory");
                make(to, relative);
            } else if (Files.isRegularFile(path, LinkOption.NOFOLLOW_LINKS)) {
                byte[] content = read(path, left.bytes);
                left.bytes -= content.length;
                boolean program = Files.isExecutable(path);
                digests.field(relative.toString())
                        .field(program ? "program" : "file")
                        .field(Digests.sha256(content));
                write(to, relative, content, program);
            } else {
                throw new IOException("`%s` is neither a file nor a directory".formatted(relative));
            }
        }
        return digests.hex();
    }

    /** Parents first, in a defined order. */
    private static List<Path> tree(Path directory) throws IOException {
        try (Stream<Path> walk = Files.walk(directory)) {
            return walk.limit(MOST_FILES + 1L).sorted().toList();
        } catch (java.io.UncheckedIOException e) {
            throw Objects.requireNonNull(e.getCause());
        }
    }

    private static void make(@Nullable Path to, Path relative) throws IOException {
        if (to != null) {
            Path made = Files.createDirectories(to.resolve(relative.toString()));
            Files.setPosixFilePermissions(made, PosixFilePermissions.fromString("rwxr-xr-x"));
        }
    }

    private static void write(@Nullable Path to, Path relative, byte[] content, boolean program) throws IOException {
        if (to != null) {
            Path written = Files.write(to.resolve(relative.toString()), content);
            Files.setPosixFilePermissions(
                    written, PosixFilePermissions.fromString(program ? "rwxr-xr-x" : "rw-r--r--"));
        }
    }

    private static byte[] read(Path file, long most) throws IOException {
        try (InputStream in = Files.newInputStream(file, LinkOption.NOFOLLOW_LINKS)) {
            byte[] content = in.readNBytes((int) most + 1);
            if (content.length > most) {
                throw new IOException("larger than %d bytes".formatted(most));
            }
            return content;
        }
    }
}
