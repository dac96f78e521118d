package dev.sallyport.gateway.sandbox.docker;

import com.github.dockerjava.api.async.ResultCallback;
import com.github.dockerjava.api.model.Frame;
import dev.sallyport.containment.Limits;
import dev.sallyport.containment.RuntimeClass;
import dev.sallyport.gateway.sandbox.ImageId;
import dev.sallyport.gateway.sandbox.SandboxId;
import dev.sallyport.gateway.sandbox.SandboxSpec;
import dev.sallyport.gateway.sandbox.SandboxState;
import dev.sallyport.gateway.sandbox.SandboxUser;
import dev.sallyport.gateway.sandbox.VolumeId;
import dev.sallyport.gateway.sandbox.WorkspaceMount;
import dev.sallyport.identity.ChildId;
import dev.sallyport.identity.InstallationId;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.security.SecureRandom;
import java.time.Duration;

/** Real sandboxes of an installation that exists for one test; closing it leaves nothing behind. */
final class TestSandboxes implements AutoCloseable {

    static final SandboxUser USER = new SandboxUser(21_001, 21_001);
    static final Limits LIMITS = new Limits(1000, 128 << 20, 64, Duration.ofMinutes(1), 32 << 20);

    private static final URI ENGINE =
            URI.create(System.getenv().getOrDefault("DOCKER_HOST", "unix:///var/run/docker.sock"));
    private static final SecureRandom RANDOM = new SecureRandom();

    final DockerEngine engine = new DockerEngine(ENGINE);
    final Path directory;
    final InstallationId installation = InstallationId.random(RANDOM);
    final DockerSandboxDriver driver;
    final ImageId image;

    TestSandboxes() {
        try {
            directory = Files.createTempDirectory("sallyport-sandboxes");
            // A child's user has to get through to what is mounted.
            directory.toFile().setExecutable(true, false);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        driver = DockerSandboxDriver.of(engine, installation, directory.resolve("volumes"));
        image = TestImage.build(engine);
    }

    static SandboxId anId() {
        return new SandboxId(ChildId.random(RANDOM), 1);
    }

    SandboxSpec spec(SandboxId id, WorkspaceMount workspace, Limits limits, String program) {
        try {
            Path door = Files.createDirectories(directory.resolve("doors").resolve(id.toString()));
            Files.writeString(door.resolve("program"), program);
            return new SandboxSpec(id, image, USER, door, workspace, limits, RuntimeClass.RUNC);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    SandboxSpec spec(SandboxId id, String program) {
        return spec(id, new WorkspaceMount.None(), LIMITS, program);
    }

    /** Runs a program to its end. */
    Outcome run(SandboxSpec spec) throws InterruptedException {
        driver.create(spec);
        SandboxState.Ended end = driver.awaitExit(spec.id());
        return new Outcome((SandboxState.Exited) end, output(spec.id()));
    }

    Outcome run(String program) throws InterruptedException {
        return run(spec(anId(), program));
    }

    record Outcome(SandboxState.Exited end, String output) {}

    String container(SandboxId id) {
        return "sallyport-%s-%s".formatted(installation, id);
    }

    /** What the child printed so far. */
    String output(SandboxId id) throws InterruptedException {
        StringBuilder output = new StringBuilder();
        engine.client()
                .logContainerCmd(container(id))
                .withStdOut(true)
                .withStdErr(true)
                .exec(new ResultCallback.Adapter<Frame>() {
                    @Override
                    public void onNext(Frame frame) {
                        output.append(new String(frame.getPayload(), StandardCharsets.UTF_8));
                    }
                })
                .awaitCompletion();
        return output.toString();
    }

    @Override
    public void close() throws IOException {
        driver.list().forEach(driver::remove);
        for (VolumeId volume : driver.volumes()) {
            driver.removeVolume(volume);
        }
        engine.close();
        deleteTree(directory);
    }

    static void deleteTree(Path top) throws IOException {
        Files.walkFileTree(top, new SimpleFileVisitor<>() {
            @Override
            public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) throws IOException {
                Files.delete(file);
                return FileVisitResult.CONTINUE;
            }

            @Override
            public FileVisitResult postVisitDirectory(Path directory, IOException e) throws IOException {
                Files.delete(directory);
                return FileVisitResult.CONTINUE;
            }
        });
    }
}
