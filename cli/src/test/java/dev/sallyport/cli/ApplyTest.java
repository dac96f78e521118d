package dev.sallyport.cli;

import static dev.sallyport.cli.FakeSallyport.CHILD;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sallyport.cli.FakeSallyport.Run;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Arrays;
import java.util.Base64;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ApplyTest extends WithSallyport {

    private Path tree;

    @BeforeEach
    void aWorkingTree() throws IOException {
        tree = sallyport.directory;
        Files.createDirectories(tree.resolve(".git"));
        Files.createDirectories(tree.resolve("src"));
        Files.writeString(tree.resolve("src/a.txt"), "old a\n");
        Files.writeString(tree.resolve("b.sh"), "old b\n");
        Files.setPosixFilePermissions(tree.resolve("b.sh"), PosixFilePermissions.fromString("rw-r-----"));
        Files.writeString(tree.resolve("gone.txt"), "going\n");
    }

    private static Json added(String path, String content) {
        return Json.object("path", path, "mode", "100644", "change", "added", "content", base64(content));
    }

    private static Json modified(String path, String old, String content) {
        return Json.object(
                "path",
                path,
                "mode",
                "100755",
                "change",
                "modified",
                "oldSha256",
                sha256(old),
                "content",
                base64(content));
    }

    private static Json deleted(String path, String old) {
        return Json.object("path", path, "mode", "100644", "change", "deleted", "oldSha256", sha256(old));
    }

    private static String base64(String text) {
        return Base64.getEncoder().encodeToString(text.getBytes(UTF_8));
    }

    private static String sha256(String text) {
        try {
            return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(text.getBytes(UTF_8)));
        } catch (NoSuchAlgorithmException e) {
            throw new AssertionError(e);
        }
    }

    private Run apply(List<Json> files, String... options) {
        sallyport.forget("GET /v1/children/" + CHILD + "/changes");
        sallyport.get(
                "/v1/children/" + CHILD + "/changes",
                Json.object(
                        "base",
                        "b",
                        "tip",
                        "t",
                        "files",
                        files.stream().map(Json::value).toList()));
        return sallyport.run(
                Stream.concat(Stream.of("apply", CHILD), Arrays.stream(options)).toArray(String[]::new));
    }

    /** Every file of everything the test made, the tree and what stands around it. */
    private Map<String, String> everything() throws IOException {
        Map<String, String> files = new TreeMap<>();
        try (Stream<Path> paths = Files.walk(temporary)) {
            for (Path path :
                    paths.filter(path -> !path.startsWith(sallyport.home)).toList()) {
                files.put(
                        temporary.relativize(path).toString(),
                        Files.isRegularFile(path) ? Files.readString(path) : Files.isSymbolicLink(path) ? "link" : "");
            }
        }
        return files;
    }

    @Test
    void writesAddsAndDeletesFromAnywhereInTheRepository() throws IOException {
        sallyport.directory = tree.resolve("src");

        Run run = apply(List.of(
                modified("src/a.txt", "old a\n", "new a\n"),
                modified("b.sh", "old b\n", "new b\n"),
                added("new/deep/c.txt", "c\u0000\n"),
                deleted("gone.txt", "going\n")));

        assertThat(run.err()).isEqualTo("sallyport: changed 4 files\n");
        assertThat(run.out())
                .isEqualTo("modified src/a.txt\nmodified b.sh\nadded    new/deep/c.txt\ndeleted  gone.txt\n");
        assertThat(everything())
                .containsEntry("here/src/a.txt", "new a\n")
                .containsEntry("here/b.sh", "new b\n")
                .containsEntry("here/new/deep/c.txt", "c\u0000\n")
                .doesNotContainKey("here/gone.txt")
                .noneSatisfy((name, contents) -> assertThat(name).contains(".sallyport-"));
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(tree.resolve("b.sh"))))
                .isEqualTo("rwxr-x--x");
    }

    @Test
    void aDryRunWritesNothing() throws IOException {
        var before = everything();

        Run run = apply(List.of(modified("b.sh", "old b\n", "new b\n")), "--dry-run", "-o", "json");

        assertThat(run.exitCode()).as(run.err()).isZero();
        assertThat(run.json().isTrue("applied")).isFalse();
        assertThat(everything()).isEqualTo(before);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "../out.txt",
                "src/../../out.txt",
                "/etc/out.txt",
                "",
                "a//b",
                "./a",
                "a/.",
                "..\\out.txt",
                ".git/hooks/pre-commit",
                ".GIT/config",
                "sub/.Git/config",
                ".git./config",
                ".git /config",
                ".git...",
                "git~1/config",
                "GIT~12",
                ".g\u200cit/config",
                "\ufeff.git/config",
                ".git::$INDEX_ALLOCATION/config",
                "a\u0000b",
                "a\u001b[2Kb"
            })
    void aPathThatLeadsOutOrIntoARepositoryIsRefused(String path) throws IOException {
        var before = everything();

        Run run = apply(List.of(added("good.txt", "good"), added(path, "bad")));

        assertThat(run.exitCode()).isEqualTo(125);
        assertThat(run.err()).contains("nothing was written").doesNotContain("\u001b");
        assertThat(everything()).isEqualTo(before);
    }

    @Test
    void refusesWhatIsNotAsTheChildFoundItAndThenWritesNothingAtAll() throws IOException {
        Files.createSymbolicLink(tree.resolve("linkdir"), temporary.resolve("outside"));
        Files.createDirectories(temporary.resolve("outside"));
        Files.writeString(temporary.resolve("outside/x.txt"), "old x\n");
        Files.createSymbolicLink(tree.resolve("link.txt"), temporary.resolve("outside/x.txt"));
        var before = everything();

        for (Json bad : List.of(
                modified("src/a.txt", "other\n", "new\n"),
                deleted("gone.txt", "other\n"),
                added("src/a.txt", "new\n"),
                modified("missing.txt", "old\n", "new\n"),
                deleted("no/such/dir.txt", "old\n"),
                modified("link.txt", "old x\n", "new\n"),
                modified("linkdir/x.txt", "old x\n", "new\n"),
                added("linkdir/y.txt", "new\n"),
                added("link.txt", "new\n"),
                added("src/a.txt/below.txt", "new\n"),
                modified("src", "old\n", "new\n"),
                Json.object("mode", "120000").merged(added("l", "/etc/passwd")),
                Json.object("mode", "160000").merged(added("m", "x")),
                Json.object("mode", "100777").merged(added("n", "x")),
                Json.object("content", "%%").merged(added("o", "x")),
                Json.object("change", "renamed").merged(added("p", "x")),
                Json.object("path", "q", "mode", "100644", "change", "modified", "content", base64("x")))) {
            Run run = apply(List.of(modified("b.sh", "old b\n", "new b\n"), added("fresh/f.txt", "f"), bad));

            assertThat(run.exitCode()).as(bad.write()).isEqualTo(125);
            assertThat(run.err()).as(bad.write()).contains("nothing was written");
            assertThat(everything()).as(bad.write()).isEqualTo(before);
        }
    }

    @Test
    void onePathTwiceOrBelowAFileOfTheSameChangeIsRefused() throws IOException {
        var before = everything();

        assertThat(apply(List.of(added("x", "1"), added("x", "2"))).err()).contains("occurs twice");
        assertThat(apply(List.of(added("y", "1"), added("y/z", "2"))).err()).contains("in its way");
        assertThat(everything()).isEqualTo(before);
    }

    @Test
    void aDirectoryThatBecomesALinkBetweenCheckAndWriteLeadsNowhere() throws IOException {
        Files.createDirectories(temporary.resolve("outside"));
        Files.writeString(temporary.resolve("outside/a.txt"), "old a\n");
        List<Change> changes = List.of(Change.of(modified("src/a.txt", "old a\n", "evil\n")));

        try (WorkingTree working = WorkingTree.open(tree)) {
            working.check(changes);
            Files.move(tree.resolve("src"), tree.resolve("moved"));
            Files.createSymbolicLink(tree.resolve("src"), temporary.resolve("outside"));
            org.assertj.core.api.Assertions.assertThatThrownBy(() -> working.apply(changes))
                    .isInstanceOf(Failure.class)
                    .hasMessageContaining("is a link");
        }

        assertThat(temporary.resolve("outside/a.txt")).hasContent("old a\n");
        assertThat(tree.resolve("moved/a.txt")).hasContent("old a\n");
    }

    @Test
    void whatFailsHalfWayIsTakenBack() throws IOException {
        List<Change> changes = List.of(
                Change.of(modified("b.sh", "old b\n", "new b\n")),
                Change.of(added("fresh/f.txt", "f")),
                Change.of(deleted("gone.txt", "going\n")));
        var before = everything();

        try (WorkingTree working = WorkingTree.open(tree)) {
            working.check(changes);
            Files.writeString(tree.resolve("gone.txt"), "changed meanwhile\n");
            org.assertj.core.api.Assertions.assertThatThrownBy(() -> working.apply(changes))
                    .hasMessageContaining("changed since");
        }

        before.put("here/gone.txt", "changed meanwhile\n");
        assertThat(everything()).isEqualTo(before);
    }
}
