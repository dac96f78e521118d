package dev.sallyport.runner;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The image as images/build.sh left it, in a container as bare as a child's. */
@Timeout(180)
class RunnerImageIT {

    private static final String IMAGE = "sallyport/runner:dev";
    private static final List<String> CHILD = List.of(
            "--network=none",
            "--read-only",
            "--tmpfs=/tmp:exec",
            "--tmpfs=/home/agent",
            "--user=23456:23456",
            "--cap-drop=ALL",
            "--security-opt=no-new-privileges",
            "--memory=256m",
            "--env=HOME=/tmp");

    @Test
    void rehearsesAsAnyUserOnAReadOnlyRoot() throws Exception {
        assertThat(run("", "rehearse")).contains("exit code 0, 7 of 7 calls");
    }

    @Test
    void startsWithItsCache() throws Exception {
        String loaded = run(
                "/opt/sallyport/jre/bin/java",
                "@/opt/sallyport/options",
                "-XX:AOTCache=/opt/sallyport/runner.aot",
                "-XX:AOTMode=on",
                "-Xlog:class+load",
                "dev.sallyport.runner.Main",
                "rehearse");

        assertThat(loaded).containsPattern("dev\\.sallyport\\.runner\\.Runner source: shared objects file");
    }

    @Test
    void startsWithoutItsCacheToo() throws Exception {
        assertThat(run(
                        "/opt/sallyport/jre/bin/java",
                        "@/opt/sallyport/options",
                        "-XX:AOTCache=/nowhere",
                        "dev.sallyport.runner.Main",
                        "rehearse"))
                .contains("rehearsal: exit code 0, 7 of 7 calls");
    }

    @Test // S36
    void holdsNothingSetuidAndNoEngineClient() throws Exception {
        assertThat(run("/bin/sh", "-c", "find / -xdev -perm /6000 -type f 2>/dev/null; echo none"))
                .isEqualTo("none");
        assertThat(
                        run(
                                "/bin/sh",
                                "-c",
                                "for c in docker podman ctr nerdctl crictl kubectl runc sudo; do command -v $c; done; echo none"))
                .isEqualTo("none");
    }

    @Test // S36
    void namesItsPackagesWithVersionsAndHashes() throws Exception {
        String label =
                docker("image", "inspect", "--format={{index .Config.Labels \"dev.sallyport.packages\"}}", IMAGE);

        assertThat(label.split(" "))
                .hasSizeGreaterThan(20)
                .allMatch(entry -> entry.matches("[a-z0-9.+-]+=[^@]+@sha256:[0-9a-f]{64}"));
        assertThat(run("/bin/cat", "/usr/share/sallyport/packages").replace('\n', ' '))
                .isEqualTo(label);
    }

    @Test
    void costsLittleWhileItWaits() throws Exception {
        String container = start("", List.of());
        try {
            String status;
            do {
                status = docker(
                        "exec",
                        container,
                        "sh",
                        "-c",
                        // Counts nothing, and fails, until the runner listens.
                        "cat /proc/$(pgrep -x java)/status; grep -c 0100007F:0C38 /proc/net/tcp; true");
            } while (!status.endsWith("\n1"));

            assertThat(kilobytes(status, "VmRSS")).isLessThan(96 * 1024);
            assertThat(kilobytes(status, "RssAnon")).isLessThan(64 * 1024);
        } finally {
            docker("rm", "--force", container);
        }
    }

    private static long kilobytes(String status, String field) {
        Matcher matcher = Pattern.compile(field + ":\\s+(\\d+) kB").matcher(status);
        assertThat(matcher.find()).as(status).isTrue();
        return Long.parseLong(matcher.group(1));
    }

    /** Runs to the end and returns what was printed; a failure of the program is part of that. */
    private static String run(String entrypoint, String... arguments) throws IOException, InterruptedException {
        String container = start(entrypoint, List.of(arguments));
        try {
            docker("wait", container);
            return docker("logs", container);
        } finally {
            docker("rm", "--force", container);
        }
    }

    private static String start(String entrypoint, List<String> arguments) throws IOException, InterruptedException {
        List<String> command = new ArrayList<>(List.of("run", "--detach"));
        command.addAll(CHILD);
        if (!entrypoint.isEmpty()) {
            command.add("--entrypoint=" + entrypoint);
        }
        command.add(IMAGE);
        command.addAll(arguments);
        // The engine may warn before it names the container.
        return docker(command.toArray(String[]::new)).lines().reduce("", (_, last) -> last);
    }

    private static String docker(String... arguments) throws IOException, InterruptedException {
        List<String> command = new ArrayList<>(List.of("docker"));
        command.addAll(List.of(arguments));
        Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8).strip();
        assertThat(process.waitFor()).as("%s: %s", command, output).isZero();
        return output;
    }
}
