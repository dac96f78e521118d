package dev.sallyport.gateway.workspace;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sallyport.gateway.workspace.ChangedFile.Kind;
import dev.sallyport.identity.ChildId;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

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
                        org.assertj.core.groups.Tuple.tuple("README.md", Kind.MODIFIED),
                        org.assertj.core.groups.Tuple.tuple("new.txt", Kind.ADDED),
                        org.assertj.core.groups.Tuple.tuple("src/run.sh", Kind.DELETED));
        assertThat(repository.git("rev-parse", BRANCH)).isEqualTo(tip);
        repository.git("fsck", "--full", "--strict");
        assertThat(temp.resolve("scratch")).isEmptyDirectory();
    }

    private Path bundleOf(GitRepository child) {
        Path file = temp.resolve("in.bundle");
        child.git("update-ref", "refs/heads/" + BRANCH, "HEAD");
        child.git("bundle", "create", "-q", "--version=2", file.toString(), "refs/heads/" + BRANCH, "^" + base);
        return file;
    }
}
