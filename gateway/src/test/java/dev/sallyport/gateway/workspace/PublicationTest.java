package dev.sallyport.gateway.workspace;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.sallyport.gateway.workspace.WorkspaceException.Refused;
import dev.sallyport.gateway.workspace.WorkspaceException.Unavailable;
import dev.sallyport.identity.ChildId;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** How a branch appears in the owner's repository: whole or not at all, and over nothing. */
@Execution(ExecutionMode.CONCURRENT)
class PublicationTest {

    private static final ChildId CHILD = new ChildId("abcdefghijklmnop");
    private static final String BRANCH = "pi-agent-abcdefghijklmnop";

    @TempDir
    Path temp;

    private WorkspaceSettings settings;
    private GitRepository repository;
    private GitRepository child;
    private String base;

    @BeforeEach
    void cloneIntoAChild() {
        settings = WorkspaceSettings.of(List.of(temp.resolve("root")), temp.resolve("scratch"));
        repository = GitRepository.init(temp.resolve("root/project"));
        base = repository.write("a.txt", "a\n").commit("first");
        Bundle bundle = workspaces().export(repository.directory(), "main", temp.resolve("out.bundle"));
        child = GitRepository.cloneOf(bundle.file(), "main", temp.resolve("child"));
    }

    private Workspaces workspaces() {
        return new Workspaces(settings);
    }

    @Test
    void theSameBundleTwiceGetsTheSameAnswer() {
        Path bundle = work("1");

        ImportedBranch first = workspaces().importBranch(repository.directory(), bundle, CHILD, base);
        ImportedBranch second = workspaces().importBranch(repository.directory(), bundle, CHILD, base);

        assertThat(second).isEqualTo(first);
    }

    @Test
    void aBranchThatIsThereStaysAsItIs() {
        repository.git("branch", BRANCH);

        assertExists("exists already at " + base);
        repository.git("pack-refs", "--all");
        assertExists("exists already at " + base);
        assertThat(repository.git("rev-parse", BRANCH)).isEqualTo(base);
        repository.git("branch", "-D", BRANCH);
        repository.git("branch", BRANCH + "/below");
        assertExists("is a directory");
        repository.git("pack-refs", "--all");
        assertExists("is a directory");
    }

    @Test
    void aBranchThatSomeoneIsWritingIsLeftAlone() throws IOException {
        Path lock = Files.createFile(repository.path(".git/refs/heads/" + BRANCH + ".lock"));

        assertExists("is being written by someone else");
        assertThat(lock).isEmptyFile();
    }

    @Test
    void aLinkInPlaceOfTheBranchIsNotWrittenThrough() throws IOException {
        Path target = temp.resolve("target");
        Files.createSymbolicLink(repository.path(".git/refs/heads/" + BRANCH), target);

        Refused refused = refusal(work("1"));

        assertThat(refused.refusal()).isEqualTo(WorkspaceRefusal.REPOSITORY_LINKED);
        assertThat(target).doesNotExist();
    }

    @Test
    void ofTwoImportsOneWins() throws Exception {
        Path one = work("1");
        String first = child.head();
        child.git("reset", "-q", "--hard", base);
        Path two = work("2");
        String second = child.head();
        List<CompletableFuture<Object>> imports = new ArrayList<>();
        for (Path bundle : List.of(one, two, one, two)) {
            Workspaces own =
                    new Workspaces(WorkspaceSettings.of(settings.roots(), temp.resolve("scratch" + imports.size())));
            imports.add(CompletableFuture.supplyAsync(
                    () -> tipOrRefusal(own, bundle), task -> Thread.ofVirtual().start(task)));
        }

        List<Object> results = imports.stream().map(CompletableFuture::join).toList();

        String winner = repository.git("rev-parse", BRANCH);
        assertThat(winner).isIn(first, second);
        assertThat(results).allSatisfy(result -> assertThat(result).isIn(winner, WorkspaceRefusal.BRANCH_EXISTS));
        assertThat(results).contains(winner, WorkspaceRefusal.BRANCH_EXISTS);
        assertWhole();
    }

    private Object tipOrRefusal(Workspaces own, Path bundle) {
        try {
            return own.importBranch(repository.directory(), bundle, CHILD, base).tip();
        } catch (Refused refused) {
            return refused.refusal();
        }
    }

    @Test
    void whatIsWrittenBelongsToTheOwnerOfTheRepository() throws IOException {
        // Only root can write into another's repository; everyone else writes as himself.
        int self = (int) Files.getAttribute(temp, "unix:uid");
        int owner = self == 0 ? 12345 : self;
        try (Stream<Path> tree = Files.walk(repository.directory())) {
            for (Path path : tree.toList()) {
                Files.setAttribute(path, "unix:uid", owner);
                Files.setAttribute(path, "unix:gid", owner);
            }
        }

        workspaces().importBranch(repository.directory(), work("1"), CHILD, base);

        try (Stream<Path> tree = Files.walk(repository.directory())) {
            assertThat(tree)
                    .allSatisfy(path ->
                            assertThat(Files.getAttribute(path, "unix:uid")).isEqualTo(owner));
        }
        assertThat(PosixFilePermissions.toString(
                        Files.getPosixFilePermissions(repository.path(".git/refs/heads/" + BRANCH))))
                .isEqualTo("rw-r--r--");
    }

    @Test
    void anImportThatIsKilledLeavesTheRepositoryWhole() throws IOException {
        for (int i = 0; i < 200; i++) {
            child.write("d/" + i, "x".repeat(i));
        }
        Path bundle = work("1");
        int cut = 0;
        boolean done = false;
        for (long millis = 50; !done; millis = millis * 3 / 2) {
            WorkspaceSettings hurried = new WorkspaceSettings(
                    settings.roots(),
                    settings.scratch(),
                    Duration.ofMillis(millis),
                    1 << 20,
                    1 << 20,
                    1000,
                    1 << 20,
                    1 << 20,
                    50,
                    1 << 20);
            try {
                done = new Workspaces(hurried)
                        .importBranch(repository.directory(), bundle, CHILD, base)
                        .changed();
            } catch (Unavailable e) {
                assertThat(e).hasMessageContaining("took longer than " + hurried.deadline());
                cut++;
            }
            repository.git("fsck", "--full", "--strict");
        }

        assertThat(cut).isPositive();
        assertWhole();
        assertThat(repository.git("rev-parse", BRANCH)).isEqualTo(child.head());
    }

    @Test
    void whatADeadGatewayLeftIsRemovedAtTheNextStart() throws IOException {
        Path bundle = work("1");
        Path operation = Files.createDirectories(temp.resolve("scratch/op-1/quarantine/pack"))
                .getParent()
                .getParent();
        Files.writeString(
                operation.resolve("intent"),
                String.join("\0", repository.directory().toString(), BRANCH, child.head()));
        Files.createFile(repository.path(".git/objects/pack/tmp_pack_op-1.pack"));
        Files.createFile(repository.path(".git/objects/pack/tmp_pack_op-1.idx"));
        Path foreign = Files.createFile(repository.path(".git/objects/pack/tmp_pack_other"));
        Files.writeString(repository.path(".git/refs/heads/" + BRANCH + ".lock"), child.head() + "\n");

        Workspaces next = workspaces();

        assertThat(operation).doesNotExist();
        assertThat(foreign).exists();
        Files.delete(foreign);
        assertWhole();
        assertThat(next.importBranch(repository.directory(), bundle, CHILD, base)
                        .changed())
                .isTrue();
    }

    @Test
    void aLockThatIsNotOursSurvivesTheNextStart() throws IOException {
        Path operation = Files.createDirectories(temp.resolve("scratch/op-1"));
        Files.writeString(
                operation.resolve("intent"),
                String.join("\0", repository.directory().toString(), BRANCH, "1".repeat(40)));
        Path lock = Files.writeString(repository.path(".git/refs/heads/" + BRANCH + ".lock"), base + "\n");

        workspaces();

        assertThat(lock).exists();
    }

    private void assertWhole() throws IOException {
        repository.git("fsck", "--full", "--strict");
        try (Stream<Path> tree = Files.walk(repository.path(".git"))) {
            assertThat(tree.map(path -> path.getFileName().toString()))
                    .noneMatch(name -> name.startsWith("tmp_") || name.endsWith(".lock"));
        }
    }

    private void assertExists(String why) {
        Refused refused = refusal(work("1"));

        assertThat(refused.refusal()).isEqualTo(WorkspaceRefusal.BRANCH_EXISTS);
        assertThat(refused).hasMessageContaining(why);
    }

    private Refused refusal(Path bundle) {
        return catchThrowableOfType(
                Refused.class, () -> workspaces().importBranch(repository.directory(), bundle, CHILD, base));
    }

    /** Commits in the child and bundles what it has, as the runner does. */
    private Path work(String content) {
        child.write("a.txt", content + "\n").commit("work " + content);
        Path file = temp.resolve("in" + content + ".bundle");
        child.git("update-ref", "refs/heads/" + BRANCH, "HEAD");
        child.git("bundle", "create", "-q", "--version=2", file.toString(), "refs/heads/" + BRANCH, "^" + base);
        return file;
    }
}
