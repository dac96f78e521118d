package dev.sallyport.gateway.sandbox.docker;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sallyport.gateway.sandbox.Enforcement;
import dev.sallyport.gateway.sandbox.SandboxException;
import dev.sallyport.gateway.sandbox.SandboxId;
import dev.sallyport.gateway.sandbox.SandboxSpec;
import dev.sallyport.gateway.sandbox.SandboxState;
import dev.sallyport.gateway.sandbox.VolumeId;
import dev.sallyport.gateway.sandbox.WorkspaceMount;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class DockerVolumesIT {

    private final TestSandboxes sandboxes = new TestSandboxes();
    private final SandboxId id = TestSandboxes.anId();
    private final VolumeId volume = new VolumeId(id.child());

    @AfterEach
    void leaveNothingBehind() throws IOException {
        sandboxes.close();
    }

    @Test // S15
    void aDeadChildsWorkIsSalvaged() throws Exception {
        create();
        sandboxes.run(spec(id, """
                cd /workspace
                mkdir -p sub/deep && echo work > sub/deep/file
                head -c 3000000 /dev/zero > zeros
                echo x > $'new\\nline' ; ln -s /etc/shadow link; echo y > locked; chmod 0 locked; mkfifo fifo
                kill -9 1; kill -9 $$
                """));

        Path tar = sandboxes.directory.resolve("salvage.tar");
        try (OutputStream out = Files.newOutputStream(tar)) {
            sandboxes.driver.salvage(volume, sandboxes.image, TestSandboxes.USER, out);
        }

        Path into = Files.createDirectory(sandboxes.directory.resolve("salvage"));
        Host.run("tar", "-C", into.toString(), "-xf", tar.toString());
        assertThat(into.resolve("sub/deep/file")).hasContent("work\n");
        assertThat(into.resolve("zeros")).hasSize(3_000_000);
        assertThat(into.resolve("new\nline")).hasContent("x\n");
        assertThat(into.resolve("link")).isSymbolicLink();
        assertThat(into.resolve("locked")).doesNotExist();
    }

    @Test
    void whoeverCannotTakeTheTarIsToldSoAndNothingStays() {
        create();

        assertThatThrownBy(
                        () -> sandboxes.driver.salvage(volume, sandboxes.image, TestSandboxes.USER, new OutputStream() {
                            @Override
                            public void write(int b) throws IOException {
                                throw new IOException("full");
                            }
                        }))
                .isInstanceOf(IOException.class)
                .hasMessage("full");

        sandboxes.driver.removeVolume(volume);
        assertThat(sandboxes.driver.volumes()).isEmpty();
    }

    @Test
    void salvagingChangesNothing() throws Exception {
        create();
        sandboxes.run(spec(id, "echo work > /workspace/file"));

        sandboxes.driver.salvage(volume, sandboxes.image, TestSandboxes.USER, new ByteArrayOutputStream());

        assertThat(sandboxes
                        .run(spec(next(), "ls -A /workspace; cat /workspace/file"))
                        .output())
                .isEqualTo("file\nwork\n");
    }

    /** After the host was started again, the old device number is gone, or worse: somebody else's. */
    @Test // S11
    void findsItsDeviceAgainByItsFile() throws Exception {
        create();
        sandboxes.run(spec(id, "echo mine > /workspace/file"));
        sandboxes.driver.remove(id);
        String device = device();
        Path other = sandboxes.directory.resolve("other.img");
        Host.run("truncate", "--size", "32M", other.toString());
        Host.run("mkfs.ext4", "-q", other.toString());
        Host.run("losetup", "--detach", device);
        Host.run("losetup", device, other.toString());
        try {
            assertThat(sandboxes.run(spec(next(), "cat /workspace/file")).output())
                    .isEqualTo("mine\n");
            assertThat(device()).isNotEqualTo(device);
        } finally {
            Host.run("losetup", "--detach", device);
        }
    }

    @Test // S11
    void removingAVolumeLeavesNoDeviceAndNoFile() throws Exception {
        create();
        assertThat(device()).startsWith("/dev/loop");

        sandboxes.driver.removeVolume(volume);

        assertThat(Host.run("losetup", "--list")).doesNotContain(sandboxes.directory.toString());
        try (var files = Files.list(file().getParent())) {
            assertThat(files).isEmpty();
        }
    }

    @Test
    void whatACrashLeftHalfMadeIsListedAndRemoved() throws Exception {
        create();
        Host.run("docker", "volume", "rm", "sallyport-%s-%s".formatted(sandboxes.installation, volume));

        assertThat(sandboxes.driver.volumes()).containsExactly(volume);
        sandboxes.driver.removeVolume(volume);

        assertThat(sandboxes.driver.volumes()).isEmpty();
        assertThat(Host.run("losetup", "--list")).doesNotContain(sandboxes.directory.toString());
    }

    /** Where the gateway is not root, or the engine lives elsewhere. */
    @Test // S11
    void aPlainVolumeBelongsToTheChildAndIsNotCalledBounded() throws Exception {
        Labels labels = new Labels(sandboxes.installation);
        LoopVolumes noLoops = new LoopVolumes(sandboxes.directory.resolve("none")) {
            @Override
            String unavailable() {
                return "not here";
            }
        };
        new DockerVolumes(sandboxes.engine, labels, new ContainerConfig(labels), noLoops)
                .create(volume, sandboxes.image, TestSandboxes.USER, TestSandboxes.LIMITS.diskBytes());

        sandboxes.driver.create(spec(id, "echo work > /workspace/file && exec sleep infinity"));

        assertThat(sandboxes.driver.inspect(id)).isEqualTo(new SandboxState.Running());
        assertThat(sandboxes.driver.enforcements(id))
                .contains(Enforcement.unavailable("disk", "the workspace lies on a disk of the host"));
        sandboxes.driver.remove(id);
        sandboxes.driver.removeVolume(volume);
        assertThat(sandboxes.driver.volumes()).isEmpty();
    }

    @Test
    void aVolumeInUseIsNotRemoved() {
        create();
        sandboxes.driver.create(spec(id, "exec sleep infinity"));

        assertThatThrownBy(() -> sandboxes.driver.removeVolume(volume)).isInstanceOf(SandboxException.Rejected.class);

        assertThat(sandboxes.driver.volumes()).containsExactly(volume);
    }

    private void create() {
        sandboxes.driver.createVolume(volume, sandboxes.image, TestSandboxes.USER, TestSandboxes.LIMITS.diskBytes());
    }

    private SandboxId next() {
        return new SandboxId(id.child(), 2);
    }

    private SandboxSpec spec(SandboxId sandbox, String program) {
        return sandboxes.spec(sandbox, new WorkspaceMount.Volume(volume), TestSandboxes.LIMITS, program);
    }

    private Path file() {
        return sandboxes
                .directory
                .resolve("volumes")
                .resolve(sandboxes.installation.value())
                .resolve("sallyport-%s-%s.ext4".formatted(sandboxes.installation, volume));
    }

    private String device() throws Exception {
        return Host.run("losetup", "--noheadings", "--output", "NAME", "--associated", file().toString())
                .strip();
    }
}
