package dev.sallyport.project;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sallyport.permission.PermissionConfig;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** S2: a repository brings its own policy, and whoever wrote the repository may be hostile. */
class ProjectPolicyTest {

    private static final String POLICY = "{\"permission\":{\"bash\":{\"*\":\"deny\"}}}";

    @TempDir
    private Path directory;

    private Path project;
    private Path file;

    @BeforeEach
    void begin() throws IOException {
        project = Files.createDirectory(directory.toRealPath().resolve("project"));
        file = project.resolve(".pi/extensions/pi-permission-system/config.json");
        Files.createDirectories(file.getParent());
    }

    private PermissionConfig read() {
        return ProjectPolicy.of(project).orElseThrow().layer().config();
    }

    private List<String> warnings() {
        return ProjectPolicy.of(project).orElseThrow().warnings();
    }

    @Test
    void readsWhatIsThereAndNothingWhereThereIsNothing() throws IOException {
        assertThat(ProjectPolicy.of(project)).isEmpty();
        Files.writeString(file, "// strict\n" + POLICY);

        assertThat(read()).isNotEqualTo(PermissionConfig.ASK_ALL);
        assertThat(warnings()).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{",
                "[]",
                "null",
                "{\"permission\":{\"bash\":{\"*\":\"deny\"}},\"permission\":{\"bash\":{\"*\":\"allow\"}}}"
            })
    void whatCannotBeReadAsksAboutEverything(String text) throws IOException {
        Files.writeString(file, text);

        assertThat(read()).isEqualTo(PermissionConfig.ASK_ALL);
        assertThat(warnings()).singleElement().asString().contains("everything is asked about");
    }

    @Test
    void oneThatIsTooLargeAsksAboutEverything() throws IOException {
        Files.writeString(file, POLICY + " ".repeat(65_536));

        assertThat(read()).isEqualTo(PermissionConfig.ASK_ALL);
    }

    @Test
    void aLinkOutOfTheProjectOrToNothingAsksAboutEverything() throws IOException {
        Path outside = Files.writeString(directory.resolve("outside.json"), POLICY);
        Files.createSymbolicLink(file, outside);
        assertThat(read()).isEqualTo(PermissionConfig.ASK_ALL);

        Files.delete(outside);
        assertThat(read()).isEqualTo(PermissionConfig.ASK_ALL);
    }
}
