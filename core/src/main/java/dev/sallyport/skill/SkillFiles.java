package dev.sallyport.skill;

import dev.sallyport.text.Blanks;
import dev.sallyport.text.SafeName;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Skills as files of a project and a user (authority.md 10). No link is followed below a root; the first root with a hit counts. */
public final class SkillFiles implements Skills {

    /** A file of exactly this many bytes is read. */
    public static final int MAX_BYTES = 65_536;

    private static final int MAX_ENTRIES = 10_000;
    private static final String FILE = "SKILL.md";

    private final List<Root> roots;

    private SkillFiles(List<Root> roots) {
        this.roots = roots;
    }

    /** @param within what the root must not lead out of, null for anywhere */
    private record Root(Path path, @Nullable Path within) {}

    /**
     * The skills of a user and a project.
     *
     * @param project null for none
     * @param linkedProject whether directories above a project's skills may be links that lead out of it
     */
    public static SkillFiles of(@Nullable Path project, Path agentDirectory, Path home, boolean linkedProject) {
        List<Root> roots = new ArrayList<>();
        if (project != null) {
            Path within = linkedProject ? null : project;
            roots.add(new Root(project.resolve(".pi/skills"), within));
            roots.add(new Root(project.resolve(".agents/skills"), within));
        }
        roots.add(new Root(agentDirectory.resolve("skills"), null));
        roots.add(new Root(home.resolve(".agents/skills"), null));
        roots.add(new Root(home.resolve(".pi/skills"), null));
        return new SkillFiles(List.copyOf(roots));
    }

    @Override
    public Skill find(String name) {
        if (!SafeName.isSafe(name)) {
            return Skill.unsafe(name);
        }
        for (Root root : roots) {
            try {
                Optional<Skill> found = in(root, name);
                if (found.isPresent()) {
                    return found.get();
                }
            } catch (IOException unreadable) {
                // What cannot be read must not be replaced by what a lower root says.
                return Skill.missing(name, "%s cannot be read".formatted(root.path()));
            }
        }
        return Skill.missing(name);
    }

    private static Optional<Skill> in(Root root, String name) throws IOException {
        Path top = root.path();
        if (!Files.isDirectory(top, LinkOption.NOFOLLOW_LINKS) || leaves(root)) {
            return Optional.empty();
        }
        Path flat = top.resolve(name + ".md");
        if (isFile(flat)) {
            return Optional.of(read(name, flat, top));
        }
        Path nested = nested(top, name);
        return nested == null ? Optional.empty() : Optional.of(read(name, nested, top));
    }

    /** Breadth first; a directory that holds a skill holds no others. */
    private static @Nullable Path nested(Path top, String name) throws IOException {
        Deque<Path> open = new ArrayDeque<>(List.of(top));
        int seen = 0;
        while (!open.isEmpty()) {
            Path directory = open.remove();
            if (Files.exists(directory.resolve(FILE), LinkOption.NOFOLLOW_LINKS)) {
                continue;
            }
            List<Path> inside = directories(directory, MAX_ENTRIES - seen);
            seen += inside.size();
            for (Path candidate : inside) {
                Path file = candidate.resolve(FILE);
                if (nameOf(candidate).equals(name) && isFile(file) && Files.isReadable(file)) {
                    return file;
                }
            }
            open.addAll(inside);
        }
        return null;
    }

    private static List<Path> directories(Path directory, int most) throws IOException {
        List<Path> directories = new ArrayList<>();
        int entries = 0;
        try (DirectoryStream<Path> stream = Files.newDirectoryStream(directory)) {
            for (Path entry : stream) {
                if (++entries > most) {
                    throw new IOException("more than %d entries".formatted(MAX_ENTRIES));
                }
                String name = nameOf(entry);
                if (!name.startsWith(".")
                        && !name.equals("node_modules")
                        && Files.isDirectory(entry, LinkOption.NOFOLLOW_LINKS)) {
                    directories.add(entry);
                }
            }
        }
        directories.sort(Comparator.comparing(SkillFiles::nameOf));
        return directories;
    }

    private static Skill read(String name, Path file, Path top) {
        try (InputStream in = Files.newInputStream(file, LinkOption.NOFOLLOW_LINKS)) {
            // Asked again once it is open: a directory on the way may have been swapped for a link meanwhile.
            if (!file.toRealPath().startsWith(top.toRealPath())) {
                return Skill.missing(name, "leads out of " + top);
            }
            byte[] bytes = in.readNBytes(MAX_BYTES + 1);
            if (bytes.length > MAX_BYTES) {
                return Skill.missing(name, "larger than %d bytes".formatted(MAX_BYTES));
            }
            String text = StandardCharsets.UTF_8
                    .newDecoder()
                    .decode(ByteBuffer.wrap(bytes))
                    .toString();
            return Skill.found(name, file.toString(), Blanks.trim(text));
        } catch (CharacterCodingException e) {
            return Skill.missing(name, "not UTF-8");
        } catch (IOException e) {
            return Skill.missing(name, "cannot be read");
        }
    }

    private static boolean isFile(Path path) {
        return Files.isRegularFile(path, LinkOption.NOFOLLOW_LINKS);
    }

    private static boolean leaves(Root root) throws IOException {
        return root.within() != null
                && !root.path().toRealPath().startsWith(root.within().toRealPath());
    }

    private static String nameOf(Path path) {
        return String.valueOf(path.getFileName());
    }
}
