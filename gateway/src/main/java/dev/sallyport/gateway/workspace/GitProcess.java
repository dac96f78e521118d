package dev.sallyport.gateway.workspace;

import dev.sallyport.gateway.workspace.WorkspaceException.Refused;
import dev.sallyport.gateway.workspace.WorkspaceException.Unavailable;
import dev.sallyport.identity.ChildId;
import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.URISyntaxException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileSystemNotFoundException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.CodeSource;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Starts {@link GitMain} for one operation: an empty environment, a bounded heap, and a deadline after which it is killed.
 * It gets only the jars that it needs, which also halves its start.
 */
final class GitProcess {

    /** What a child's commit can make the answer grow to: 10 MiB of contents in base64, or long lists of paths. */
    private static final int MAX_ANSWER = 64 << 20;

    private static final int MAX_COMPLAINT = 4096;

    /** At a time, over all repositories: each takes a heap and a processor, and children can ask for many. */
    private static final int PLACES = Math.max(2, Runtime.getRuntime().availableProcessors());

    private static final String OPERATION = "op-";

    private final WorkspaceSettings settings;
    private final List<String> command;
    private final Semaphore places = new Semaphore(PLACES, true);

    GitProcess(WorkspaceSettings settings) {
        this.settings = settings;
        this.command = List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Xmx512m",
                "-XX:MaxDirectMemorySize=64m",
                "-XX:+UseSerialGC",
                "-XX:TieredStopAtLevel=1",
                "-XX:+ExitOnOutOfMemoryError",
                "-XX:-UsePerfData",
                "-Xshare:auto",
                "-Duser.home=" + settings.scratch(),
                "-Djava.io.tmpdir=" + settings.scratch(),
                "-cp",
                classPath(),
                GitMain.class.getName());
        try {
            Files.createDirectories(settings.scratch());
            Files.setPosixFilePermissions(settings.scratch(), PosixFilePermissions.fromString("rwx------"));
        } catch (IOException e) {
            throw unusable(e);
        }
    }

    List<String> command() {
        return command;
    }

    /** @throws WorkspaceException always of the closed family; process and scratch are gone when this returns */
    Answer run(String operation, String... arguments) {
        takePlace(operation);
        try {
            return runNow(operation, arguments);
        } finally {
            places.release();
        }
    }

    private void takePlace(String operation) {
        try {
            if (!places.tryAcquire(settings.deadline().toMillis(), TimeUnit.MILLISECONDS)) {
                throw new Unavailable(
                        "`%s` got no turn within %s".formatted(operation, settings.deadline()), new IOException());
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new Unavailable("interrupted before `%s`".formatted(operation), e);
        }
    }

    private Answer runNow(String operation, String... arguments) {
        Path scratch = scratch();
        try {
            Answer.Builder request = new Answer.Builder().add(operation);
            settings.addTo(request);
            request.add(scratch.toString());
            for (String argument : arguments) {
                request.add(argument);
            }
            return parse(operation, talk(operation, request.toByteArray()));
        } finally {
            recover(List.of(scratch));
        }
    }

    /** Ends what operations left that died with an earlier gateway. */
    void recover() {
        try (Stream<Path> left = Files.list(settings.scratch())) {
            recover(left.filter(path -> path.getFileName().toString().startsWith(OPERATION))
                    .toList());
        } catch (IOException e) {
            throw unusable(e);
        }
    }

    /** An intent that is still there says that a publication was under way. */
    private void recover(List<Path> operations) {
        List<String> cut = operations.stream()
                .filter(operation -> Files.exists(operation.resolve(Operation.INTENT)))
                .map(Path::toString)
                .toList();
        if (!cut.isEmpty()) {
            Path scratch = scratch();
            Answer.Builder request = new Answer.Builder().add("recover");
            settings.addTo(request);
            parse(
                    "recover",
                    talk("recover", request.add(scratch.toString()).add(cut).toByteArray()));
            delete(scratch);
        }
        operations.forEach(GitProcess::delete);
    }

    private Path scratch() {
        try {
            return Files.createTempDirectory(settings.scratch(), OPERATION);
        } catch (IOException e) {
            throw unusable(e);
        }
    }

    private static void delete(Path scratch) {
        // Links in it are removed, not followed.
        try (Stream<Path> tree = Files.walk(scratch)) {
            for (Path path : tree.sorted(Comparator.reverseOrder()).toList()) {
                Files.deleteIfExists(path);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private Unavailable unusable(IOException e) {
        return new Unavailable("scratch directory cannot be used: `%s`".formatted(settings.scratch()), e);
    }

    private static Answer parse(String operation, byte[] bytes) {
        Answer answer = new Answer(bytes);
        try {
            if (answer.next().equals("done")) {
                return answer;
            }
            throw new Refused(WorkspaceRefusal.valueOf(answer.next()), answer.next());
        } catch (IllegalArgumentException e) {
            throw new Unavailable("the repository process gave no proper answer to `%s`".formatted(operation), e);
        }
    }

    private byte[] talk(String operation, byte[] request) {
        Process process = start();
        AtomicBoolean overran = new AtomicBoolean();
        CompletableFuture<byte[]> complaint = CompletableFuture.supplyAsync(
                () -> complaint(process), command -> Thread.ofVirtual().start(command));
        Thread.ofVirtual().start(() -> endAfterDeadline(process, overran));
        try (OutputStream stdin = process.getOutputStream();
                InputStream stdout = process.getInputStream()) {
            // The stream stays open: its end tells the process that the gateway is gone.
            stdin.write(
                    ByteBuffer.allocate(Integer.BYTES).putInt(request.length).array());
            stdin.write(request);
            stdin.flush();
            byte[] answer = stdout.readNBytes(MAX_ANSWER + 1);
            if (answer.length > MAX_ANSWER) {
                process.destroyForcibly();
            } else if (process.waitFor() == 0) {
                return answer;
            }
            throw unavailable(operation, overran.get(), complaint);
        } catch (IOException e) {
            throw unavailable(operation, overran.get(), complaint);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new Unavailable("interrupted during `%s`".formatted(operation), e);
        } finally {
            process.destroyForcibly();
        }
    }

    private Process start() {
        ProcessBuilder builder =
                new ProcessBuilder(command).directory(settings.scratch().toFile());
        builder.environment().clear();
        // Without it the JVM could not name a file with a letter outside ASCII.
        builder.environment().put("LC_ALL", "C.UTF-8");
        try {
            return builder.start();
        } catch (IOException e) {
            throw new Unavailable("the repository process did not start", e);
        }
    }

    private void endAfterDeadline(Process process, AtomicBoolean overran) {
        try {
            if (!process.waitFor(settings.deadline().toMillis(), TimeUnit.MILLISECONDS)) {
                overran.set(true);
                process.destroyForcibly();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            process.destroyForcibly();
        }
    }

    private static byte[] complaint(Process process) {
        try (InputStream stderr = process.getErrorStream()) {
            byte[] start = stderr.readNBytes(MAX_COMPLAINT);
            stderr.transferTo(OutputStream.nullOutputStream());
            return start;
        } catch (IOException e) {
            return new byte[0];
        }
    }

    /** What the process complained of may quote a repository, so it goes into the cause, for logs, not into the message. */
    private Unavailable unavailable(String operation, boolean overran, CompletableFuture<byte[]> complaint) {
        return new Unavailable(
                "the repository process %s during `%s`"
                        .formatted(overran ? "took longer than " + settings.deadline() : "ended early", operation),
                new IOException(Quoted.text(new String(complaint.join(), StandardCharsets.UTF_8), MAX_COMPLAINT)));
    }

    private static String classPath() {
        return Stream.of(
                        GitMain.class.getName(),
                        ChildId.class.getName(),
                        "org.eclipse.jgit.lib.ObjectId",
                        "com.googlecode.javaewah.EWAHCompressedBitmap",
                        "org.apache.commons.codec.binary.Base64",
                        "org.slf4j.Logger",
                        "org.jspecify.annotations.Nullable")
                .map(GitProcess::location)
                .distinct()
                .collect(Collectors.joining(File.pathSeparator));
    }

    private static String location(String type) {
        try {
            CodeSource source = Class.forName(type, false, GitProcess.class.getClassLoader())
                    .getProtectionDomain()
                    .getCodeSource();
            return Path.of(source.getLocation().toURI()).toString();
        } catch (ClassNotFoundException
                | URISyntaxException
                | IllegalArgumentException
                | FileSystemNotFoundException e) {
            throw new IllegalStateException(
                    "`%s` is not in a plain jar or directory (expected: an extracted application)".formatted(type), e);
        }
    }
}
