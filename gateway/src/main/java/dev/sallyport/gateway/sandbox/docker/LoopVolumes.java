package dev.sallyport.gateway.sandbox.docker;

import dev.sallyport.gateway.sandbox.SandboxUser;
import java.io.File;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.io.RandomAccessFile;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

/**
 * File systems of a fixed size, each in a sparse file: the only quota for a clone that needs no support by the engine's
 * storage (S11). Needs a gateway that is root on the engine's host.
 *
 * <p>Device numbers are handed out anew after a restart of the host, so the file is the truth and a device is always
 * looked up by it.
 */
class LoopVolumes {

    private static final String SUFFIX = ".ext4";
    private static final long COMMAND_SECONDS = 60;

    private final Path directory;

    /** @param directory of this installation alone; made when it is needed */
    LoopVolumes(Path directory) {
        this.directory = directory;
    }

    /** Why volumes cannot be bounded here; empty if they can. */
    String unavailable() {
        try {
            if ((Integer) Files.getAttribute(Path.of("/proc/self"), "unix:uid") != 0) {
                return "the gateway is not root";
            }
            run("losetup", "--find");
            run("mkfs.ext4", "-V");
            return "";
        } catch (IOException | UnsupportedOperationException e) {
            return "no loop device to be had: " + e.getMessage();
        }
    }

    /**
     * The device of a volume, attached; the file system is made first if it does not exist.
     *
     * @throws IOException with the output of the command that failed
     */
    String attach(String name, SandboxUser owner, long bytes) throws IOException {
        Path file = file(name);
        if (!Files.exists(file)) {
            make(file, owner, bytes);
        }
        return attach(name);
    }

    String attach(String name) throws IOException {
        Path file = file(name);
        Optional<String> attached = device(file);
        return attached.isPresent()
                ? attached.get()
                : run("losetup", "--find", "--show", "--nooverlap", file.toString());
    }

    /** Whether {@code device} is one of ours. */
    boolean backs(String device) {
        if (!device.startsWith("/dev/loop")) {
            return false;
        }
        Path backing = Path.of("/sys/block", device.substring("/dev/".length()), "loop/backing_file");
        try {
            return Path.of(Files.readString(backing).strip()).startsWith(directory);
        } catch (IOException detached) {
            return false;
        }
    }

    /** Also what was left half made. */
    void delete(String name) throws IOException {
        Path file = file(name);
        if (!Files.isDirectory(directory)) {
            return;
        }
        Optional<String> attached = device(file);
        if (attached.isPresent()) {
            run("losetup", "--detach", attached.get());
        }
        Files.deleteIfExists(file);
        Files.deleteIfExists(unfinished(file));
    }

    List<String> names() throws IOException {
        List<String> names = new ArrayList<>();
        if (Files.isDirectory(directory)) {
            try (DirectoryStream<Path> files = Files.newDirectoryStream(directory, "*" + SUFFIX)) {
                for (Path file : files) {
                    String name = file.getFileName().toString();
                    names.add(name.substring(0, name.length() - SUFFIX.length()));
                }
            }
        }
        return names;
    }

    private void make(Path file, SandboxUser owner, long bytes) throws IOException {
        Files.createDirectories(
                directory, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
        Path unfinished = unfinished(file);
        try (RandomAccessFile sparse = new RandomAccessFile(unfinished.toFile(), "rw")) {
            sparse.setLength(0);
            sparse.setLength(bytes);
        }
        run(
                "mkfs.ext4",
                "-q",
                "-F",
                "-m",
                "0",
                "-E",
                "nodiscard,root_owner=%d:%d".formatted(owner.uid(), owner.gid()),
                unfinished.toString());
        // It would belong to root in the child's own directory.
        run("debugfs", "-w", "-R", "rmdir lost+found", unfinished.toString());
        Files.move(unfinished, file, StandardCopyOption.ATOMIC_MOVE);
    }

    private static Optional<String> device(Path file) throws IOException {
        return run("losetup", "--noheadings", "--output", "NAME", "--associated", file.toString())
                .lines()
                .map(String::strip)
                .findFirst();
    }

    private Path file(String name) {
        return directory.resolve(name + SUFFIX);
    }

    private static Path unfinished(Path file) {
        return file.resolveSibling(file.getFileName() + ".unfinished");
    }

    /** Only where a distribution puts them: this runs as root. */
    private static String locate(String command) throws IOException {
        for (String directory : List.of("/usr/sbin", "/sbin")) {
            Path file = Path.of(directory, command);
            if (Files.isExecutable(file)) {
                return file.toString();
            }
        }
        throw new IOException(command + ": not installed");
    }

    /** @return what the command printed, without blanks around it */
    private static String run(String... command) throws IOException {
        List<String> words = new ArrayList<>(List.of(command));
        words.set(0, locate(command[0]));
        ProcessBuilder builder = new ProcessBuilder(words)
                .redirectErrorStream(true)
                .redirectInput(ProcessBuilder.Redirect.from(new File("/dev/null")));
        builder.environment().put("LC_ALL", "C");
        Process process = builder.start();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8).strip();
        try {
            if (!process.waitFor(COMMAND_SECONDS, TimeUnit.SECONDS)) {
                process.destroyForcibly();
                throw new IOException("%s: no end after %d s".formatted(command[0], COMMAND_SECONDS));
            }
        } catch (InterruptedException e) {
            process.destroyForcibly();
            Thread.currentThread().interrupt();
            throw new InterruptedIOException(command[0] + ": interrupted");
        }
        if (process.exitValue() != 0) {
            throw new IOException("%s: %s".formatted(command[0], output));
        }
        return output;
    }
}
