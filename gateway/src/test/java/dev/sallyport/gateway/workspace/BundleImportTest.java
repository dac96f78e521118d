package dev.sallyport.gateway.workspace;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.sallyport.gateway.workspace.BundleBuilder.Entry;
import dev.sallyport.gateway.workspace.WorkspaceException.Refused;
import dev.sallyport.identity.ChildId;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestInstance.Lifecycle;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** S16, clause by clause, each with the bundle that breaks it. A refused bundle leaves nothing at all. */
@TestInstance(Lifecycle.PER_CLASS)
class BundleImportTest {

    private static final ChildId CHILD = new ChildId("abcdefghijklmnop");
    private static final String REF = "refs/heads/pi-agent-abcdefghijklmnop";
    private static final String SECRET = "only on the owner's own branch\n".repeat(20);

    private Path temp;

    private WorkspaceSettings settings;
    private Workspaces workspaces;
    private GitRepository repository;
    private String older;
    private String base;
    private String blob;
    private String secret;
    private Set<String> before;
    private BundleBuilder bundle;

    @BeforeAll
    void makeRepository(@TempDir Path directory) {
        temp = directory;
        settings = new WorkspaceSettings(
                List.of(temp.resolve("root")),
                temp.resolve("scratch"),
                Duration.ofMinutes(2),
                1 << 20,
                1 << 20,
                200,
                1 << 20,
                4 << 20,
                50,
                1 << 20);
        workspaces = new Workspaces(settings);
        repository = GitRepository.init(temp.resolve("root/project"));
        older = repository.write("a.txt", "a\n").commit("older");
        base = repository.write("a.txt", "b\n").commit("base");
        blob = repository.git("rev-parse", "HEAD:a.txt");
        repository.git("checkout", "-q", "-b", "private");
        repository.write("secret.txt", SECRET).commit("private");
        secret = repository.git("rev-parse", "HEAD:secret.txt");
        repository.git("checkout", "-q", "main");
    }

    @BeforeEach
    void remember() throws IOException {
        before = files();
        bundle = new BundleBuilder().line("-" + base + " base");
    }

    @AfterEach
    void nothingIsLeft() throws IOException {
        assertThat(temp.resolve("scratch")).isEmptyDirectory();
        assertThat(files()).isEqualTo(before);
        repository.git("fsck", "--full", "--strict");
    }

    private Set<String> files() throws IOException {
        try (Stream<Path> tree = Files.walk(repository.path(".git"))) {
            Set<String> files = new TreeSet<>();
            for (Path file : tree.toList()) {
                // A ref that was moved has the name that it had.
                files.add(
                        Files.isRegularFile(file)
                                ? file + " " + HexFormat.of().formatHex(Files.readAllBytes(file))
                                : file.toString());
            }
            return files;
        }
    }

    @Test
    void refusesMoreBytesThanTheLimit() {
        bundle.line(bundle.commit(bundle.tree(new Entry("100644", "x", bundle.blob(noise(1 << 20)))), base) + " "
                + REF);

        assertRefused(WorkspaceRefusal.BUNDLE_TOO_LARGE, "expected: at most 1048576");
    }

    @Test
    void refusesMoreObjectsThanTheLimit() {
        for (int i = 0; i < 199; i++) {
            bundle.blob("" + i);
        }
        tip(new Entry("100644", "a.txt", blob));

        assertRefused(WorkspaceRefusal.BUNDLE_OBJECTS, "holds 201 objects");
    }

    @Test
    void believesNoCountOfObjectsInAHeader() {
        tip(new Entry("100644", "a.txt", blob));
        bundle.claim(-1);

        assertRefused(WorkspaceRefusal.BUNDLE_OBJECTS, "holds 4294967295 objects");
    }

    @Test
    void refusesAnObjectThatInflatesBeyondTheLimit() {
        tip(new Entry("100644", "x", bundle.blob(new byte[(1 << 20) + 1])));

        assertRefused(WorkspaceRefusal.BUNDLE_OBJECT_TOO_LARGE, "1048577 bytes");
    }

    @Test
    void refusesATotalThatInflatesBeyondTheLimit() {
        for (int i = 0; i < 5; i++) {
            byte[] content = new byte[1 << 20];
            content[0] = (byte) i;
            bundle.blob(content);
        }
        tip(new Entry("100644", "a.txt", blob));

        assertRefused(WorkspaceRefusal.BUNDLE_INFLATED, "more than 4194304 bytes");
    }

    @Test
    void refusesADeltaThatMakesMoreThanTheLimit() {
        int offset = bundle.offset();
        bundle.blob(new byte[60_000]);
        bundle.offsetDelta(offset, BundleBuilder.delta(60_000, 100_000, ""));
        tip(new Entry("100644", "a.txt", blob));

        assertRefused(WorkspaceRefusal.BUNDLE_OBJECT_TOO_LARGE, "6000000000 bytes");
    }

    @Test
    void refusesAnObjectLongerThanItSays() {
        bundle.raw(3, 10, new byte[0], new byte[1 << 24]);
        tip(new Entry("100644", "a.txt", blob));

        assertRefused(WorkspaceRefusal.BUNDLE_DAMAGED, "longer than it says");
    }

    @Test
    void refusesALongerChainOfDeltasThanGitMakes() {
        chain(51);

        assertRefused(WorkspaceRefusal.BUNDLE_DELTA_DEPTH, "more than 50 deltas");
    }

    private void chain(int length) {
        int offset = bundle.offset();
        bundle.blob("0123456789abcdef");
        for (int i = 0; i < length; i++) {
            int next = bundle.offset();
            bundle.offsetDelta(offset, BundleBuilder.delta(16 + i, 1, "x"));
            offset = next;
        }
        tip(new Entry("100644", "a.txt", blob));
    }

    @Test
    void refusesNamesThatLeadElsewhere() {
        tip(new Entry("100644", ".git", blob));

        assertRefused(WorkspaceRefusal.BUNDLE_OBJECT_INVALID, "hasDotgit");
    }

    @Test
    void refusesNamesThatLeadElsewhereOnAnotherDisk() {
        tip(new Entry("100644", ".g\u200cit", blob));

        assertRefused(WorkspaceRefusal.BUNDLE_PATH, "`.g\\u{200c}it`");
    }

    @Test
    void refusesModesWithALeadingZero() {
        tip(new Entry("0100644", "a.txt", blob));

        assertRefused(WorkspaceRefusal.BUNDLE_OBJECT_INVALID, "zeroPaddedFilemode");
    }

    @Test
    void refusesSubmodulesThatRunACommand() {
        String gitmodules = bundle.blob("[submodule \"x\"]\n path = x\n url = ext::sh -c id\n");
        tip(new Entry("100644", ".gitmodules", gitmodules));

        assertRefused(WorkspaceRefusal.BUNDLE_SUBMODULE, "`ext::sh -c id`");
    }

    @Test
    void refusesTreesOutOfOrder() {
        tip(new Entry("100644", "b", blob), new Entry("100644", "a", blob));

        assertRefused(WorkspaceRefusal.BUNDLE_OBJECT_INVALID, "incorrectly sorted");
    }

    @Test
    void refusesTheSameNameTwice() {
        tip(new Entry("100644", "a", blob), new Entry("120000", "a", blob));

        assertRefused(WorkspaceRefusal.BUNDLE_OBJECT_INVALID, "duplicate");
    }

    @Test
    void refusesADirectoryThatIsAFileToo() {
        String inner = bundle.tree(new Entry("100644", "x", blob));
        tip(new Entry("120000", "a", blob), new Entry("40000", "a", inner));

        assertRefused(WorkspaceRefusal.BUNDLE_OBJECT_INVALID, "duplicate");
    }

    @Test
    void refusesACommitWithoutAuthor() {
        bundle.line(bundle.commit(
                        "tree %s\nparent %s\n\nx\n".formatted(bundle.tree(new Entry("100644", "a", blob)), base))
                + " " + REF);

        assertRefused(WorkspaceRefusal.BUNDLE_OBJECT_INVALID, "author");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "refs/heads/main",
                "refs/heads/pi-agent-abcdefghijklmnoq",
                "HEAD",
                "refs/tags/v1",
                "refs/notes/commits",
                "refs/replace/0000000000000000000000000000000000000001",
                "refs/heads/../../x",
                "refs/heads/pi-agent-abcdefghijklmnop.lock"
            })
    void refusesAnyOtherRef(String ref) {
        String tip = tip(new Entry("100644", "a.txt", blob));
        bundle.line(tip + " " + ref);

        assertRefused(WorkspaceRefusal.BUNDLE_REFS, ref);
    }

    @Test
    void refusesABundleWithoutARef() {
        bundle.commit(bundle.tree(new Entry("100644", "a", blob)), base);

        assertRefused(WorkspaceRefusal.BUNDLE_REFS, "brings no ref");
    }

    @Test
    void refusesTags() {
        String tip = bundle.commit(bundle.tree(new Entry("100644", "a", blob)), base);
        String tag = bundle.object(
                4,
                "tag",
                "object %s\ntype commit\ntag x\ntagger A <a@b> 1 +0000\n\nx\n"
                        .formatted(tip)
                        .getBytes(UTF_8));
        bundle.line(tag + " " + REF);

        assertRefused(WorkspaceRefusal.BUNDLE_REFS, "brings a tag");
    }

    @Test
    void refusesOtherPrerequisites() {
        bundle.line("-" + older + " older");
        tip(new Entry("100644", "a.txt", blob));

        assertRefused(WorkspaceRefusal.BUNDLE_PREREQUISITES, older);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "# v3 git bundle\n@object-format=sha1",
                "# v3 git bundle\n@filter=blob:none",
                "# v2 git bundle\nshallow 1",
                "PACK"
            })
    void refusesOtherKindsOfBundle(String first) {
        tip(new Entry("100644", "a.txt", blob));
        bundle.version(first);

        assertRefused(WorkspaceRefusal.BUNDLE_FORMAT, "");
    }

    @Test
    void refusesATipBesideTheBase() {
        bundle.line(bundle.commit(bundle.tree(new Entry("100644", "a.txt", blob)), older) + " " + REF);

        assertRefused(WorkspaceRefusal.BUNDLE_TIP, "does not descend from the base commit");
    }

    @Test
    void refusesATipWithAHistoryOfItsOwn() {
        bundle.line(bundle.commit("tree %s\nauthor A <a@b> 1 +0000\ncommitter A <a@b> 1 +0000\n\nx\n"
                        .formatted(bundle.tree(new Entry("100644", "a.txt", blob))))
                + " " + REF);

        assertRefused(WorkspaceRefusal.BUNDLE_TIP, "does not descend");
    }

    @Test
    void refusesATipThatIsNoCommit() {
        bundle.line(bundle.tree(new Entry("100644", "a.txt", blob)) + " " + REF);

        assertRefused(WorkspaceRefusal.BUNDLE_TIP, "does not end in a commit");
    }

    @Test
    void refusesATipThatIsNotThere() {
        bundle.blob("x");
        bundle.line("1".repeat(40) + " " + REF);

        assertRefused(WorkspaceRefusal.BUNDLE_INCOMPLETE, "1".repeat(40));
    }

    @Test
    void refusesACommitThatLacksAFile() {
        tip(new Entry("100644", "a.txt", "2".repeat(40)));

        assertRefused(WorkspaceRefusal.BUNDLE_INCOMPLETE, "2".repeat(40));
    }

    @Test
    void refusesAFileThatTheChildNeverHad() {
        tip(new Entry("100644", "a.txt", secret));

        assertRefused(WorkspaceRefusal.BUNDLE_INCOMPLETE, secret);
    }

    @Test
    void refusesADeltaOnAFileThatTheChildNeverHad() {
        bundle.idDelta(secret, BundleBuilder.delta(SECRET.length(), 1, "x"));
        tip(new Entry("100644", "a.txt", blob));

        assertRefused(WorkspaceRefusal.BUNDLE_INCOMPLETE, secret);
    }

    @Test
    void refusesAParentThatTheChildNeverHad() {
        String foreign = repository.git("rev-parse", "private");
        bundle.line(bundle.commit(
                        "tree %s\nparent %s\nparent %s\nauthor A <a@b> 1 +0000\ncommitter A <a@b> 1 +0000\n\nx\n"
                                .formatted(bundle.tree(new Entry("100644", "a.txt", blob)), base, foreign))
                + " " + REF);

        assertRefused(WorkspaceRefusal.BUNDLE_INCOMPLETE, foreign);
    }

    @Test
    void refusesATruncatedBundle() throws IOException {
        tip(new Entry("100644", "a.txt", blob));
        byte[] whole = bundle.toByteArray();

        for (int cut : new int[] {1, 20, 21, 60, whole.length - 10}) {
            assertThat(refusal(Arrays.copyOf(whole, whole.length - cut)).refusal())
                    .isIn(WorkspaceRefusal.BUNDLE_DAMAGED, WorkspaceRefusal.BUNDLE_FORMAT);
        }
    }

    @Test
    void refusesABundleWithAWrongChecksum() throws IOException {
        tip(new Entry("100644", "a.txt", blob));
        byte[] whole = bundle.toByteArray();
        whole[whole.length - 1] ^= 1;

        assertThat(refusal(whole).refusal()).isEqualTo(WorkspaceRefusal.BUNDLE_DAMAGED);
    }

    @Test
    void refusesWhatFollowsThePack() throws IOException {
        tip(new Entry("100644", "a.txt", blob));
        byte[] whole = bundle.toByteArray();

        assertThat(refusal(Arrays.copyOf(whole, whole.length + 1))).hasMessageContaining("something follows its end");
    }

    @Test
    void takesABranchWithoutCommitsAsNoChange() {
        bundle.line(base + " " + REF);

        ImportedBranch imported =
                workspaces.importBranch(repository.directory(), bundle.write(temp.resolve("b")), CHILD, base);

        assertThat(imported.changed()).isFalse();
        assertThat(imported.files()).isEmpty();
    }

    private String tip(Entry... entries) {
        String tip = bundle.commit(bundle.tree(entries), base);
        bundle.line(tip + " " + REF);
        return tip;
    }

    private static byte[] noise(int length) {
        byte[] noise = new byte[length];
        new Random(1).nextBytes(noise);
        return noise;
    }

    private void assertRefused(WorkspaceRefusal refusal, String message) {
        Refused refused = refusal();

        assertThat(refused.refusal()).as(refused.getMessage()).isEqualTo(refusal);
        assertThat(refused).hasMessageContaining(message);
    }

    private Refused refusal() {
        try {
            return refusal(bundle.toByteArray());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private Refused refusal(byte[] content) throws IOException {
        Path file = Files.write(temp.resolve("bundle"), content);
        return catchThrowableOfType(
                Refused.class, () -> workspaces.importBranch(repository.directory(), file, CHILD, base));
    }
}
