package dev.sallyport.runner;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sallyport.runner.door.Answer;
import dev.sallyport.runner.door.Assignment;
import dev.sallyport.runner.door.Door;
import dev.sallyport.runner.door.FakeDoor;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Real git, from the gateway's bundle to the child's (authority.md §8, S15). */
@Timeout(120)
class CloneWorkspaceTest {

    private static final String CHILD = "abcdefghijklmnop";
    private static final String BRANCH = "pi-agent-" + CHILD;

    @TempDir
    Path directory;

    private Path source;
    private Path work;
    private String base;
    private FakeDoor gateway;
    private Door door;
    private CloneWorkspace clone;

    @BeforeEach
    void open() throws Exception {
        source = Files.createDirectory(directory.resolve("source"));
        work = Files.createDirectory(directory.resolve("work"));
        sh(source, """
                git init -q -b main
                git config user.name someone
                git config user.email someone@example.com
                echo one > a
                git add a
                git commit -q -m first
                echo two > a
                printf 'ign\\n' > .gitignore
                git add .
                git commit -q -m second
                git bundle create -q ../source.bundle main
                """);
        base = sh(source, "git rev-parse HEAD");
        gateway = new FakeDoor(directory);
        gateway.source(Files.readAllBytes(directory.resolve("source.bundle")));
        door = new Door(gateway.socket(), Duration.ofSeconds(10));
        clone = new CloneWorkspace(work, new Assignment.Branch(BRANCH, base), CHILD);
    }

    @AfterEach
    void close() throws IOException {
        gateway.close();
    }

    @Test
    void clonesOntoItsOwnBranchWithoutARemote() throws Exception {
        assertThat(clone.prepare(door)).isEqualTo(base);

        assertThat(
                        sh(
                                work,
                                "cat a; git log --format=%s; git status --porcelain; git remote; git for-each-ref --format='%(refname)'"))
                .isEqualTo("two\nsecond\nfirst\nrefs/heads/" + BRANCH);
        assertThat(sh(work, "git config user.name; git config user.email")).isEqualTo("pi-agent\n" + CHILD);
    }

    @Test
    void deliversNothingWhereNothingChanged() throws Exception {
        clone.prepare(door);
        sh(work, "echo x > ign; git commit -q --allow-empty -m gone; git reset -q --hard HEAD^");

        assertThat(clone.deliver(door, "task")).isEmpty();
        assertThat(gateway.deliveries()).isZero();
    }

    @Test
    void commitsWhatIsDirtyAndSendsExactlyItsBranch() throws Exception {
        clone.prepare(door);
        sh(
                work,
                "echo mine > m; git add m; git commit -q -m mine; git tag t; git branch other; echo n > n; rm a; ln -s n ln");

        assertThat(clone.deliver(door, "  fix\n the " + "ü".repeat(300)))
                .map(Answer::ok)
                .contains(true);

        Path bundle = Files.write(directory.resolve("result.bundle"), gateway.delivered());
        assertThat(sh(source, "git bundle list-heads " + bundle))
                .endsWith(" refs/heads/" + BRANCH)
                .doesNotContain("\n");
        assertThat(sh(source, "git bundle verify " + bundle + " 2>&1")).contains(base);
        sh(source, "git fetch -q %s %s:%s".formatted(bundle, BRANCH, BRANCH));
        assertThat(sh(source, "git log --format='%an <%ae> %s' main.." + BRANCH))
                .isEqualTo("pi-agent <%s> pi-agent: fix the %s\npi-agent <%s> mine"
                        .formatted(CHILD, "ü".repeat(192), CHILD));
        assertThat(sh(source, "git diff --name-status main " + BRANCH)).isEqualTo("D\ta\nA\tln\nA\tm\nA\tn");
    }

    @Test
    void deliversHeadWhereverTheChildWent() throws Exception {
        clone.prepare(door);
        sh(work, "git checkout -q -b elsewhere; echo x > x; git add x; git commit -q -m x; git checkout -q --detach");

        clone.deliver(door, "task");

        Path bundle = Files.write(directory.resolve("result.bundle"), gateway.delivered());
        assertThat(sh(source, "git bundle list-heads " + bundle))
                .isEqualTo(sh(work, "git rev-parse HEAD") + " refs/heads/" + BRANCH);
    }

    @Test
    void runsNeitherHooksNorSigningNorMonitorsOfTheChild() throws Exception {
        clone.prepare(door);
        sh(work, """
                for hook in pre-commit commit-msg post-commit reference-transaction; do
                  printf '#!/bin/sh\\ntouch %s/ran\\nexit 1\\n' "$PWD" > .git/hooks/$hook
                  chmod +x .git/hooks/$hook
                done
                git config core.fsmonitor "touch $PWD/ran"
                git config commit.gpgSign true
                git config gpg.program false
                echo x > x
                """);

        assertThat(clone.deliver(door, "task")).map(Answer::ok).contains(true);
        assertThat(work.resolve("ran")).doesNotExist();
    }

    @Test
    void saysWhatGitSaysWhenTheCloneIsBroken() throws Exception {
        clone.prepare(door);
        sh(work, "rm -rf .git");

        assertThatThrownBy(() -> clone.deliver(door, "task"))
                .isInstanceOf(GitException.class)
                .hasMessageContaining("not a git repository");
        assertThat(gateway.deliveries()).isZero();
    }

    @Test
    void sendsAgainAfterTheGatewayDiedAndKnowsThatItWasTakenBefore() throws Exception {
        clone.prepare(door);
        sh(work, "echo x > x");
        gateway.delivery(0, "");
        Thread healer = Thread.ofVirtual().start(() -> {
            try {
                gateway.await(() -> gateway.deliveries() == 2);
                gateway.delivery(422, "{\"code\":\"branch-exists\"}");
            } catch (InterruptedException e) {
                throw new AssertionError(e);
            }
        });

        Optional<Answer> answer = clone.deliver(door, "task");
        healer.join();

        assertThat(answer).map(Answer::ok).contains(true);
    }

    @Test
    void takesARefusalForWhatItIs() throws Exception {
        clone.prepare(door);
        sh(work, "echo x > x");
        gateway.delivery(422, "{\"code\":\"branch-exists\",\"detail\":\"in the way\"}");

        assertThat(clone.deliver(door, "task"))
                .hasValueSatisfying(answer -> assertThat(answer.status()).isEqualTo(422));
        assertThat(gateway.deliveries()).isEqualTo(1);
    }

    @Test
    void beginsAgainAfterTheGatewayDiedInTheMiddleOfTheBundle() throws Exception {
        gateway.breakSource();

        assertThat(clone.prepare(door)).isEqualTo(base);

        assertThat(ProcessHandle.current()
                        .descendants()
                        .filter(ProcessHandle::isAlive)
                        .map(process -> process.info().commandLine().orElse(""))
                        .filter(line -> line.contains("index-pack")))
                .isEmpty();
    }

    @Test
    void asksAgainForASourceThatIsNotReadyYet() throws Exception {
        gateway.refuseSource(503, "{}");

        assertThat(clone.prepare(door)).isEqualTo(base);
        assertThat(gateway.fetches()).isEqualTo(2);
    }

    @Test
    void takesARefusedSourceForWhatItIsAtOnce() {
        gateway.refuseSource(404, "{\"code\":\"no-workspace\",\"detail\":\"there is none\"}");

        assertThatThrownBy(() -> clone.prepare(door))
                .isInstanceOf(Door.RefusedException.class)
                .hasMessage("there is none");
        assertThat(gateway.fetches()).isEqualTo(1);
    }

    @Test
    void saysWhyItStoppedWaitingForItsSource() {
        for (int i = 0; i < 20; i++) {
            gateway.refuseSource(503, "{\"detail\":\"not yet\"}");
        }

        assertThatThrownBy(() -> clone.prepare(new Door(gateway.socket(), Duration.ofMillis(60))))
                .hasMessage("no answer at the door for 0 s: not yet");
    }

    @Test
    void sendsAgainWhatCouldNotBeTakenAtThatMoment() throws Exception {
        clone.prepare(door);
        sh(work, "echo x > x");
        gateway.delivery(503, "{}");
        gateway.onDelivery(() -> gateway.delivery(200, "{}"));

        assertThat(clone.deliver(door, "task")).map(Answer::status).contains(200);
        assertThat(gateway.deliveries()).isEqualTo(2);
    }

    @Test
    void takesNothingButABundleOfItsVersion() {
        for (String bundle : new String[] {"# v3 git bundle\n\n", "# v2 git bundle\n-0123", "# v2 git bundle\n", ""}) {
            gateway.source(bundle.getBytes(StandardCharsets.US_ASCII));

            assertThatThrownBy(() -> clone.prepare(door))
                    .as(bundle)
                    .isInstanceOf(GitException.class)
                    .hasMessage("not a git bundle");
        }
    }

    /** What the child keeps in its home may be broken. */
    @Test
    void readsNoConfigurationOfTheChildsHome() throws Exception {
        assertThat(new Git(work).run("config", "--global", "--list")).isEmpty();
    }

    @Test
    void saysWhatGitSaysOfAPackThatItDoesNotReadToItsEnd() {
        byte[] bundle = Arrays.copyOf("# v2 git bundle\n\n".getBytes(StandardCharsets.US_ASCII), 1 << 20);
        gateway.source(bundle);

        assertThatThrownBy(() -> clone.prepare(door))
                .isInstanceOf(GitException.class)
                .hasMessageContaining("pack signature mismatch");
    }

    @Test
    void doesNotTidyUpWhereTheChildMadeThatCostly() throws Exception {
        clone.prepare(door);
        sh(work, """
                echo x > x; git add x; git commit -q -m x; git repack -q
                git config gc.auto 1; git config gc.autoPackLimit 1; git config gc.autoDetach false
                echo y > y
                """);

        clone.deliver(door, "task");

        assertThat(sh(work, "ls .git/objects/pack/*.pack | wc -l")).isEqualTo("2");
    }

    @Test
    void neverTakesHalfABundleForAClone() throws Exception {
        byte[] whole = Files.readAllBytes(directory.resolve("source.bundle"));
        gateway.source(Arrays.copyOf(whole, whole.length - 30));

        assertThatThrownBy(() -> new CloneWorkspace(work, new Assignment.Branch(BRANCH, base), CHILD)
                        .prepare(new Door(gateway.socket(), Duration.ofMillis(300))))
                .isInstanceOf(GitException.class);
    }

    private static String sh(Path directory, String script) throws IOException, InterruptedException {
        ProcessBuilder builder = new ProcessBuilder("bash", "-ec", script)
                .directory(directory.toFile())
                .redirectErrorStream(true);
        builder.environment().put("GIT_CONFIG_GLOBAL", "/dev/null");
        Process process = builder.start();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8).strip();
        assertThat(process.waitFor()).as(output).isZero();
        return output;
    }
}
