package dev.sallyport.gateway.workspace;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.sallyport.gateway.workspace.BundleBuilder.Entry;
import dev.sallyport.gateway.workspace.WorkspaceException.Refused;
import org.eclipse.jgit.lib.Constants;
import org.eclipse.jgit.lib.ObjectId;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** S16, T38, T43, T44: what no object of a child may be. */
class StrictCheckerTest {

    private static final String BLOB = "b".repeat(40);

    @ParameterizedTest
    @ValueSource(
            strings = {
                ".git",
                ".GIT",
                ".Git",
                "git~1",
                "GIT~1",
                "GIT~2",
                ".git ",
                ".git.",
                ".git. ",
                ".g\u200cit",
                ".\u202egit",
                ".git\ufeff",
                ".git::$INDEX_ALLOCATION",
                ".git:x",
                "x\\.git\\hooks",
                ".",
                "..",
                "a/b",
                "/etc",
                "../x",
                ""
            })
    void refusesNamesThatLeadElsewhere(String name) {
        assertThat(refusal(new Entry("100644", name, BLOB)))
                .isIn(WorkspaceRefusal.BUNDLE_OBJECT_INVALID, WorkspaceRefusal.BUNDLE_PATH);
    }

    @ParameterizedTest
    @ValueSource(strings = {"0100644", "100600", "104755", "644", "020666", "60644", "10644x", "888", "100000000644"})
    void refusesModesThatGitDoesNotWrite(String mode) {
        assertThat(refusal(new Entry(mode, "a.txt", BLOB))).isEqualTo(WorkspaceRefusal.BUNDLE_OBJECT_INVALID);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                ".GITMODULES",
                "gitmod~1",
                "GI7EBA~1",
                ".gitmodules ",
                ".gitmodules:$DATA",
                ".git\u200cmodules",
                ".GitAttributes",
                "GITATT~1"
            })
    void refusesGitsOwnFilesInDisguise(String name) {
        assertThat(refusal(new Entry("100644", name, BLOB))).isEqualTo(WorkspaceRefusal.BUNDLE_PATH);
    }

    @ParameterizedTest
    @ValueSource(strings = {".gitmodules", ".gitattributes"})
    void refusesGitsOwnFilesAsLinks(String name) {
        assertThat(refusal(new Entry("120000", name, BLOB)))
                .isIn(WorkspaceRefusal.BUNDLE_PATH, WorkspaceRefusal.BUNDLE_OBJECT_INVALID);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                ".gitignore",
                ".github",
                "git",
                "Foo::Bar.pm",
                "CON",
                "a\\b",
                "x~1",
                "ünïcode",
                "-rf",
                "new\nline",
                "...",
                ".gitx",
                "git~"
            })
    void takesNamesThatAreOrdinary(String name) {
        assertThatCode(() -> check(new Entry("100644", name, BLOB))).doesNotThrowAnyException();
    }

    @Test
    void takesNamesThatDifferByCaseOnly() {
        assertThatCode(() -> check(new Entry("100644", "Makefile", BLOB), new Entry("100755", "makefile", BLOB)))
                .doesNotThrowAnyException();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "[submodule \"x\"]\n path = x\n url = ext::sh -c id\n",
                "[submodule \"x\"]\n path = x\n url = -u./x\n",
                "[submodule \"x\"]\n path = x\n url = file:///etc\n",
                "[submodule \"x\"]\n path = x\n url = /etc\n",
                "[submodule \"x\"]\n path = x\n url = git@internal:x.git\n",
                "[submodule \"x\"]\n path = x\n url = ssh://-oProxyCommand=id/x\n",
                "[submodule \"x\"]\n path = x\n url = \"https://example.org/\\n--upload-pack=id\"\n",
                "[submodule \"../../hooks\"]\n path = x\n url = https://example.org/x\n",
                "[submodule \"x\"]\n path = ../x\n url = https://example.org/x\n",
                "[submodule \"x\"]\n path = -x\n url = https://example.org/x\n",
                "[submodule \"x\"]\n update = !id\n url = https://example.org/x\n",
                "[core]\n fsmonitor = id\n",
                "[submodule \"x\"\n"
            })
    void refusesSubmodulesFromAnywhereButHttps(String gitmodules) {
        Refused refused =
                catchThrowableOfType(Refused.class, () -> StrictChecker.requireHarmless(gitmodules.getBytes(UTF_8)));

        assertThat(refused).hasMessageStartingWith(".gitmodules is not acceptable");
    }

    @ParameterizedTest
    @ValueSource(strings = {"https://example.org/x.git", "../x.git", "./x"})
    void takesSubmodulesByHttpsOrFromBeside(String url) {
        String gitmodules = "[submodule \"lib/x\"]\n path = lib/x\n url = %s\n branch = main\n".formatted(url);

        assertThatCode(() -> StrictChecker.requireHarmless(gitmodules.getBytes(UTF_8)))
                .doesNotThrowAnyException();
    }

    private static WorkspaceRefusal refusal(Entry... entries) {
        return catchThrowableOfType(Refused.class, () -> check(entries)).refusal();
    }

    private static void check(Entry... entries) {
        new StrictChecker().check(ObjectId.zeroId(), Constants.OBJ_TREE, BundleBuilder.treeContent(entries));
    }
}
