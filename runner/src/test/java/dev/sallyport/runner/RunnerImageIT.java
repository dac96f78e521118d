package dev.sallyport.runner;

import static org.assertj.core.api.Assertions.assertThat;

import com.github.dockerjava.api.model.Capability;
import com.github.dockerjava.api.model.HostConfig;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.testcontainers.DockerClientFactory;
import org.testcontainers.containers.Container.ExecResult;
import org.testcontainers.containers.GenericContainer;
import org.testcontainers.containers.startupcheck.OneShotStartupCheckStrategy;

/** The image as images/build.sh left it, in a container as bare as a child's. */
@Timeout(180)
class RunnerImageIT {

    private static final String IMAGE = System.getProperty("sallyport.runner", "sallyport/runner:dev");
    private static final String JAVA = "/opt/sallyport/jre/bin/java";

    /** A runner that waits for its door. */
    private static final GenericContainer<?> WAITING = asAChild("23456:23456");

    @BeforeAll
    static void start() {
        WAITING.start();
    }

    @AfterAll
    static void stop() {
        WAITING.stop();
    }

    /** Never fetched, without network, capabilities or a root that can be written to. */
    private static GenericContainer<?> asAChild(String user) {
        return new GenericContainer<>(IMAGE)
                .withImagePullPolicy(_ -> false)
                .withNetworkMode("none")
                .withTmpFs(Map.of("/tmp", "exec", "/home/agent", ""))
                .withEnv("HOME", "/tmp")
                .withCreateContainerCmdModifier(create -> {
                    create.withUser(user);
                    HostConfig host = Objects.requireNonNull(create.getHostConfig());
                    host.withReadonlyRootfs(true)
                            .withCapDrop(Capability.ALL)
                            .withSecurityOpts(List.of("no-new-privileges"))
                            .withMemory(256L << 20);
                });
    }

    /** Runs to the end, which must be a good one, and returns what was printed. */
    private static String run(String... command) {
        try (GenericContainer<?> container = asAChild("23456:23456")) {
            container
                    .withCreateContainerCmdModifier(
                            create -> create.withEntrypoint(command).withCmd())
                    .withStartupCheckStrategy(new OneShotStartupCheckStrategy())
                    .start();
            return container.getLogs();
        }
    }

    /** In the waiting container, beside the runner. */
    private static String sh(String script) throws IOException, InterruptedException {
        ExecResult result = WAITING.execInContainer("sh", "-c", script);
        assertThat(result.getExitCode()).as(result.getStderr()).isZero();
        return result.getStdout().strip();
    }

    @Test
    void rehearsesAsAnyUserOnAReadOnlyRoot() {
        assertThat(run("/opt/sallyport/bin/runner", "rehearse")).contains("exit code 0, 7 of 7 calls");
    }

    @Test
    void startsWithItsCache() throws Exception {
        assertThat(sh("cat /proc/$(pgrep -x java)/maps")).contains("/opt/sallyport/runner.aot");
        assertThat(run(
                        JAVA,
                        "@/opt/sallyport/options",
                        "-XX:AOTCache=/opt/sallyport/runner.aot",
                        "-XX:AOTMode=on",
                        "-Xlog:class+load",
                        "dev.sallyport.runner.Main",
                        "rehearse"))
                .containsPattern("dev\\.sallyport\\.runner\\.Runner source: shared objects file");
    }

    @Test
    void startsWithoutItsCacheToo() {
        assertThat(run(
                        JAVA,
                        "@/opt/sallyport/options",
                        "-XX:AOTCache=/nowhere",
                        "dev.sallyport.runner.Main",
                        "rehearse"))
                .contains("rehearsal: exit code 0, 7 of 7 calls");
    }

    @Test
    void isNobodyWhoCanBecomeMore() throws Exception {
        assertThat(sh("id -u; id -g; grep -E 'Cap(Prm|Eff|Bnd)|NoNewPrivs' /proc/self/status")
                        .split("\\s+"))
                .containsExactly(
                        "23456",
                        "23456",
                        "CapPrm:",
                        "0000000000000000",
                        "CapEff:",
                        "0000000000000000",
                        "CapBnd:",
                        "0000000000000000",
                        "NoNewPrivs:",
                        "1");
        // Whoever starts it without saying as whom.
        assertThat(DockerClientFactory.lazyClient()
                        .inspectImageCmd(IMAGE)
                        .exec()
                        .getConfig()
                        .getUser())
                .matches("[1-9][0-9]*:[1-9][0-9]*");
        assertThat(sh("ls /sys/class/net; (echo x > /etc/x) 2>&1; true"))
                .startsWith("lo\n")
                .endsWith("Read-only file system");
    }

    @Test
    void reapsWhateverLosesItsParent() throws Exception {
        assertThat(sh("cat /proc/1/comm")).isEqualTo("tini");
        String orphan = sh("sh -c 'sleep 0.2 >/dev/null 2>&1 & echo $!'");

        // What is not reaped stays there.
        String there;
        do {
            there = sh("test -e /proc/%s && echo yes || echo no".formatted(orphan));
        } while (there.equals("yes"));

        assertThat(sh("cat /proc/[0-9]*/stat 2>/dev/null | grep -c ' Z ' || true"))
                .isEqualTo("0");
    }

    @Test
    void hasWhatAChildWorksWith() throws Exception {
        assertThat(sh("""
                cd /tmp && git init -q r && cd r && echo a > f && git add f \\
                  && git -c user.name=n -c user.email=e@example.test commit -q -m m && git log --format=%s \\
                  && printf 'b\\nc\\n' | sed s/b/d/ | grep -c . && find . -name f && bash -c 'echo ${BASH_VERSION%%.*}'
                """)).isEqualTo("m\n2\n./f\n5");
        // A mounted repository belongs to somebody else.
        assertThat(sh("git config --system --get-all safe.directory")).isEqualTo("*");
    }

    @Test // S36
    void holdsNothingSetuidAndNoEngineClient() throws Exception {
        assertThat(sh("find / -xdev -perm /6000 -type f 2>/dev/null; echo none"))
                .isEqualTo("none");
        assertThat(sh("for c in docker podman ctr nerdctl crictl kubectl runc sudo; do command -v $c; done; echo none"))
                .isEqualTo("none");
    }

    @Test // S36
    void holdsNothingOfTheHostThatBuiltIt() throws Exception {
        try (GenericContainer<?> looking = new GenericContainer<>(IMAGE)
                .withImagePullPolicy(_ -> false)
                .withNetworkMode("none")
                .withCreateContainerCmdModifier(create -> create.withUser("0:0")
                        .withEntrypoint(
                                "sh",
                                "-c",
                                "find /root /home /media /mnt /srv /tmp /workspace /usr/local /var/cache /var/log /var/spool"
                                        + " /etc/machine-id /etc/ssh -type f -size +0 2>/dev/null;"
                                        + " find / -xdev -type s; cut -d: -f3 /etc/passwd | awk '$1 >= 1000 && $1 < 65534'; echo none")
                        .withCmd())
                .withStartupCheckStrategy(new OneShotStartupCheckStrategy())) {
            looking.start();

            assertThat(looking.getLogs().strip()).isEqualTo("none");
        }
    }

    @Test // S36
    void namesItsPackagesWithVersionsAndHashes() throws Exception {
        String label = DockerClientFactory.lazyClient()
                .inspectImageCmd(IMAGE)
                .exec()
                .getConfig()
                .getLabels()
                .get("dev.sallyport.packages");

        assertThat(label.split(" "))
                .hasSizeGreaterThan(20)
                .allMatch(entry -> entry.matches("[a-z0-9.+-]+=[^@]+@sha256:[0-9a-f]{64}"));
        assertThat(sh("cat /usr/share/sallyport/packages").replace('\n', ' ')).isEqualTo(label);
    }

    @Test
    void costsLittleWhileItWaits() throws Exception {
        String status;
        do {
            // Counts nothing until the runner listens.
            status = sh("cat /proc/$(pgrep -x java)/status; grep -c 0100007F:0C38 /proc/net/tcp; true");
        } while (!status.endsWith("\n1"));

        assertThat(kilobytes(status, "VmRSS")).isLessThan(96 * 1024);
        assertThat(kilobytes(status, "RssAnon")).isLessThan(64 * 1024);
    }

    private static long kilobytes(String status, String field) {
        Matcher matcher = Pattern.compile(field + ":\\s+(\\d+) kB").matcher(status);
        assertThat(matcher.find()).as(status).isTrue();
        return Long.parseLong(matcher.group(1));
    }
}
