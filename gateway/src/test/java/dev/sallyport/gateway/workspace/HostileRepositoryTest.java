package dev.sallyport.gateway.workspace;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.sallyport.gateway.workspace.WorkspaceException.Refused;
import dev.sallyport.identity.ChildId;
import java.io.IOException;
import java.lang.ProcessBuilder.Redirect;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** S15, T33 to T38: a repository that was written to attack whoever opens it. */
@Execution(ExecutionMode.CONCURRENT)
class HostileRepositoryTest {

    private static final ChildId CHILD = new ChildId("abcdefghijklmnop");

    @TempDir
    Path temp;

    private Workspaces workspaces;
    private GitRepository repository;
    private String base;

    @BeforeEach
    void commitSomething() {
        workspaces = new Workspaces(WorkspaceSettings.of(List.of(temp.resolve("root")), temp.resolve("scratch")));
        repository = GitRepository.init(temp.resolve("root/project"));
        base = repository.write("a.txt", "a\n").write("b.txt", "b\n").commit("first");
    }

    @Test
    void nothingThatARepositoryNamesIsRun() throws IOException {
        Path marker = temp.resolve("marker");
        Path program = Files.writeString(temp.resolve("program"), "#!/bin/sh\ntouch %s\ncat\n".formatted(marker));
        Files.setPosixFilePermissions(program, PosixFilePermissions.fromString("rwxr-xr-x"));
        repository.write(".gitattributes", "* filter=evil diff=evil merge=evil text\n");
        String tip = repository.commit("attributes");
        String hostile = """
                [core]
                    fsmonitor = %1$s
                    hooksPath = %2$s
                    sshCommand = %1$s
                    pager = %1$s
                    editor = %1$s
                    autocrlf = true
                    attributesFile = %2$s/attributes
                [filter "evil"]
                    clean = %1$s
                    smudge = %1$s
                    process = %1$s
                    required = true
                [diff]
                    external = %1$s
                [diff "evil"]
                    textconv = %1$s
                    command = %1$s
                [include]
                    path = %2$s/included
                [includeIf "gitdir:/"]
                    path = %2$s/included
                [alias]
                    status = !%1$s
                [credential]
                    helper = !%1$s
                [gpg]
                    program = %1$s
                [uploadpack]
                    packObjectsHook = %1$s
                [extensions]
                    worktreeConfig = true
                """.formatted(program, temp.resolve("hooks"));
        Files.writeString(repository.path(".git/config"), hostile, StandardOpenOption.APPEND);
        Files.writeString(repository.path(".git/config.worktree"), hostile);
        for (String hook : List.of(
                "post-checkout",
                "pre-commit",
                "post-commit",
                "reference-transaction",
                "update",
                "post-receive",
                "fsmonitor-watchman",
                "post-index-change")) {
            Files.copy(program, repository.path(".git/hooks/" + hook));
            Files.createDirectories(temp.resolve("hooks"));
            Files.copy(program, temp.resolve("hooks/" + hook));
        }
        repository.write("a.txt", "changed\n");
        Bundle bundle = workspaces.export(repository.directory(), "main", temp.resolve("out.bundle"));
        GitRepository child = GitRepository.cloneOf(bundle.file(), "main", temp.resolve("child"));
        child.write("b.txt", "changed\n").write("c.txt", "c\n").commit("work");
        child.git("update-ref", "refs/heads/pi-agent-" + CHILD, "HEAD");
        Path file = temp.resolve("in.bundle");
        child.git("bundle", "create", "-q", file.toString(), "refs/heads/pi-agent-" + CHILD, "^" + tip);

        Head head = workspaces.head(repository.directory());
        ImportedBranch imported = workspaces.importBranch(repository.directory(), file, CHILD, tip);
        workspaces.diff(repository.directory(), tip, imported.tip());
        workspaces.changes(repository.directory(), tip, imported.tip());

        assertThat(marker).doesNotExist();
        assertThat(head.uncommittedFiles()).hasValue(1);
        assertThat(head.notices()).singleElement().asString().contains("filter `evil`");
        assertThat(imported.files()).hasSize(2);
    }

    @Test
    void noGitIsLookedForOnThePath() throws Exception {
        Path marker = temp.resolve("marker");
        Path git = Files.writeString(
                Files.createDirectories(temp.resolve("bin")).resolve("git"), "#!/bin/sh\n: > %s\n".formatted(marker));
        Files.setPosixFilePermissions(git, PosixFilePermissions.fromString("rwxr-xr-x"));

        Process process = start(Map.of("PATH", git.getParent().toString()), "head", repository.directory());
        Answer answer = new Answer(process.getInputStream().readAllBytes());

        assertThat(answer.next()).isEqualTo("done");
        assertThat(marker).doesNotExist();
    }

    @Test
    void theProcessEndsWithItsGateway() throws Exception {
        Path nobodyReads = temp.resolve("fifo");
        assertThat(new ProcessBuilder("mkfifo", nobodyReads.toString()).start().waitFor())
                .isZero();
        Process process = start(Map.of(), "export", repository.directory(), Path.of(""), Path.of("main"), nobodyReads);

        process.getOutputStream().close();

        assertThat(process.waitFor(60, TimeUnit.SECONDS)).isTrue();
        assertThat(process.exitValue()).isEqualTo(4);
    }

    private Process start(Map<String, String> environment, String operation, Path... arguments) throws IOException {
        WorkspaceSettings settings = WorkspaceSettings.of(List.of(temp.resolve("root")), temp.resolve("scratch"));
        Answer.Builder fields = new Answer.Builder().add(operation);
        settings.addTo(fields);
        fields.add(Files.createTempDirectory(temp, "op").toString());
        for (Path argument : arguments) {
            fields.add(argument.toString());
        }
        byte[] request = fields.toByteArray();
        ProcessBuilder builder = new ProcessBuilder(new GitProcess(settings).command()).redirectError(Redirect.DISCARD);
        builder.environment().putAll(environment);
        Process process = builder.start();
        process.getOutputStream()
                .write(ByteBuffer.allocate(Integer.BYTES).putInt(request.length).array());
        process.getOutputStream().write(request);
        process.getOutputStream().flush();
        return process;
    }

    @Test
    void objectsOfAnotherRepositoryAreNotBorrowed() throws IOException {
        GitRepository other = GitRepository.init(temp.resolve("root/other"));
        String foreign = other.write("secret", "s\n").commit("secret");
        Files.writeString(repository.path(".git/objects/info/alternates"), other.path(".git/objects") + "\n");
        Files.writeString(repository.path(".git/refs/heads/main"), foreign + "\n");

        assertRefused(WorkspaceRefusal.REPOSITORY_ALTERNATES, "objects/info/alternates");
    }

    @Test
    void aPointerToAnotherRepositoryIsNotFollowed() throws IOException {
        GitRepository other = GitRepository.init(temp.resolve("root/other"));
        other.write("secret", "s\n").commit("secret");
        other.git(
                "worktree", "add", "-q", "--detach", temp.resolve("root/theirs").toString());
        Path mine = Files.createDirectories(temp.resolve("root/mine"));

        for (String target : List.of(
                "../other/.git",
                other.path(".git/worktrees/theirs").toString(),
                "/etc",
                "../missing",
                "../project/.git/objects")) {
            Files.writeString(mine.resolve(".git"), "gitdir: " + target + "\n");
            assertThat(refusal(mine).refusal()).as(target).isEqualTo(WorkspaceRefusal.REPOSITORY_POINTER);
        }
    }

    @Test
    void aWorktreeOfARepositoryBelowTheRootsIsTaken() {
        repository.git(
                "worktree", "add", "-q", "-b", "side", temp.resolve("root/side").toString());
        GitRepository side = new GitRepository(temp.resolve("root/side"));
        String commit = side.write("c.txt", "c\n").commit("side");

        Head head = workspaces.head(side.directory());

        assertThat(head.commit()).isEqualTo(commit);
        assertThat(head.branch()).contains("side");
        assertThat(head.uncommittedFiles()).hasValue(0);
    }

    @Test
    void aWorktreeOfARepositoryElsewhereIsRefused() {
        GitRepository other = GitRepository.init(temp.resolve("elsewhere"));
        other.write("secret", "s\n").commit("secret");
        other.git("worktree", "add", "-q", "--detach", temp.resolve("root/side").toString());

        assertThat(refusal(temp.resolve("root/side")).refusal()).isEqualTo(WorkspaceRefusal.REPOSITORY_POINTER);
    }

    @Test
    void noPartOfARepositoryMayBeALink() throws IOException {
        GitRepository other = GitRepository.init(temp.resolve("root/other"));
        other.write("secret", "s\n").commit("secret");
        other.git("gc", "-q");
        repository.git("gc", "-q");

        for (String part :
                List.of(".git/HEAD", ".git/objects/pack", ".git/objects", ".git/packed-refs", ".git/config", ".git")) {
            Path original = repository.path(part);
            Path aside = temp.resolve("aside");
            Files.move(original, aside);
            Files.createSymbolicLink(original, other.path(part));

            assertThat(refusal(repository.directory()).refusal())
                    .as(part)
                    .isEqualTo(WorkspaceRefusal.REPOSITORY_LINKED);

            Files.delete(original);
            Files.move(aside, original);
        }
        assertThat(workspaces.head(repository.directory()).commit()).isEqualTo(base);
    }

    @Test
    void noPackMayBeALink() throws IOException {
        GitRepository other = GitRepository.init(temp.resolve("root/other"));
        other.write("secret", "s\n").commit("secret");
        other.git("gc", "-q");
        try (var packs = Files.list(other.path(".git/objects/pack"))) {
            for (Path pack : packs.toList()) {
                Files.createSymbolicLink(repository.path(".git/objects/pack").resolve(pack.getFileName()), pack);
            }
        }

        assertRefused(WorkspaceRefusal.REPOSITORY_LINKED, "is a symbolic link");
    }

    @Test
    void aRefThatIsALinkIsNotReadAndItsTargetNotRepeated() throws IOException {
        Files.writeString(temp.resolve("secret"), "the secret\n");
        Files.delete(repository.path(".git/refs/heads/main"));
        Files.createSymbolicLink(repository.path(".git/refs/heads/main"), temp.resolve("secret"));

        assertThat(refusal(repository.directory())).hasMessageNotContaining("the secret");
        assertRefused(WorkspaceRefusal.REPOSITORY_LINKED, "refs/heads/main");
    }

    @Test
    void aHeadThatIsNoRefIsNotRepeated() throws IOException {
        Files.writeString(repository.path(".git/HEAD"), "the secret\n");

        assertThat(refusal(repository.directory())).hasMessageNotContaining("the secret");
        assertRefused(WorkspaceRefusal.REPOSITORY_DAMAGED, "HEAD is neither");
    }

    @Test
    void aRefOutsideRefsIsNotRead() throws IOException {
        Files.writeString(temp.resolve("root/target"), base + "\n");
        for (String ref : List.of(
                "refs/heads/../../../../target",
                "../../target",
                "config",
                temp.resolve("root/target").toString())) {
            Files.writeString(repository.path(".git/HEAD"), "ref: " + ref + "\n");

            assertThat(refusal(repository.directory()).refusal())
                    .as(ref)
                    .isEqualTo(WorkspaceRefusal.REPOSITORY_DAMAGED);
        }
    }

    @Test
    void replacedObjectsCountAsTheyWere() {
        String replacement = repository.git("commit-tree", "-m", "replaced", "HEAD^{tree}");
        repository.git("replace", base, replacement);

        Bundle bundle = workspaces.export(repository.directory(), "main", temp.resolve("out.bundle"));
        GitRepository child = GitRepository.cloneOf(bundle.file(), "main", temp.resolve("child"));

        assertThat(child.git("log", "--format=%s")).isEqualTo("first");
        assertThat(child.git("for-each-ref", "--format=%(refname)")).isEqualTo("refs/heads/main");
    }

    @Test
    void repositoriesThatKeepObjectsElsewhereAreRefusedByName() throws IOException {
        repository.write("a.txt", "2\n").commit("second");
        GitRepository shallow = new GitRepository(temp.resolve("root/shallow"));
        repository.git(
                "clone",
                "-q",
                "--depth=1",
                "file://" + repository.directory(),
                shallow.directory().toString());
        GitRepository partial = GitRepository.init(temp.resolve("root/partial"));
        partial.git("commit", "-q", "--allow-empty", "-m", "x");
        partial.git("config", "extensions.partialClone", "origin");

        assertThat(refusal(shallow.directory()).refusal()).isEqualTo(WorkspaceRefusal.REPOSITORY_SHALLOW);
        assertThat(refusal(partial.directory()).refusal()).isEqualTo(WorkspaceRefusal.REPOSITORY_PARTIAL);
        partial.git("config", "--unset", "extensions.partialClone");
        Files.createFile(partial.path(".git/objects/pack/pack-1.promisor"));
        assertThat(refusal(partial.directory()).refusal()).isEqualTo(WorkspaceRefusal.REPOSITORY_PARTIAL);
    }

    @Test
    void formatsThatAreNotUnderstoodAreRefusedByName() throws IOException {
        GitRepository sha256 = new GitRepository(temp.resolve("root/sha256"));
        repository.git(
                "init", "-q", "--object-format=sha256", sha256.directory().toString());
        GitRepository reftable = GitRepository.init(temp.resolve("root/reftable"));
        Files.createDirectory(reftable.path(".git/reftable"));
        GitRepository future = GitRepository.init(temp.resolve("root/future"));
        Files.writeString(
                future.path(".git/config"), "[core]\nrepositoryformatversion = 1\n[extensions]\nmagic = true\n");

        assertThat(refusal(sha256.directory())).hasMessageContaining("objectformat` = `sha256");
        assertThat(refusal(reftable.directory())).hasMessageContaining("reftable");
        assertThat(refusal(future.directory())).hasMessageContaining("extension `magic`");
        assertThat(refusal(future.directory()).refusal()).isEqualTo(WorkspaceRefusal.REPOSITORY_FORMAT);
    }

    @Test
    void aRepositoryOutsideTheRootsIsRefused() throws IOException {
        GitRepository outside = GitRepository.init(temp.resolve("outside"));
        outside.commit("x");
        Files.createSymbolicLink(temp.resolve("root/link"), outside.directory());
        Path below = Files.createDirectories(temp.resolve("root/plain/below"));
        GitRepository.init(temp.resolve("."));

        assertThat(refusal(outside.directory()).refusal()).isEqualTo(WorkspaceRefusal.OUTSIDE_ROOTS);
        assertThat(refusal(temp.resolve("root/link")).refusal()).isEqualTo(WorkspaceRefusal.OUTSIDE_ROOTS);
        assertThat(refusal(temp.resolve("root/../outside")).refusal()).isEqualTo(WorkspaceRefusal.OUTSIDE_ROOTS);
        assertThat(refusal(below).refusal()).isEqualTo(WorkspaceRefusal.NOT_A_REPOSITORY);
        assertThat(refusal(temp.resolve("root/missing")).refusal()).isEqualTo(WorkspaceRefusal.NOT_A_REPOSITORY);
    }

    @Test
    void aRepositoryWithoutACommitIsRefused() {
        GitRepository empty = GitRepository.init(temp.resolve("root/empty"));

        assertThat(refusal(empty.directory()).refusal()).isEqualTo(WorkspaceRefusal.NO_COMMIT);
    }

    private void assertRefused(WorkspaceRefusal refusal, String message) {
        Refused refused = refusal(repository.directory());

        assertThat(refused.refusal()).as(refused.getMessage()).isEqualTo(refusal);
        assertThat(refused).hasMessageContaining(message);
    }

    private Refused refusal(Path directory) {
        return catchThrowableOfType(Refused.class, () -> workspaces.head(directory));
    }
}
