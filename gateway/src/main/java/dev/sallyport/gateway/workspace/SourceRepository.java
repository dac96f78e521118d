package dev.sallyport.gateway.workspace;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.sallyport.gateway.workspace.WorkspaceException.Refused;
import java.io.Closeable;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.eclipse.jgit.errors.ConfigInvalidException;
import org.eclipse.jgit.internal.storage.file.ObjectDirectory;
import org.eclipse.jgit.lib.Config;
import org.eclipse.jgit.lib.ObjectId;
import org.eclipse.jgit.lib.Repository;
import org.eclipse.jgit.util.FS;

/**
 * A repository that may have been written by an attacker (S15). It is read without its configuration, hooks, attributes,
 * alternates, grafts, replace refs, bitmaps, commit graph or multi-pack index: JGit sees a directory of ours with links to
 * the packs and loose objects, and an empty configuration. The configuration is looked into for one thing, whether this
 * code understands the repository at all; what it does not understand is refused.
 */
final class SourceRepository implements Closeable {

    private static final int MAX_REF = 4096;
    private static final int MAX_CONFIG = 1 << 20;
    private static final int MAX_PACKED_REFS = 64 << 20;
    private static final int MAX_OBJECT_FILES = 500_000;
    private static final Pattern POINTER = Pattern.compile("gitdir: ([^\\x00-\\x1f]+)\\n?");
    private static final Pattern SYMBOLIC = Pattern.compile("ref:\\s*(\\S+)\\s*");
    private static final Pattern OBJECT_ID = Pattern.compile("([0-9a-f]{40})\\s*");
    private static final Pattern FAN_OUT = Pattern.compile("[0-9a-f]{2}");
    private static final Pattern PACK = Pattern.compile("pack-[0-9a-f]+\\.(pack|idx)");

    /** Extensions that change nothing for a reader of objects and loose refs. */
    private static final Set<String> HARMLESS_EXTENSIONS =
            Set.of("noop", "preciousobjects", "worktreeconfig", "relativeworktrees");

    private final Deque<HeldDirectory> held = new ArrayDeque<>();
    private final List<Path> roots;
    private final Path top;
    private final String subdirectory;
    private final HeldDirectory git;
    private final HeldDirectory common;
    private final HeldDirectory packs;
    private final ObjectDirectory objects;

    /**
     * @param directory anywhere in the work tree
     * @param view an empty directory of ours, next to nothing that looks like a repository
     */
    static SourceRepository open(Path directory, List<Path> roots, Path view) throws IOException {
        Path start = real(directory);
        List<Path> real = roots.stream()
                .filter(Files::exists)
                .map(SourceRepository::realOrSelf)
                .toList();
        if (real.stream().noneMatch(start::startsWith)) {
            throw outside(directory);
        }
        for (Path top = start; real.stream().anyMatch(top::startsWith); top = top.getParent()) {
            if (Files.exists(top.resolve(".git"), LinkOption.NOFOLLOW_LINKS)) {
                return new SourceRepository(real, top, top.relativize(start).toString(), gitDirectory(top, real), view);
            }
            if (top.getParent() == null) {
                break;
            }
        }
        throw new Refused(
                WorkspaceRefusal.NOT_A_REPOSITORY, "no git repository at " + Quoted.name(directory.toString()));
    }

    private SourceRepository(List<Path> roots, Path top, String subdirectory, GitDirectory directory, Path view)
            throws IOException {
        this.roots = roots;
        this.top = top;
        this.subdirectory = subdirectory;
        try {
            this.git = hold(HeldDirectory.open(directory.git()));
            this.common = hold(HeldDirectory.open(directory.common()));
            HeldDirectory objects = hold(common.child("objects"));
            this.packs = hold(objects.child("pack"));
            refuseWhatIsNotUnderstood(objects);
            link(objects, view);
            // Alternates given as an empty list are not looked for.
            this.objects = new ObjectDirectory(new Config(), view.toFile(), new File[0], FS.DETECTED, null);
        } catch (NoSuchFileException | NotDirectoryException e) {
            throw new Refused(
                    WorkspaceRefusal.REPOSITORY_DAMAGED,
                    "the repository at %s lacks %s".formatted(Quoted.name(top.toString()), Quoted.name(e.getFile())));
        }
    }

    Path top() {
        return top;
    }

    String subdirectory() {
        return subdirectory;
    }

    ObjectDirectory objects() {
        return objects;
    }

    HeldDirectory git() {
        return git;
    }

    HeldDirectory common() {
        return common;
    }

    HeldDirectory packs() {
        return packs;
    }

    /** The branch that HEAD is on; empty where it is detached. */
    Optional<String> branch() throws IOException {
        Matcher symbolic = SYMBOLIC.matcher(headContent());
        return symbolic.matches() && symbolic.group(1).startsWith("refs/heads/")
                ? Optional.of(symbolic.group(1).substring("refs/heads/".length()))
                : Optional.empty();
    }

    ObjectId head() throws IOException {
        String content = headContent();
        Matcher symbolic = SYMBOLIC.matcher(content);
        Matcher detached = OBJECT_ID.matcher(content);
        if (detached.matches()) {
            return ObjectId.fromString(detached.group(1));
        }
        if (!symbolic.matches()) {
            // What it contains instead may come from anywhere, and is not repeated.
            throw new Refused(WorkspaceRefusal.REPOSITORY_DAMAGED, "HEAD is neither a branch nor a commit");
        }
        return ref(symbolic.group(1))
                .orElseThrow(() -> new Refused(WorkspaceRefusal.NO_COMMIT, "HEAD names no commit yet"));
    }

    private String headContent() throws IOException {
        return git.read("HEAD", MAX_REF)
                .map(content -> new String(content, UTF_8))
                .orElseThrow(() -> new Refused(WorkspaceRefusal.REPOSITORY_DAMAGED, "the repository has no HEAD"));
    }

    /** @param name in full, {@code refs/heads/main} */
    Optional<ObjectId> ref(String name) throws IOException {
        if (!name.startsWith("refs/") || !Repository.isValidRefName(name)) {
            throw new Refused(WorkspaceRefusal.REPOSITORY_DAMAGED, "not a name of a ref: " + Quoted.name(name));
        }
        Optional<String> loose = looseRef(name);
        return loose.isPresent() ? loose.map(content -> objectId(name, content)) : packedRef(name);
    }

    private static ObjectId objectId(String name, String content) {
        Matcher id = OBJECT_ID.matcher(content);
        if (!id.matches()) {
            throw new Refused(WorkspaceRefusal.REPOSITORY_DAMAGED, "not a plain ref: " + Quoted.name(name));
        }
        return ObjectId.fromString(id.group(1));
    }

    private Optional<String> looseRef(String name) throws IOException {
        String[] names = name.split("/", -1);
        Deque<HeldDirectory> path = new ArrayDeque<>();
        try {
            HeldDirectory parent = common;
            for (String directory : List.of(names).subList(0, names.length - 1)) {
                Optional<? extends BasicFileAttributes> attributes = parent.attributes(directory);
                if (attributes.isEmpty() || attributes.get().isRegularFile()) {
                    return Optional.empty();
                }
                parent = parent.child(directory);
                path.push(parent);
            }
            String last = names[names.length - 1];
            if (parent.attributes(last).filter(BasicFileAttributes::isDirectory).isPresent()) {
                return Optional.empty();
            }
            return parent.read(last, MAX_REF).map(content -> new String(content, UTF_8));
        } finally {
            for (HeldDirectory directory : path) {
                directory.close();
            }
        }
    }

    private Optional<ObjectId> packedRef(String name) throws IOException {
        return packedRefs()
                .lines()
                .filter(line -> line.length() == 41 + name.length() && line.endsWith(" " + name))
                .map(line -> objectId(name, line.substring(0, 40)))
                .findFirst();
    }

    /** The lines of packed-refs; empty where there is none. */
    String packedRefs() throws IOException {
        return common.read("packed-refs", MAX_PACKED_REFS)
                .map(content -> new String(content, UTF_8))
                .orElse("");
    }

    /** Refuses where the directories that were opened are no longer where they were found. */
    void requireUnmoved() throws IOException {
        GitDirectory now = gitDirectory(top, roots);
        try (HeldDirectory nowGit = HeldDirectory.open(now.git());
                HeldDirectory nowCommon = HeldDirectory.open(now.common());
                HeldDirectory nowObjects = nowCommon.child("objects");
                HeldDirectory nowPacks = nowObjects.child("pack")) {
            if (nowGit.key().equals(git.key())
                    && nowCommon.key().equals(common.key())
                    && nowPacks.key().equals(packs.key())) {
                return;
            }
        } catch (NoSuchFileException | NotDirectoryException e) {
            // Not where it was: the same answer.
        }
        throw new Refused(WorkspaceRefusal.REPOSITORY_CHANGED, "the repository was replaced while it was read");
    }

    private record GitDirectory(Path git, Path common) {}

    private static GitDirectory gitDirectory(Path top, List<Path> roots) throws IOException {
        try (HeldDirectory work = HeldDirectory.open(top)) {
            BasicFileAttributes attributes = work.attributes(".git").orElseThrow(() -> new NoSuchFileException(".git"));
            if (attributes.isDirectory()) {
                return new GitDirectory(top.resolve(".git"), top.resolve(".git"));
            }
            byte[] content = work.read(".git", MAX_REF).orElseThrow(() -> new NoSuchFileException(".git"));
            return worktree(top, new String(content, UTF_8), roots);
        }
    }

    /**
     * Follows the pointer of a linked worktree only where the other end points back. Whoever can write only here could
     * otherwise name any repository below the roots as his.
     */
    private static GitDirectory worktree(Path top, String pointer, List<Path> roots) throws IOException {
        Matcher matcher = POINTER.matcher(pointer);
        if (!matcher.matches()) {
            throw pointer(top);
        }
        Path git;
        try {
            git = real(top.resolve(matcher.group(1)));
        } catch (Refused | InvalidPathException e) {
            throw pointer(top);
        }
        Path worktrees = git.getParent();
        if (worktrees == null
                || worktrees.getParent() == null
                || !worktrees.endsWith("worktrees")
                || roots.stream().noneMatch(git::startsWith)) {
            throw pointer(top);
        }
        Path common = worktrees.getParent();
        try (HeldDirectory administrative = HeldDirectory.open(git)) {
            String back = administrative
                    .read("gitdir", MAX_REF)
                    .map(SourceRepository::line)
                    .orElse("");
            String main = administrative
                    .read("commondir", MAX_REF)
                    .map(SourceRepository::line)
                    .orElse("");
            if (!git.resolve(back).normalize().equals(top.resolve(".git"))
                    || !git.resolve(main).normalize().equals(common)) {
                throw pointer(top);
            }
        } catch (InvalidPathException e) {
            throw pointer(top);
        }
        return new GitDirectory(git, common);
    }

    private static String line(byte[] content) {
        return new String(content, UTF_8).strip();
    }

    private static Refused pointer(Path top) {
        return new Refused(
                WorkspaceRefusal.REPOSITORY_POINTER,
                "%s does not lead to a worktree of a repository below the workspace roots that names it in turn"
                        .formatted(Quoted.name(top.resolve(".git").toString())));
    }

    private void refuseWhatIsNotUnderstood(HeldDirectory objects) throws IOException {
        if (objects.contains("info")) {
            HeldDirectory info = hold(objects.child("info"));
            if (info.contains("alternates") || info.contains("http-alternates")) {
                throw new Refused(
                        WorkspaceRefusal.REPOSITORY_ALTERNATES,
                        "the repository borrows objects of another one (objects/info/alternates)");
            }
        }
        if (common.contains("shallow")) {
            throw new Refused(WorkspaceRefusal.REPOSITORY_SHALLOW, "the repository is shallow: its history ends early");
        }
        if (common.contains("reftable")) {
            throw format("refs in a reftable");
        }
        if (packs.names().stream().anyMatch(name -> name.endsWith(".promisor"))) {
            throw partial();
        }
        Config config = configuration();
        for (String extension : config.getNames("extensions")) {
            String value = config.getString("extensions", null, extension);
            switch (extension.toLowerCase(Locale.ROOT)) {
                case "objectformat" -> require(extension, value, "sha1");
                case "refstorage" -> require(extension, value, "files");
                case "partialclone" -> throw partial();
                default -> {
                    if (!HARMLESS_EXTENSIONS.contains(extension.toLowerCase(Locale.ROOT))) {
                        throw format("extension " + Quoted.name(extension));
                    }
                }
            }
        }
        String version = config.getString("core", null, "repositoryformatversion");
        if (version != null && !version.equals("0") && !version.equals("1")) {
            throw format("repository format version " + Quoted.name(version));
        }
    }

    private Config configuration() throws IOException {
        Config config = new Config();
        try {
            // This class of JGit's, unlike its file-based ones, does not follow include.path.
            config.fromText(common.read("config", MAX_CONFIG)
                    .map(content -> new String(content, UTF_8))
                    .orElse(""));
        } catch (ConfigInvalidException e) {
            throw format("a configuration that does not parse");
        }
        return config;
    }

    private static void require(String extension, String value, String expected) {
        if (!expected.equals(value)) {
            throw format("extension %s = %s".formatted(Quoted.name(extension), Quoted.name(value)));
        }
    }

    private static Refused format(String what) {
        return new Refused(WorkspaceRefusal.REPOSITORY_FORMAT, "the repository uses " + what);
    }

    private static Refused partial() {
        return new Refused(
                WorkspaceRefusal.REPOSITORY_PARTIAL, "the repository is a partial clone: some objects are elsewhere");
    }

    private void link(HeldDirectory objects, Path view) throws IOException {
        Path pack = Files.createDirectories(view.resolve("pack"));
        Map<Object, Path> descriptors = HeldDirectory.descriptors();
        for (String name : packs.names()) {
            if (PACK.matcher(name).matches() && packs.isRegularFile(name)) {
                Files.createSymbolicLink(
                        pack.resolve(name), packs.descriptor(descriptors).resolve(name));
            }
        }
        Map<String, HeldDirectory> fanOuts = new TreeMap<>();
        int files = 0;
        for (String name : objects.names()) {
            if (FAN_OUT.matcher(name).matches()) {
                HeldDirectory fanOut = hold(objects.child(name));
                fanOuts.put(name, fanOut);
                for (String object : fanOut.names()) {
                    if (!fanOut.isRegularFile(object) || ++files > MAX_OBJECT_FILES) {
                        throw new Refused(
                                WorkspaceRefusal.REPOSITORY_TOO_LARGE,
                                "more than %d loose objects (run `git gc`)".formatted(MAX_OBJECT_FILES));
                    }
                }
            }
        }
        Map<Object, Path> all = HeldDirectory.descriptors();
        for (Map.Entry<String, HeldDirectory> fanOut : fanOuts.entrySet()) {
            Files.createSymbolicLink(
                    view.resolve(fanOut.getKey()), fanOut.getValue().descriptor(all));
        }
    }

    private HeldDirectory hold(HeldDirectory directory) {
        held.push(directory);
        return directory;
    }

    private static Path real(Path directory) throws IOException {
        try {
            return directory.toRealPath();
        } catch (NoSuchFileException e) {
            throw new Refused(
                    WorkspaceRefusal.NOT_A_REPOSITORY, "no such directory: " + Quoted.name(directory.toString()));
        }
    }

    private static Path realOrSelf(Path root) {
        try {
            return root.toRealPath();
        } catch (IOException e) {
            return root;
        }
    }

    private static Refused outside(Path directory) {
        return new Refused(
                WorkspaceRefusal.OUTSIDE_ROOTS,
                "%s lies below no workspace root".formatted(Quoted.name(directory.toString())));
    }

    @Override
    public void close() throws IOException {
        for (HeldDirectory directory : held) {
            directory.close();
        }
    }
}
