package dev.sallyport.gateway.sandbox;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.sallyport.gateway.sandbox.BindRefusal.Reason;
import dev.sallyport.gateway.sandbox.BindSources.Use;
import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.ServerSocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Collection;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class BindSourcesTest {

    private static final Use READ = new Use.Read(new SandboxUser(21_001, 21_001));
    private static final Use WRITE = new Use.Write();

    @TempDir
    Path temp;

    Path root;
    Path project;

    @BeforeEach
    void makeAProject() throws IOException {
        // On some systems the temporary directory itself is behind a link.
        temp = temp.toRealPath();
        root = Files.createDirectory(temp.resolve("root"));
        project = Files.createDirectory(root.resolve("project"));
        Files.writeString(project.resolve("file"), "text");
    }

    @Test
    void acceptsADirectoryBelowARoot() throws Exception {
        BindSource source = check(project, READ);

        assertThat(source.path()).isEqualTo(project);
        assertThat(source.directory()).isEqualTo(Path.of(""));
        assertThat(source.key()).isEqualTo(FileKey.of(project));
        assertThat(source.warnings()).isEmpty();
    }

    @Test
    void aRootCanBeALinkItself() throws Exception {
        Path link = Files.createSymbolicLink(temp.resolve("link"), root);

        BindSource source =
                new BindSources(List.of(link), List.of(), () -> false).check(link.resolve("project"), READ, List.of());

        assertThat(source.path()).isEqualTo(project);
    }

    @Test // S5: a symlinked source mounted /etc
    void aLinkOutOfTheRootsIsRefused() throws IOException {
        Path link = Files.createSymbolicLink(root.resolve("link"), Path.of("/etc"));

        assertRefused(link, READ, Reason.OUTSIDE_ROOTS);
        assertRefused(root.resolve("project/../../../etc"), READ, Reason.OUTSIDE_ROOTS);
        assertRefused(link.resolve("ssl"), READ, Reason.OUTSIDE_ROOTS);
    }

    /** A child that works in the installation's own data could approve for itself. */
    @Test
    void whatTheInstallationKeepsToItselfIsNoWorkspaceAndInNone() throws IOException {
        Path data = Files.createDirectories(project.resolve("state/sallyport"));
        Path inside = Files.createDirectory(data.resolve("postgres"));
        BindSources sources = new BindSources(List.of(root), List.of(data), () -> false);

        for (Path directory : List.of(data, inside, project, root)) {
            BindRefusal refusal =
                    catchThrowableOfType(BindRefusal.class, () -> sources.check(directory, READ, List.of()));
            assertThat(refusal.reason()).as("%s", directory).isEqualTo(Reason.RESERVED);
        }
    }

    @Test
    void aRootDoesNotCoverItsNeighbourOfALongerName() throws IOException {
        assertRefused(Files.createDirectory(temp.resolve("root-2")), READ, Reason.OUTSIDE_ROOTS);
    }

    @Test
    void whatIsOutsideTheRootsIsNotEvenSaidToExist() {
        assertRefused(Path.of("/etc/shadow"), READ, Reason.OUTSIDE_ROOTS);
        assertRefused(Path.of("/etc/no-such-file"), READ, Reason.OUTSIDE_ROOTS);
    }

    @Test
    void whatIsNoDirectoryIsRefused() throws IOException {
        assertRefused(project.resolve("file"), READ, Reason.NOT_A_DIRECTORY);
        assertRefused(project.resolve("absent"), READ, Reason.NOT_A_DIRECTORY);
        Path loop = Files.createSymbolicLink(root.resolve("loop"), Path.of("loop"));
        assertRefused(loop, READ, Reason.NOT_A_DIRECTORY);
    }

    @Test // S5
    void aDirectoryBelowALiveWritableMountIsMountedWithAllOfIt() throws Exception {
        Path inner = Files.createDirectories(project.resolve("a/b"));

        BindSource source = check(inner, READ, project);

        assertThat(source.path()).isEqualTo(project);
        assertThat(source.directory()).isEqualTo(Path.of("a/b"));
        assertThat(source.key()).isEqualTo(FileKey.of(project));
        assertThat(source.warnings()).containsExactly("a running child can write here: these children can talk");
    }

    @Test // S5
    void theOutermostLiveWritableMountCounts() throws Exception {
        Path inner = Files.createDirectories(project.resolve("a/b"));

        BindSource source = check(inner, READ, project.resolve("a"), project);

        assertThat(source.path()).isEqualTo(project);
    }

    @Test // S5
    void theSameMountTwiceIsShownAsAnExposure() throws Exception {
        assertThat(check(project, READ, project).warnings()).hasSize(1);
    }

    @Test // S5
    void aDirectoryThatContainsALiveWritableMountIsRefused() throws IOException {
        Path inner = Files.createDirectories(project.resolve("a"));

        assertRefused(project, READ, Reason.CHILD_WRITABLE, inner);
    }

    @Test // S5: the link is the live child's choice, and so is what it leads to
    void aLinkThatALiveChildCouldHaveMadeLeadsNowhere() throws IOException {
        Path other = Files.createDirectory(root.resolve("other"));
        Path link = Files.createSymbolicLink(project.resolve("link"), other);
        Path around = Files.createSymbolicLink(root.resolve("around"), link);

        assertRefused(link, READ, Reason.CHILD_WRITABLE, project);
        assertRefused(around, READ, Reason.CHILD_WRITABLE, project);
    }

    @Test // S6
    void aSocketIsRefusedByName() throws Exception {
        Path socket = project.resolve("agent.sock");
        try (ServerSocketChannel server = ServerSocketChannel.open(StandardProtocolFamily.UNIX)) {
            server.bind(UnixDomainSocketAddress.of(socket));

            assertThat(assertRefused(project, READ, Reason.SPECIAL_FILE)).hasMessage("`%s` is a socket", socket);
        }
    }

    @Test // S6
    void aFifoIsRefusedByName() throws Exception {
        Path fifo = Files.createDirectory(project.resolve("deep")).resolve("fifo");
        new ProcessBuilder("mkfifo", fifo.toString()).start().waitFor();

        assertThat(assertRefused(project, READ, Reason.SPECIAL_FILE)).hasMessage("`%s` is a FIFO", fifo);
    }

    @Test // S6
    void aMountPointBelowIsRefusedByName() {
        assertThatThrownBy(() -> new BindSources(List.of(Path.of("/dev")), List.of(), () -> false)
                        .check(Path.of("/dev"), READ, List.of()))
                .isInstanceOf(BindRefusal.class)
                .hasMessageMatching("`/dev/[a-z]+` is a mount point");
    }

    @Test // S6: what a link points to is not in the tree
    void aLinkInTheTreeIsNotFollowed() throws Exception {
        Files.createSymbolicLink(project.resolve("dev"), Path.of("/dev"));

        assertThat(check(project, READ).path()).isEqualTo(project);
    }

    @Test
    void aTreeThatIsTooLargeToLookAtIsRefused() throws IOException {
        for (int i = 0; i < 10; i++) {
            Files.createFile(project.resolve("file" + i));
        }

        BindRefusal refusal = catchThrowableOfType(
                BindRefusal.class,
                () -> new BindSources(List.of(root), List.of(), () -> false, 10).check(project, READ, List.of()));

        assertThat(refusal.reason()).isEqualTo(Reason.TOO_MANY_FILES);
    }

    @Test // S7
    void whatTheChildCannotReadIsSaid() throws Exception {
        Path secret = Files.writeString(project.resolve("secret"), "s");
        Files.setPosixFilePermissions(secret, PosixFilePermissions.fromString("rw-------"));

        assertThat(check(project, READ).warnings())
                .containsExactly("the child cannot read 1 of 3 files, such as [secret]");
    }

    @Test // S7
    void writingInADirectoryOfRootIsRefused() {
        BindRefusal refusal = catchThrowableOfType(
                BindRefusal.class,
                () -> new BindSources(List.of(Path.of("/usr")), List.of(), () -> false)
                        .check(Path.of("/usr/bin"), WRITE, List.of()));

        assertThat(refusal.reason()).isEqualTo(Reason.ROOT_OWNED);
        assertThat(refusal.remedy()).contains("clone");
    }

    @ParameterizedTest // S7
    @CsvSource({"0, 0", "0, 1000", "1000, 0"})
    void noWriterIsInAGroupOfRoot(int uid, int gid) {
        assertThatThrownBy(() -> BindSources.requireOwner(project, uid, gid)).isInstanceOf(BindRefusal.class);
    }

    @Test // S7
    void aWriterRunsAsTheOwner() throws Exception {
        // Only root can give a directory away, and only root has to here.
        if ((Integer) Files.getAttribute(project, "unix:uid") == 0) {
            Files.setAttribute(project, "unix:uid", 1234);
            Files.setAttribute(project, "unix:gid", 1235);
        }

        BindSource source = check(project, WRITE);

        assertThat(source.ownerUid()).isPositive().isEqualTo(Files.getAttribute(project, "unix:uid"));
        assertThat(source.ownerGid()).isPositive().isEqualTo(Files.getAttribute(project, "unix:gid"));
    }

    @Test // S7
    void anEngineThatMapsUsersWritesNowhere() {
        BindRefusal refusal = catchThrowableOfType(
                BindRefusal.class,
                () -> new BindSources(List.of(root), List.of(), () -> true).check(project, WRITE, List.of()));

        assertThat(refusal.reason()).isEqualTo(Reason.USER_NAMESPACE);
    }

    private BindSource check(Path directory, Use use, Path... childWritable) throws BindRefusal, IOException {
        return new BindSources(List.of(root), List.of(), () -> false).check(directory, use, List.of(childWritable));
    }

    private BindRefusal assertRefused(Path directory, Use use, Reason reason, Path... childWritable) {
        Collection<Path> writable = List.of(childWritable);
        BindRefusal refusal = catchThrowableOfType(
                BindRefusal.class,
                () -> new BindSources(List.of(root), List.of(), () -> false).check(directory, use, writable));
        assertThat(refusal).as("refused").isNotNull();
        assertThat(refusal.reason()).isEqualTo(reason);
        return refusal;
    }
}
