package dev.sallyport.gateway.sandbox.docker;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sallyport.containment.Limits;
import dev.sallyport.containment.RuntimeClass;
import dev.sallyport.gateway.sandbox.BindRefusal;
import dev.sallyport.gateway.sandbox.BindSource;
import dev.sallyport.gateway.sandbox.BindSources;
import dev.sallyport.gateway.sandbox.Enforcement;
import dev.sallyport.gateway.sandbox.FileKey;
import dev.sallyport.gateway.sandbox.SandboxException;
import dev.sallyport.gateway.sandbox.SandboxId;
import dev.sallyport.gateway.sandbox.SandboxSpec;
import dev.sallyport.gateway.sandbox.SandboxState;
import dev.sallyport.gateway.sandbox.VolumeId;
import dev.sallyport.gateway.sandbox.WorkspaceMount;
import dev.sallyport.gateway.sandbox.docker.TestSandboxes.Outcome;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What a hostile child tries in a real container. Each test brings the attack as the child's own program. */
class ContainmentIT {

    private final TestSandboxes sandboxes = new TestSandboxes();

    @AfterEach
    void leaveNothingBehind() throws IOException {
        sandboxes.close();
    }

    /** By number, because the base image has Perl and no compiler. */
    @Test // S8, T56
    void refusesEveryCallThatReachesBeyondTheChild() throws InterruptedException {
        Outcome outcome = sandboxes.run("""
                try() { perl -e 'my ($name, $n, @a) = @ARGV; my $r = syscall($n + 0, map { oct(/^0x/ ? $_ : sprintf("0x%x", $_)) } @a);
                  print "$name ", $r < 0 ? $! + 0 : "worked", "\\n"' "$@"; }
                try vsock 41 40 1 0
                try packet 41 17 3 0
                try alg 41 38 5 0
                try key 41 15 3 2
                try netlink-audit 41 16 3 9
                try netlink-netfilter 41 16 3 12
                try tipc-pair 53 30 1 0 0
                try io_uring_setup 425 1 0
                try ptrace 101 0 0 0 0
                try process_vm_readv 310 1 0 0 0 0 0
                try unshare-user 272 0x10000000
                try unshare-mount 272 0x20000
                try setns 308 0 0
                try clone-new-user 56 0x10000011 0 0 0 0
                try mount 165 0 0 0 0 0
                try fsopen 430 0 0
                try open_tree 428 0 0 0
                try move_mount 429 0 0 0 0 0
                try pivot_root 155 0 0
                try chroot 161 0
                try keyctl 250 0 0 0 0 0
                try add_key 248 0 0 0 0 0
                try request_key 249 0 0 0 0
                try bpf 321 0 0 0
                try userfaultfd 323 1
                try perf_event_open 298 0 0 0 0 0
                try kexec_load 246 0 0 0 0
                try init_module 175 0 0 0
                try finit_module 313 0 0 0
                try open_by_handle_at 304 0 0 0
                try personality 135 0x0400000
                try clone3 435 0 0
                """);

        assertThat(outcome.output().lines())
                .hasSize(32)
                .filteredOn(line -> !line.endsWith(" 1"))
                // ENOSYS, so that libc falls back to the clone that a filter can look into.
                .containsExactly("clone3 38");
    }

    /** The other entry points of an x86 kernel have numbers of their own, in which one call opens any kind of socket. */
    @Test // S8
    void theOldEntryPointsOfTheKernelAreClosed() throws InterruptedException {
        Outcome outcome = sandboxes.run("""
                perl -e 'print syscall(0x40000000 | 41, 40, 1, 0), "\\n"'
                echo "x32 $?"
                # mov eax,20 (getpid); int 0x80; mov ebx,eax; mov eax,1 (exit) ; int 0x80
                code='\\xb8\\x14\\x00\\x00\\x00\\xcd\\x80\\x31\\xdb\\xb8\\x01\\x00\\x00\\x00\\xcd\\x80'
                { printf '\\x7fELF\\x02\\x01\\x01\\0\\0\\0\\0\\0\\0\\0\\0\\0\\x02\\0\\x3e\\0\\x01\\0\\0\\0\\x78\\0\\x40\\0\\0\\0\\0\\0'
                  printf '\\x40\\0\\0\\0\\0\\0\\0\\0\\0\\0\\0\\0\\0\\0\\0\\0\\0\\0\\0\\0\\x40\\0\\x38\\0\\x01\\0\\0\\0\\0\\0\\0\\0'
                  printf '\\x01\\0\\0\\0\\x05\\0\\0\\0\\0\\0\\0\\0\\0\\0\\0\\0\\0\\0\\x40\\0\\0\\0\\0\\0\\0\\0\\x40\\0\\0\\0\\0\\0'
                  printf '\\x88\\0\\0\\0\\0\\0\\0\\0\\x88\\0\\0\\0\\0\\0\\0\\0\\0\\x10\\0\\0\\0\\0\\0\\0'
                  printf "$code"; } > /tmp/old
                chmod +x /tmp/old
                /tmp/old
                echo "i386 $?"
                """);

        assertThat(outcome.output()).contains("x32 159\n").contains("i386 159\n");
    }

    @Test // S8: what stays allowed
    void ordinaryProgramsWork() throws InterruptedException {
        Outcome outcome = sandboxes.run("""
                set -e
                cd /tmp
                git init -q repo && cd repo
                git config user.email a@b && git config user.name a
                echo one > file && git add file && git commit -qm one
                git log --oneline | wc -l
                find / -maxdepth 1 -name etc | sed s,/,,
                (sleep 0; echo job) & wait
                echo $(ls | grep file)
                perl -MSocket -e 'socket(my $s, PF_INET, SOCK_STREAM, 0) or die; socket($s, PF_INET6, SOCK_STREAM, 0) or die;
                  socketpair(my $a, my $b, AF_UNIX, SOCK_STREAM, 0) or die; print "sockets\\n"'
                mkfifo fifo && echo fifo
                """);

        assertThat(outcome.output()).isEqualTo("1\netc\njob\nfile\nsockets\nfifo\n");
        assertThat(outcome.end()).isEqualTo(new SandboxState.Exited(0, false));
    }

    @Test // S7
    void isNobodyInParticular() throws InterruptedException {
        Outcome outcome = sandboxes.run("id; grep -E '^(Cap|NoNewPrivs|Seccomp:)' /proc/self/status");

        assertThat(outcome.output())
                .contains("uid=21001 gid=21001 groups=21001\n")
                .contains("NoNewPrivs:\t1")
                .contains("Seccomp:\t2")
                .doesNotContainPattern("Cap[A-Z][a-z]+:\t0*[1-9a-f]");
    }

    @Test
    void canWriteNowhereButInMemory() throws InterruptedException {
        Outcome outcome = sandboxes.run("""
                for d in / /etc /usr/bin /opt/sallyport/bin /run /run/sallyport /workspace /proc/sys/kernel /sys/fs/cgroup /sys/kernel /dev; do
                  touch "$d/x" 2>/dev/null && echo "wrote $d"
                done
                echo core > /proc/sys/kernel/core_pattern
                find / -xdev -type d -writable 2>/dev/null | grep -v -x -e /tmp -e /home/agent
                touch /tmp/x /home/agent/x && echo scratch
                """);

        assertThat(outcome.output())
                .doesNotContain("wrote")
                .contains("core_pattern: Read-only file system")
                .doesNotContainPattern("(?m)^/(?!run/sallyport/program: line)")
                .endsWith("scratch\n");
    }

    @Test // T47, T55, P3
    void findsNoSecretAndNoEngine() throws InterruptedException {
        Outcome outcome = sandboxes.run("""
                ls -d /var/run/docker.sock /run/docker.sock /run/containerd /run/secrets /var/run/secrets 2>/dev/null
                tr '\\0' '\\n' < /proc/1/environ | sort
                cat /proc/*/cmdline | tr '\\0' ' '; echo
                ip=$(cat /proc/net/dev | tail -n +3 | cut -d: -f1 | tr -d ' '); echo "interfaces: $ip"
                for port in 2375 2376; do (echo > /dev/tcp/127.0.0.1/$port) 2>/dev/null && echo "engine at $port"; done
                (echo > /dev/tcp/1.1.1.1/53) 2>&1 | head -1
                echo "masked: $(cat /proc/keys /proc/interrupts /proc/kallsyms /proc/modules /proc/acpi/* 2>/dev/null | wc -c)"
                find / -xdev -perm /6000 -type f 2>/dev/null | head
                """);

        assertThat(outcome.output().lines().filter(line -> line.matches("[A-Z_]+=.*")))
                .containsExactly(
                        "HOME=/home/agent",
                        "HOSTNAME=sallyport",
                        "LANG=C.UTF-8",
                        "PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin");
        assertThat(outcome.output())
                .doesNotContain("docker", "containerd", "secrets", "engine at")
                .contains("interfaces: lo\n")
                .contains("masked: 0\n")
                .contains("unreachable");
    }

    @Test // S9
    void cannotReplaceItsDoorButCanUseIt() throws Exception {
        SandboxId id = TestSandboxes.anId();
        SandboxSpec spec = sandboxes.spec(id, """
                cd /run/sallyport
                rm -f door.sock; mv door.sock other; ln -s /etc x; mkdir d
                rmdir /run/sallyport; mv /run/sallyport /run/other
                chmod 0777 . door.sock
                perl -MIO::Socket::UNIX -e 'my $s = IO::Socket::UNIX->new(Peer => "/run/sallyport/door.sock") or die "door: $!";
                  print "answer: ", scalar <$s>'
                """);
        // Its rights must not be what keeps the child from it: a writer may run as the gateway's own user.
        Files.setPosixFilePermissions(spec.doorDirectory(), PosixFilePermissions.fromString("rwxrwxrwx"));
        Path socket = spec.doorDirectory().resolve("door.sock");
        try (ServerSocketChannel door = ServerSocketChannel.open(StandardProtocolFamily.UNIX)) {
            door.bind(UnixDomainSocketAddress.of(socket));
            Files.setPosixFilePermissions(socket, PosixFilePermissions.fromString("rw-rw-rw-"));
            FileKey before = FileKey.of(socket);
            Thread.ofVirtual().start(() -> {
                try (var child = door.accept()) {
                    child.write(ByteBuffer.wrap("hello\n".getBytes(StandardCharsets.UTF_8)));
                } catch (IOException e) {
                    throw new UncheckedIOException(e);
                }
            });

            Outcome outcome = sandboxes.run(spec);

            assertThat(outcome.output()).endsWith("answer: hello\n");
            assertThat(FileKey.of(socket)).isEqualTo(before);
            try (var entries = Files.list(spec.doorDirectory())) {
                assertThat(entries.map(entry -> entry.getFileName().toString()))
                        .containsExactlyInAnyOrder("door.sock", "program");
            }
        }
    }

    @Test // S6
    void aMountBelowTheWorkspaceDoesNotComeAlong() throws Exception {
        Path workspace = workspace();
        Path inner = Files.createDirectory(workspace.resolve("inner"));
        BindSource source = new BindSources(List.of(workspace), List.of(), () -> false)
                .check(workspace, new BindSources.Use.Read(TestSandboxes.USER), List.of());
        Host.run("mount", "-t", "tmpfs", "tmpfs", inner.toString());
        try {
            Files.writeString(inner.resolve("secret"), "secret");

            Outcome outcome = sandboxes.run(sandboxes.spec(
                    TestSandboxes.anId(),
                    new WorkspaceMount.Bind(source, true),
                    TestSandboxes.LIMITS,
                    "ls -A /workspace/inner; touch /workspace/inner/x && echo wrote"));

            assertThat(outcome.output()).doesNotContain("secret", "wrote");
        } finally {
            Host.run("umount", inner.toString());
        }
    }

    @Test // S6
    void aDeviceInTheWorkspaceIsRefusedByName() throws Exception {
        Path workspace = workspace();
        Path device = workspace.resolve("null");
        Host.run("mknod", device.toString(), "c", "1", "3");

        assertThatThrownBy(() -> new BindSources(List.of(workspace), List.of(), () -> false)
                        .check(workspace, new BindSources.Use.Read(TestSandboxes.USER), List.of()))
                .isInstanceOf(BindRefusal.class)
                .hasMessage("`%s` is a device".formatted(device));
    }

    @Test // T49
    void aForkBombStopsAtItsLimit() throws InterruptedException {
        SandboxId id = TestSandboxes.anId();
        Limits limits = new Limits(500, 128 << 20, 40, Duration.ofMinutes(1), 32 << 20);

        Outcome outcome = sandboxes.run(sandboxes.spec(id, new WorkspaceMount.None(), limits, """
                perl -e '$| = 1; my @p; while (1) { my $p = fork; last unless defined $p; if (!$p) { sleep 60; exit } push @p, $p }
                  print "forked ", scalar @p, ": $!\\n"; kill 9, @p'
                """));

        assertThat(outcome.output()).matches("(?s)forked (2\\d|3\\d): Resource temporarily unavailable\n.*");
    }

    @Test // T50
    void aMemoryHogIsKilledAlone() throws InterruptedException {
        SandboxId bystander = TestSandboxes.anId();
        sandboxes.driver.create(sandboxes.spec(bystander, "exec sleep infinity"));

        Outcome outcome = sandboxes.run("exec perl -e 'my @a; push @a, \"x\" x 1e6 while 1'");

        assertThat(outcome.end()).isEqualTo(new SandboxState.Exited(137, true));
        assertThat(sandboxes.driver.inspect(bystander)).isEqualTo(new SandboxState.Running());
    }

    @Test // T50
    void scratchSpaceIsBounded() throws InterruptedException {
        Limits roomy = new Limits(1000, 128 << 20, 64, Duration.ofMinutes(1), 1 << 30);

        Outcome outcome = sandboxes.run(sandboxes.spec(TestSandboxes.anId(), new WorkspaceMount.None(), roomy, """
                for d in /home/agent /tmp /dev/shm; do
                  dd if=/dev/zero of=$d/x bs=1M count=100 2>&1 | grep -o 'No space left on device'
                  stat -c %s $d/x
                  rm $d/x
                done
                """));

        assertThat(outcome.output().lines())
                .containsExactly(
                        "No space left on device",
                        Integer.toString(32 << 20),
                        "No space left on device",
                        Integer.toString(64 << 20),
                        "No space left on device",
                        Integer.toString(32 << 20));
        assertThat(outcome.end().oomKilled()).isFalse();
    }

    @Test
    void aFileHasALimitToo() throws InterruptedException {
        Outcome outcome =
                sandboxes.run("ulimit -f; ulimit -c; (dd if=/dev/zero of=/tmp/x bs=1M count=40) 2>/dev/null; echo $?");

        // Somewhere among them the shell says what happened, on the other stream.
        assertThat(outcome.output().lines().toList()).containsSubsequence(Integer.toString(32 << 10), "0", "153");
    }

    @Test // S11
    void aFullDiskIsTheChildsOwn() throws Exception {
        SandboxId id = TestSandboxes.anId();
        VolumeId volume = new VolumeId(id.child());
        sandboxes.driver.createVolume(volume, sandboxes.image, TestSandboxes.USER, TestSandboxes.LIMITS.diskBytes());
        SandboxSpec spec = sandboxes.spec(id, new WorkspaceMount.Volume(volume), TestSandboxes.LIMITS, """
                cd /workspace
                ls -A | wc -l
                stat -c '%u:%g' .
                for i in 1 2 3 4 5; do dd if=/dev/zero of=$i bs=1M count=8 2>&1 | grep -o 'No space left on device'; done
                rm -f 1 2 3 4 5 && touch again && echo recovered
                """);

        Outcome outcome = sandboxes.run(spec);

        assertThat(outcome.output())
                .isEqualTo("0\n21001:21001\nNo space left on device\nNo space left on device\nrecovered\n");
    }

    @Test // S11
    void reportsWhatTheKernelReallyEnforces() {
        SandboxId id = TestSandboxes.anId();
        VolumeId volume = new VolumeId(id.child());
        sandboxes.driver.createVolume(volume, sandboxes.image, TestSandboxes.USER, TestSandboxes.LIMITS.diskBytes());
        sandboxes.driver.create(
                sandboxes.spec(id, new WorkspaceMount.Volume(volume), TestSandboxes.LIMITS, "exec sleep infinity"));

        List<Enforcement> enforcements = sandboxes.driver.enforcements(id);

        assertThat(enforcements)
                .contains(
                        Enforcement.applied("user", "uid 21001, gid 21001, groups [21001]"),
                        Enforcement.applied("capabilities", "none"),
                        Enforcement.applied("no-new-privileges", "NoNewPrivs 1"),
                        Enforcement.applied("seccomp", "Seccomp 2"),
                        Enforcement.applied("read-only-root", "mounted ro"),
                        Enforcement.applied("network", "interfaces [lo]"),
                        Enforcement.applied("memory", "134217728 bytes"),
                        Enforcement.applied("cpu", "1000 thousandths"),
                        Enforcement.applied("processes", "64 processes"),
                        Enforcement.applied("disk", "a file system of its own"));
    }

    @Test // T51
    void noProcessOutlivesItsSandbox() throws InterruptedException {
        SandboxId id = TestSandboxes.anId();
        sandboxes.driver.create(sandboxes.spec(id, """
                trap '' TERM HUP INT
                setsid nohup sleep 7777 & disown
                (setsid sh -c 'trap "" TERM; sleep 7777 & sleep 7777' &)
                echo ready
                sleep infinity
                """));
        await(() -> sandboxes.output(id).contains("ready"));
        String container = sandboxes
                .engine
                .client()
                .inspectContainerCmd(sandboxes.container(id))
                .exec()
                .getId();
        Kernel kernel = new Kernel();
        assertThat(kernel.processes(container)).hasSizeGreaterThan(3);
        long before = System.nanoTime();

        sandboxes.driver.remove(id);

        assertThat(kernel.processes(container)).isEmpty();
        assertThat(Duration.ofNanos(System.nanoTime() - before)).isLessThan(Duration.ofSeconds(5));
    }

    /** As a runtime that lost track of a process would leave it: in the child's control groups, not in its PID namespace. */
    @Test // S11, T51
    void whatTheEngineLeavesAliveIsEndedAllTheSame() throws Exception {
        SandboxId id = TestSandboxes.anId();
        sandboxes.driver.create(sandboxes.spec(id, "exec sleep infinity"));
        long pid = sandboxes
                .engine
                .client()
                .inspectContainerCmd(sandboxes.container(id))
                .exec()
                .getState()
                .getPidLong();
        Process survivor = new ProcessBuilder("sleep", "7777").start();
        try {
            Host.joinControlGroupsOf(pid, survivor.pid());

            sandboxes.driver.remove(id);

            assertThat(survivor.waitFor(1, TimeUnit.SECONDS)).isTrue();
        } finally {
            survivor.destroyForcibly();
        }
    }

    @Test // S36
    void anImageThatBringsVolumesIsRefused() {
        SandboxSpec plain = sandboxes.spec(TestSandboxes.anId(), "exit 0");
        SandboxSpec spec = new SandboxSpec(
                plain.id(),
                TestImage.build(sandboxes.engine, "VOLUME /data"),
                plain.user(),
                plain.doorDirectory(),
                plain.workspace(),
                plain.limits(),
                plain.runtime());

        assertThatThrownBy(() -> sandboxes.driver.create(spec))
                .isInstanceOf(SandboxException.Rejected.class)
                .hasMessageContaining("/data");

        assertThat(sandboxes.driver.list()).isEmpty();
    }

    @ParameterizedTest // T57
    @EnumSource(names = {"GVISOR", "KATA"})
    void aRuntimeThatIsNotThereIsRefusedAndNotReplaced(RuntimeClass wanted) {
        String name = wanted == RuntimeClass.GVISOR ? "runsc" : "kata";
        boolean there = sandboxes.engine.facts("").runtimes().stream().anyMatch(runtime -> runtime.contains(name));

        if (there) {
            assertThat(sandboxes.engine.runtime(wanted)).contains(name);
        } else {
            assertThatThrownBy(() -> sandboxes.engine.runtime(wanted))
                    .isInstanceOf(SandboxException.RuntimeNotFound.class);
        }
    }

    @Test // S5
    void aWorkspaceSwappedForALinkIsDetected() throws Exception {
        Path roots = workspace();
        Path chosen = Files.createDirectory(roots.resolve("chosen"));
        Path secret = Files.createDirectory(sandboxes.directory.resolve("secret"));
        Files.writeString(secret.resolve("key"), "secret");
        BindSource source = new BindSources(List.of(roots), List.of(), () -> false)
                .check(chosen, new BindSources.Use.Read(TestSandboxes.USER), List.of());
        Files.move(chosen, roots.resolve("away"));
        Files.createSymbolicLink(chosen, secret);
        SandboxId id = TestSandboxes.anId();

        sandboxes.driver.create(
                sandboxes.spec(id, new WorkspaceMount.Bind(source, true), TestSandboxes.LIMITS, "exec sleep infinity"));

        assertThat(sandboxes.driver.workspaceFileKey(id))
                .hasValue(FileKey.of(secret))
                .isNotEqualTo(Optional.of(source.key()));
    }

    /** Both outcomes are right, the checked directory or a detected swap; what must not be is neither. */
    @Test // S5
    void aSwapRaceNeverMountsAnotherDirectoryUnnoticed() throws Exception {
        int rounds = Boolean.getBoolean("sallyport.soak") ? 100 : 10;
        Path roots = workspace();
        Path chosen = Files.createDirectory(roots.resolve("chosen"));
        Files.writeString(chosen.resolve("marker"), "mine");
        Path secret = Files.createDirectory(sandboxes.directory.resolve("secret"));
        Files.writeString(secret.resolve("marker"), "secret");
        Path link = Files.createSymbolicLink(roots.resolve("link"), secret);
        BindSource source = new BindSources(List.of(roots), List.of(), () -> false)
                .check(chosen, new BindSources.Use.Read(TestSandboxes.USER), List.of());
        Thread swapper = Thread.ofPlatform().start(() -> swapUntilInterrupted(chosen, link, roots.resolve("spare")));
        int same = 0;
        try {
            for (int i = 0; i < rounds; i++) {
                SandboxId id = TestSandboxes.anId();
                try {
                    sandboxes.driver.create(sandboxes.spec(
                            id,
                            new WorkspaceMount.Bind(source, true),
                            TestSandboxes.LIMITS,
                            "cat /workspace/marker; echo; exec sleep infinity"));
                } catch (SandboxException.Rejected absentAtThatMoment) {
                    continue;
                }
                await(() -> !sandboxes.output(id).isEmpty());
                boolean recognised =
                        sandboxes.driver.workspaceFileKey(id).orElseThrow().equals(source.key());
                assertThat(recognised).isEqualTo(sandboxes.output(id).equals("mine\n"));
                same += recognised ? 1 : 0;
                sandboxes.driver.remove(id);
            }
        } finally {
            swapper.interrupt();
            swapper.join();
        }
        assertThat(same).as("the swapper ran").isLessThan(rounds);
    }

    private static void swapUntilInterrupted(Path a, Path b, Path spare) {
        try {
            while (!Thread.currentThread().isInterrupted()) {
                Files.move(a, spare);
                Files.move(b, a);
                Files.move(spare, b);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private Path workspace() throws IOException {
        return Files.createDirectories(sandboxes.directory.resolve("roots"));
    }

    private interface Condition {
        boolean holds() throws InterruptedException;
    }

    private static void await(Condition condition) throws InterruptedException {
        long deadline = System.nanoTime() + Duration.ofSeconds(10).toNanos();
        while (!condition.holds()) {
            assertThat(System.nanoTime()).as("in time").isLessThan(deadline);
            Thread.onSpinWait();
        }
    }
}
