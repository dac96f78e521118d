package dev.sallyport.gateway.workspace;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.assertj.core.api.Assertions.tuple;

import dev.sallyport.gateway.workspace.ChangedFile.Kind;
import dev.sallyport.gateway.workspace.WorkspaceException.Refused;
import dev.sallyport.gateway.workspace.WorkspaceException.Unavailable;
import dev.sallyport.identity.ChildId;
import dev.sallyport.testing.Golden;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@Execution(ExecutionMode.CONCURRENT)
class WorkspacesTest {

    private static final ChildId CHILD = new ChildId("abcdefghijklmnop");
    private static final String BRANCH = "pi-agent-abcdefghijklmnop";

    @TempDir
    Path temp;

    private Workspaces workspaces;
    private GitRepository repository;
    private String base;

    @BeforeEach
    void commitSomething() {
        workspaces = new Workspaces(WorkspaceSettings.of(List.of(temp.resolve("root")), temp.resolve("scratch")));
        repository = GitRepository.init(temp.resolve("root/project"));
        repository
                .write("README.md", "one\ntwo\nthree\n")
                .write("src/ünïcode.txt", "ü\n")
                .write("src/run.sh", "echo hi\n");
        base = repository.commit("first");
    }

    @Test
    void headNamesBranchCommitAndSubdirectory() {
        Head head = workspaces.head(repository.path("src"));

        assertThat(head.top()).isEqualTo(repository.directory());
        assertThat(head.subdirectory()).isEqualTo("src");
        assertThat(head.commit()).isEqualTo(base);
        assertThat(head.branch()).contains("main");
        assertThat(head.uncommittedFiles()).hasValue(0);
        assertThat(head.notices()).isEmpty();
    }

    @Test
    void aChildsCommitsComeBackAsABranch() throws IOException {
        Bundle bundle = workspaces.export(repository.directory(), "main", temp.resolve("out.bundle"));
        GitRepository child = GitRepository.cloneOf(bundle.file(), "main", temp.resolve("child"));
        child.write("README.md", "one\n2\nthree\n").write("new.txt", "new\n");
        Files.delete(child.path("src/run.sh"));
        String tip = child.commit("work");

        ImportedBranch imported = workspaces.importBranch(repository.directory(), bundleOf(child), CHILD, base);

        assertThat(bundle.commit()).isEqualTo(base);
        assertThat(imported.branch()).isEqualTo(BRANCH);
        assertThat(imported.tip()).isEqualTo(tip);
        assertThat(imported.files())
                .extracting(ChangedFile::path, ChangedFile::change)
                .containsExactly(
                        tuple("README.md", Kind.MODIFIED),
                        tuple("new.txt", Kind.ADDED),
                        tuple("src/run.sh", Kind.DELETED));
        assertThat(repository.git("rev-parse", BRANCH)).isEqualTo(tip);
        repository.git("fsck", "--full", "--strict");
        assertThat(temp.resolve("scratch")).isEmptyDirectory();
    }

    @Test
    void aHistoryThatIsWholeInTheBundleIsTakenToo() {
        Bundle bundle = workspaces.export(repository.directory(), "main", temp.resolve("out.bundle"));
        GitRepository child = GitRepository.cloneOf(bundle.file(), "main", temp.resolve("child"));
        String tip = child.write("new.txt", "new\n").commit("work");
        child.git("update-ref", "refs/heads/" + BRANCH, "HEAD");
        child.git("bundle", "create", "-q", temp.resolve("in.bundle").toString(), "refs/heads/" + BRANCH);

        workspaces.importBranch(repository.directory(), temp.resolve("in.bundle"), CHILD, base);

        assertThat(repository.git("rev-parse", BRANCH)).isEqualTo(tip);
    }

    @Test
    void aLongHistoryWithMergesAndRevertsComesBack() {
        for (int i = 0; i < 60; i++) {
            repository.write("big.txt", "line\n".repeat(500) + i + "\n").commit("step " + i);
        }
        repository.git("gc", "-q", "--aggressive");
        base = repository.head();
        Bundle bundle = workspaces.export(repository.directory(), "main", temp.resolve("out.bundle"));
        GitRepository child = GitRepository.cloneOf(bundle.file(), "main", temp.resolve("child"));
        child.git("revert", "--no-edit", "HEAD");
        child.git("checkout", "-q", "-b", "side");
        child.write("side.txt", "side\n").commit("side");
        child.git("checkout", "-q", "main");
        child.write("big.txt", "line\n".repeat(500) + "3\n").commit("back");
        child.git("merge", "-q", "--no-ff", "--no-edit", "side");

        ImportedBranch imported = workspaces.importBranch(repository.directory(), bundleOf(child), CHILD, base);

        assertThat(repository.git("rev-parse", BRANCH)).isEqualTo(child.head()).isEqualTo(imported.tip());
        repository.git("fsck", "--full", "--strict");
    }

    @Test
    void theBundleHoldsNothingButTheBranch() {
        repository.git("tag", "v1");
        repository.git("checkout", "-q", "-b", "private");
        String secret = repository.write("secret", "s\n").commit("private");
        repository.git("checkout", "-q", "main");

        Bundle bundle = workspaces.export(repository.directory(), "theirs", temp.resolve("out.bundle"));
        GitRepository child = GitRepository.cloneOf(bundle.file(), "theirs", temp.resolve("child"));

        assertThat(child.git("for-each-ref", "--format=%(refname)")).isEqualTo("refs/heads/theirs");
        assertThat(child.git("rev-list", "--all", "--objects")).doesNotContain(secret);
        assertThat(child.git("count-objects", "-v")).contains("in-pack: 6");
    }

    @Test
    void headCountsWhatACloneWillNotSee() throws IOException {
        repository
                .write(".gitignore", "*.log\n/build/\n!keep.log\n")
                .write("old.txt", "o\n")
                .write("gone.txt", "g\n");
        base = repository.commit("more");
        repository.write("README.md", "changed\n");
        repository.write("staged.txt", "new\n").git("add", "staged.txt");
        repository
                .write("untracked.txt", "u\n")
                .write("dir/untracked.txt", "u\n")
                .write("keep.log", "k\n");
        repository.write("x.log", "ignored\n").write("build/out", "ignored\n").write("excluded", "ignored\n");
        Files.writeString(repository.path(".git/info/exclude"), "excluded\n");
        Files.delete(repository.path("gone.txt"));
        repository.git("rm", "-q", "--cached", "old.txt");
        Files.setLastModifiedTime(repository.path("src/run.sh"), FileTime.fromMillis(0));
        GitRepository.init(repository.path("nested")).write("a", "a\n").commit("nested");

        Head head = workspaces.head(repository.directory());

        // As `git status` counts them: README.md, staged.txt, gone.txt, old.txt, three untracked, and nested.
        assertThat(repository
                        .git("status", "--porcelain", "-uall")
                        .lines()
                        .map(line -> line.substring(line.lastIndexOf(' ')))
                        .distinct())
                .hasSize(8);
        assertThat(head.uncommittedFiles()).hasValue(8);
    }

    @Test
    void headTellsWhatACloneCannotHave() {
        GitRepository library = GitRepository.init(temp.resolve("root/library"));
        library.write("a", "a\n").commit("library");
        repository.git(
                "-c",
                "protocol.file.allow=always",
                "submodule",
                "add",
                "-q",
                library.directory().toString(),
                "lib");
        repository
                .write("assets/.gitattributes", "# x filter=no\n*.bin filter=lfs diff=lfs -text\n")
                .commit("lfs");

        Head head = workspaces.head(repository.directory());

        assertThat(head.notices())
                .containsExactly(
                        "files named `*.bin` go through the filter `lfs`, which does not run in the clone: they are as git stores them",
                        "submodule `lib` is an empty directory in the clone");
        assertThat(head.uncommittedFiles()).hasValue(0);
    }

    @Test
    void aDetachedHeadHasNoBranch() {
        repository.git("checkout", "-q", "--detach");

        assertThat(workspaces.head(repository.directory()).branch()).isEmpty();
    }

    @Test
    void refsAreFoundWhereverGitKeepsThem() {
        repository.git("pack-refs", "--all");
        repository.git("gc", "-q");

        assertThat(workspaces.head(repository.directory()).commit()).isEqualTo(base);
    }

    @ParameterizedTest // T39
    @ValueSource(
            strings = {"--upload-pack=touch /tmp/x", "-x", "a..b", "../../x", "a b", "x.lock", "🙂", "", "a\u0000b"})
    void branchNamesThatMeanSomethingElseAreRefused(String branch) {
        Refused refused = catchThrowableOfType(
                Refused.class, () -> workspaces.export(repository.directory(), branch, temp.resolve("out.bundle")));

        assertThat(refused.refusal()).isEqualTo(WorkspaceRefusal.BRANCH_NAME);
        assertThat(temp.resolve("out.bundle")).doesNotExist();
    }

    @Test
    void diffIsWhatGitShows() throws IOException {
        String tip = change();

        String diff = workspaces.diff(repository.directory(), base, tip);

        Golden.assertMatches(getClass(), "changes.diff", diff);
        repository.git("checkout", "-q", base);
        Files.writeString(temp.resolve("diff"), diff.replaceAll("(?m)^diff --git a/image.png(?s:.*?)(?=^diff)", ""));
        repository.git("apply", "--check", temp.resolve("diff").toString());
    }

    @Test
    void changesCarryTheNewContentsAndTheOldDigests() throws IOException {
        List<ChangedFile> changes = workspaces.changes(repository.directory(), base, change());

        Golden.assertMatches(
                getClass(),
                "changes.txt",
                changes.stream().map(file -> file + "\n").collect(Collectors.joining()));
    }

    private String change() throws IOException {
        repository
                .write("README.md", "one\n2\nthree\n")
                .write("new file.txt", "no newline")
                .write("image.png", "\0PNG");
        Files.delete(repository.path("src/ünïcode.txt"));
        Files.createSymbolicLink(repository.path("link"), Path.of("README.md"));
        Files.setPosixFilePermissions(repository.path("src/run.sh"), PosixFilePermissions.fromString("rwxr-xr-x"));
        return repository.commit("change");
    }

    @Test
    void whatIsTooLargeToShowIsRefusedWithAdvice() {
        WorkspaceSettings small = new WorkspaceSettings(
                List.of(temp.resolve("root")),
                temp.resolve("scratch"),
                Duration.ofMinutes(1),
                100,
                1 << 20,
                100,
                1 << 20,
                1 << 20,
                50,
                1000);
        workspaces = new Workspaces(small);
        String tip = repository.write("new.txt", "x".repeat(1000)).commit("large");

        assertRefused(WorkspaceRefusal.DIFF_TOO_LARGE, () -> workspaces.diff(repository.directory(), base, tip));
        assertRefused(
                WorkspaceRefusal.REPOSITORY_TOO_LARGE,
                () -> workspaces.export(repository.directory(), "main", temp.resolve("out.bundle")));
        assertThat(temp.resolve("out.bundle")).doesNotExist();
        repository.write("new.txt", "x".repeat(1001)).commit("larger");
        assertRefused(
                WorkspaceRefusal.CHANGES_TOO_LARGE,
                () -> workspaces.changes(repository.directory(), base, repository.head()));
    }

    @Test
    void commitsThatAreNotThereAreRefused() {
        assertRefused(
                WorkspaceRefusal.COMMIT_MISSING, () -> workspaces.diff(repository.directory(), base, "1".repeat(40)));
        assertRefused(WorkspaceRefusal.COMMIT_MISSING, () -> workspaces.diff(repository.directory(), "HEAD", base));
        assertRefused(
                WorkspaceRefusal.COMMIT_MISSING,
                () -> workspaces.diff(repository.directory(), repository.git("rev-parse", "HEAD^{tree}"), base));
    }

    @Test
    void anOperationEndsAtItsDeadline() {
        WorkspaceSettings hurried = new WorkspaceSettings(
                List.of(temp.resolve("root")), temp.resolve("scratch"), Duration.ofMillis(1), 1, 1, 1, 1, 1, 1, 1);

        assertThatThrownBy(() -> new Workspaces(hurried).head(repository.directory()))
                .isInstanceOf(Unavailable.class)
                .hasMessage("the repository process took longer than PT0.001S during `head`");
        assertThat(temp.resolve("scratch")).isEmptyDirectory();
    }

    @Test
    void aBranchThatPeopleShouldReadFirstSaysSo() throws IOException {
        Bundle bundle = workspaces.export(repository.directory(), "main", temp.resolve("out.bundle"));
        GitRepository child = GitRepository.cloneOf(bundle.file(), "main", temp.resolve("child"));
        child.write(".github/workflows/ci.yml", "x\n")
                .write("sub/.envrc", "x\n")
                .write("plain.txt", "x\n");
        Files.createSymbolicLink(child.path("link"), Path.of("README.md"));
        GitRepository.init(child.path("nested")).write("a", "a\n").commit("nested");
        child.commit("work");

        ImportedBranch imported = workspaces.importBranch(repository.directory(), bundleOf(child), CHILD, base);

        assertThat(imported.notices())
                .containsExactly(
                        "`.github/workflows/ci.yml` may be picked up by a program without being asked: read it before you merge",
                        "`link` is a symbolic link",
                        "`nested` is a repository of its own, whose contents are not in the branch",
                        "`sub/.envrc` may be picked up by a program without being asked: read it before you merge");
    }

    /** Each takes a heap and a processor, and children can ask for many. */
    @Test
    void fewOperationsRunAtATime() throws Exception {
        Workspaces impatient = new Workspaces(new WorkspaceSettings(
                List.of(temp.resolve("root")),
                temp.resolve("scratch"),
                Duration.ofSeconds(3),
                1 << 20,
                1 << 20,
                200,
                1 << 20,
                1 << 20,
                50,
                1 << 20));
        Path nobodyReads = temp.resolve("fifo");
        assertThat(new ProcessBuilder("mkfifo", nobodyReads.toString()).start().waitFor())
                .isZero();
        int places = Math.max(2, Runtime.getRuntime().availableProcessors());
        AtomicInteger refused = new AtomicInteger();
        List<Thread> operations = Stream.generate(() -> Thread.ofVirtual().start(() -> {
                    try {
                        impatient.export(repository.directory(), "main", nobodyReads);
                    } catch (Unavailable e) {
                        refused.incrementAndGet();
                    }
                }))
                .limit(3L * places)
                .toList();

        long most = 0;
        while (operations.stream().anyMatch(Thread::isAlive)) {
            most = Math.max(most, running());
            Thread.onSpinWait();
        }

        assertThat(most).isEqualTo(places);
        assertThat(refused).hasValue(3 * places);
    }

    /** Those of this test: another may be at work beside it. */
    private long running() {
        return ProcessHandle.current()
                .children()
                .filter(process -> worksIn(temp.resolve("scratch"), process.pid()))
                .count();
    }

    private static boolean worksIn(Path directory, long pid) {
        try {
            return Files.readSymbolicLink(Path.of("/proc/%d/cwd".formatted(pid)))
                    .equals(directory.toRealPath());
        } catch (IOException e) {
            // It is over.
            return false;
        }
    }

    private static void assertRefused(WorkspaceRefusal refusal, ThrowingCallable call) {
        assertThat(catchThrowableOfType(Refused.class, call).refusal()).isEqualTo(refusal);
    }

    private Path bundleOf(GitRepository child) {
        Path file = temp.resolve("in.bundle");
        child.git("update-ref", "refs/heads/" + BRANCH, "HEAD");
        child.git("bundle", "create", "-q", "--version=2", file.toString(), "refs/heads/" + BRANCH, "^" + base);
        return file;
    }
}
