package dev.sallyport.gateway.workspace;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** A repository made by real git, which sees no configuration but the repository's own. */
record GitRepository(Path directory) {

    static GitRepository init(Path directory) {
        try {
            Files.createDirectories(directory);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        GitRepository repository = new GitRepository(directory);
        repository.git("init", "-q", "-b", "main");
        return repository;
    }

    /** What the runner does with the bundle that the door gave it. */
    static GitRepository cloneOf(Path bundle, String branch, Path directory) {
        GitRepository repository = new GitRepository(directory);
        repository.gitIn(
                directory.getParent(),
                "clone",
                "-q",
                "--no-tags",
                "--branch",
                branch,
                bundle.toString(),
                directory.toString());
        repository.git("remote", "remove", "origin");
        return repository;
    }

    GitRepository write(String path, String content) {
        try {
            Path file = directory.resolve(path);
            Files.createDirectories(file.getParent());
            Files.writeString(file, content);
            return this;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Commits everything and returns the commit's id. */
    String commit(String message) {
        git("add", "-A");
        git("commit", "-q", "--allow-empty", "--no-verify", "-m", message);
        return head();
    }

    String head() {
        return git("rev-parse", "HEAD");
    }

    Path path(String name) {
        return directory.resolve(name);
    }

    String git(String... arguments) {
        return gitIn(directory, arguments);
    }

    private String gitIn(Path where, String... arguments) {
        List<String> command = new ArrayList<>(List.of("git"));
        command.addAll(List.of(arguments));
        return run(where, command, new byte[0]);
    }

    /** An object of any content, made without git's opinion about it. */
    String object(String type, byte[] content) {
        return run(directory, List.of("git", "hash-object", "-t", type, "--literally", "-w", "--stdin"), content);
    }

    private static String run(Path where, List<String> command, byte[] input) {
        try {
            Path output = Files.createTempFile("git", ".out");
            ProcessBuilder builder = new ProcessBuilder(command)
                    .directory(where.toFile())
                    .redirectErrorStream(true)
                    .redirectOutput(output.toFile());
            builder.environment().clear();
            Map<String, String> environment = builder.environment();
            environment.putAll(Map.of(
                    "PATH", System.getenv("PATH"),
                    "LC_ALL", "C.UTF-8",
                    "HOME", "/nonexistent",
                    "GIT_CONFIG_NOSYSTEM", "1",
                    "GIT_CONFIG_GLOBAL", "/dev/null"));
            for (String role : List.of("GIT_AUTHOR_", "GIT_COMMITTER_")) {
                environment.put(role + "NAME", "Ada");
                environment.put(role + "EMAIL", "ada@example.org");
                environment.put(role + "DATE", "2026-01-01T00:00:00Z");
            }
            Process process = builder.start();
            process.getOutputStream().write(input);
            process.getOutputStream().close();
            int code = process.waitFor();
            String said = Files.readString(output, UTF_8).strip();
            Files.delete(output);
            assertThat(code).as("%s: %s", command, said).isZero();
            return said;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }
}
