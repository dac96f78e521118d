package dev.sallyport.toolscope;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sallyport.testing.TestExtension;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ExtensionFilesTest {

    @TempDir
    private Path directory;

    @Test
    void findsDirectoriesWithAManifest() throws IOException {
        TestExtension.withManifest(directory.resolve("Tickets"), "search");
        TestExtension.in(directory.resolve("no-manifest"));
        Files.writeString(directory.resolve("pi-extension.ts"), "export default 1");

        ExtensionFiles files = ExtensionFiles.in(directory);

        assertThat(files.found())
                .containsExactly(new ExtensionFiles.Found(
                        directory.resolve("Tickets"),
                        new Extension("Tickets", List.of("tickets")),
                        List.of("bash", "extension.sh", "search"),
                        null));
        assertThat(files.problems()).isEmpty();
        assertThat(ExtensionFiles.in(directory.resolve("missing")).found()).isEmpty();
    }

    @Test
    void pinsWhatCanBeCopiedAndNamesTheRest() throws IOException {
        TestExtension.withManifest(directory.resolve("good"), "search");
        TestExtension.withManifest(directory.resolve("linked"), "search");
        Files.createSymbolicLink(directory.resolve("linked/out"), Path.of("/etc/passwd"));

        ExtensionFiles pinned = ExtensionFiles.in(directory).pinned();

        assertThat(pinned.found())
                .singleElement()
                .extracting(ExtensionFiles.Found::pinned)
                .isEqualTo(ExtensionFiles.digest(directory.resolve("good"), null));
        assertThat(pinned.problems()).singleElement().asString().contains("linked", "`out` is neither");
    }

    @Test
    void ofTwoWithOneNameTheFirstIsThere() throws IOException {
        TestExtension.withManifest(directory.resolve("user/Tickets"), "search");
        TestExtension.withManifest(directory.resolve("project/tickets"), "search");
        TestExtension.withManifest(directory.resolve("project/other"), "search");

        ExtensionFiles both =
                ExtensionFiles.in(directory.resolve("user")).and(ExtensionFiles.in(directory.resolve("project")));

        assertThat(both.found()).extracting(ExtensionFiles.Found::name).containsExactly("Tickets", "other");
        assertThat(both.problems()).singleElement().asString().contains("project/tickets");
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '~', textBlock = """
            {"args":["x"]}                   | command
            {"command":""}                   | command
            {"command":"x","args":"y"}       | args
            {"command":"x","env":{"K":"v"}}  | unknown field `env`
            {"command":"x","command":"y"}    | duplicate key
            [1]                              | extension.json
            x                                | extension `broken`
            """)
    void saysWhatIsWrongWithAManifest(String manifest, String problem) throws IOException {
        Files.createDirectories(directory.resolve("broken"));
        Files.writeString(directory.resolve("broken/extension.json"), manifest);

        ExtensionFiles files = ExtensionFiles.in(directory);

        assertThat(files.found()).isEmpty();
        assertThat(files.problems())
                .singleElement()
                .asString()
                .startsWith("extension `broken`: ")
                .contains(problem);
    }

    @Test
    void followsNoLink() throws IOException {
        Path secret = Files.writeString(directory.resolve("secret"), "{\"command\":\"x\"}");
        Path extensions = Files.createDirectories(directory.resolve("extensions"));
        Files.createSymbolicLink(
                extensions.resolve("linked"), TestExtension.withManifest(directory.resolve("real"), "a"));
        Files.createSymbolicLink(
                Files.createDirectories(extensions.resolve("inside")).resolve("extension.json"), secret);

        ExtensionFiles files = ExtensionFiles.in(extensions);

        assertThat(files.found()).isEmpty();
        assertThat(files.problems()).hasSize(2);
    }

    @Test // P8
    void copiesExactlyWhatItHashes() throws IOException {
        Path from = TestExtension.withManifest(directory.resolve("tickets"), "search");
        Files.createDirectories(from.resolve("lib/empty"));
        Path program = Files.writeString(from.resolve("lib/run"), "x");
        Files.setPosixFilePermissions(program, PosixFilePermissions.fromString("rwx------"));
        Path to = directory.resolve("copy");

        String digest = ExtensionFiles.digest(from, to);

        assertThat(ExtensionFiles.digest(to, null)).isEqualTo(digest);
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(to.resolve("lib/run"))))
                .isEqualTo("rwxr-xr-x");
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(to.resolve("extension.json"))))
                .isEqualTo("rw-r--r--");
    }

    @Test
    void everyChangeIsAnotherDigest() throws IOException {
        Path from = TestExtension.withManifest(directory.resolve("tickets"), "search");
        String before = ExtensionFiles.digest(from, null);

        Path added = Files.writeString(from.resolve("more"), "x");
        String more = ExtensionFiles.digest(from, null);
        Files.setPosixFilePermissions(added, PosixFilePermissions.fromString("rwxr-xr-x"));
        String program = ExtensionFiles.digest(from, null);
        Files.move(added, from.resolve("less"));
        String renamed = ExtensionFiles.digest(from, null);

        assertThat(List.of(before, more, program, renamed)).doesNotHaveDuplicates();
    }

    @Test
    void refusesToCopyALink() throws IOException {
        Path from = TestExtension.withManifest(directory.resolve("tickets"), "search");
        Files.createSymbolicLink(from.resolve("shadow"), Path.of("/etc/shadow"));

        assertThatThrownBy(() -> ExtensionFiles.digest(from, directory.resolve("copy")))
                .isInstanceOf(IOException.class)
                .hasMessage("`shadow` is neither a file nor a directory");
    }

    @Test
    void refusesWhatHasTooManyFiles() throws IOException {
        Path from = Files.createDirectories(directory.resolve("many"));
        for (int i = 0; i <= 2_000; i++) {
            Files.createFile(from.resolve("f" + i));
        }

        assertThatThrownBy(() -> ExtensionFiles.digest(from, null)).hasMessage("more than 2000 files");
    }
}
