package dev.sallyport.permissions.decision;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class CommandTextTest {

    @ParameterizedTest
    @ValueSource(
            strings = {
                "ls && rm x",
                "ls; rm x",
                "ls | sh",
                "ls & rm x",
                "ls\nrm x",
                "ls\r\nrm x",
                "echo $(rm x)",
                "echo `rm x`",
                "echo \"$(rm x)\"",
                "cat <(rm x)",
                "ls > x",
                "$CMD x",
                "\\rm x",
                "r{m,} x",
                "/bin/r? x",
                "~/x",
                "A=1 rm x",
                "\"A=1\" rm x",
                "! rm x",
                "sh -c 'rm x'",
                "bash -lc 'rm x'",
                "/usr/bin/env rm x",
                "'sudo' rm x",
                "xargs rm",
                "find . -exec rm x",
                "find . -delete",
                "python3 -c 'x'",
                "eval 'rm x'",
                "echo 'unfinished",
            })
    void doesNotJudgeWhatItCannotSee(String command) {
        assertThat(CommandText.isPlain(command)).isFalse();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "ls -l",
                "git push origin main",
                "sh tests/run.sh all",
                "grep 'a|b;c' file.txt",
                "echo \"a b\"",
                "find . -name x",
                "# what comes\nls -l",
            })
    void judgesOneSimpleCommand(String command) {
        assertThat(CommandText.isPlain(command)).isTrue();
    }

    @Test
    void knowsACommandByItsPlainNamesToo() {
        assertThat(CommandText.names("\"/bin/rm\" -rf 'x'")).contains("/bin/rm -rf x", "rm -rf x");
        assertThat(CommandText.names("# harmless\nrm x").getFirst()).isEqualTo("# harmless\nrm x");
        assertThat(CommandText.names("# harmless\nrm x")).contains("rm x");
        assertThat(CommandText.names("# only")).containsExactly("# only");
    }
}
