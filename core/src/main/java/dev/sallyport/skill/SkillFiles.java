package dev.sallyport.skill;

import dev.sallyport.text.Blanks;
import dev.sallyport.text.SafeName;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** Skills as files of a project and a user (authority.md 10). No link is followed below a root; the first root with a hit counts. */
public final class SkillFiles implements Skills {

    /** A file of exactly this many bytes is read. */
    public static final int MAX_BYTES = 65_536;

    private static final int MAX_ENTRIES = 10_000;
    private static final int MAX_OF_PROJECT = 500;
    private static final String FILE = "SKILL.md";
    private static final String SUFFIX = ".md";

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
        List<Root> roots = new ArrayList<>(project == null ? List.of() : roots(project, linkedProject));
        roots.add(new Root(agentDirectory.resolve("skills"), null));
        roots.add(new Root(home.resolve(".agents/skills"), null));
        roots.add(new Root(home.resolve(".pi/skills"), null));
        return new SkillFiles(List.copyOf(roots));
    }

    private static List<Root> roots(Path project, boolean linked) {
        Path within = linked ? null : project;
        return List.of(
                new Root(project.resolve(".pi/skills"), within), new Root(project.resolve(".agents/skills"), within));
    }

    /**
     * Every skill of a project by name: for each the one that {@link #find} would find, read now.
     *
     * @throws IOException if there are too many, or if one of their directories cannot be read
     */
    public static Map<String, Skill> ofProject(Path project, boolean linked) throws IOException {
        Map<String, Skill> skills = new TreeMap<>();
        for (Root root : roots(project, linked)) {
            Path top = root.path();
            if (!Files.isDirectory(top, LinkOption.NOFOLLOW_LINKS) || leaves(root)) {
                continue;
            }
            for (Path file : flat(top)) {
                put(skills, nameOf(file).substring(0, nameOf(file).length() - SUFFIX.length()), file, top);
            }
            for (Path file : nested(top, null)) {
                put(skills, nameOf(Objects.requireNonNull(file.getParent())), file, top);
            }
        }
        return skills;
    }

    private static List<Path> flat(Path top) throws IOException {
        List<Path> files = new ArrayList<>();
        try (DirectoryStream<Path> entries = Files.newDirectoryStream(top)) {
            for (Path entry : entries) {
                if (files.size() > MAX_ENTRIES) {
                    throw new IOException("%s: more than %d entries".formatted(top, MAX_ENTRIES));
                }
                if (nameOf(entry).endsWith(SUFFIX)) {
                    files.add(entry);
                }
            }
        } catch (DirectoryIteratorException e) {
            throw e.getCause();
        }
        return files;
    }

    private static void put(Map<String, Skill> skills, String name, Path file, Path top) throws IOException {
        if (!SafeName.isSafe(name) || !isFile(file) || skills.containsKey(name)) {
            return;
        }
        if (skills.size() == MAX_OF_PROJECT) {
            throw new IOException("more than %d skills".formatted(MAX_OF_PROJECT));
        }
        skills.put(name, read(name, file, top));
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
        Path flat = top.resolve(name + SUFFIX);
        if (isFile(flat)) {
            return Optional.of(read(name, flat, top));
        }
        return nested(top, name).stream().findFirst().map(nested -> read(name, nested, top));
    }

    /**
     * Breadth first; a directory that holds a skill holds no others.
     *
     * @param only the first of this name, null for all
     */
    private static List<Path> nested(Path top, @Nullable String only) throws IOException {
        List<Path> found = new ArrayList<>();
        Deque<Path> open = new ArrayDeque<>(List.of(top));
        int seen = 0;
        while (!open.isEmpty() && (only == null || found.isEmpty())) {
            Path directory = open.remove();
            if (Files.exists(directory.resolve(FILE), LinkOption.NOFOLLOW_LINKS)) {
                continue;
            }
            List<Path> inside = directories(directory, MAX_ENTRIES - seen);
            seen += inside.size();
            inside.stream()
                    .filter(candidate -> only == null || nameOf(candidate).equals(only))
                    .map(candidate -> candidate.resolve(FILE))
                    .filter(file -> isFile(file) && Files.isReadable(file))
                    .forEach(found::add);
            open.addAll(inside);
        }
        return found;
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
