package dev.sallyport.standalone;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/** A repository that a test made, with git told to look at nothing of this machine. */
record Repository(Path directory) {

    static Repository copyOf(Path example, Path directory) throws IOException {
        try (Stream<Path> files = Files.walk(example)) {
            files.filter(file -> !file.equals(example)).forEach(file -> {
                try {
                    Files.copy(file, directory.resolve(example.relativize(file).toString()));
                } catch (IOException e) {
                    throw new UncheckedIOException(e);
                }
            });
        }
        Repository repository = new Repository(directory);
        repository.git("init", "-q", "-b", "main");
        repository.commitAll();
        return repository;
    }

    void commitAll() {
        git("add", "-A");
        git("-c", "user.name=test", "-c", "user.email=test@example.test", "commit", "-q", "-m", "test");
    }

    String git(String... arguments) {
        List<String> command = new ArrayList<>(List.of("git", "-c", "safe.directory=*"));
        command.addAll(List.of(arguments));
        ProcessBuilder builder =
                new ProcessBuilder(command).directory(directory.toFile()).redirectErrorStream(true);
        builder.environment().put("HOME", directory.toString());
        builder.environment().put("GIT_CONFIG_NOSYSTEM", "1");
        try {
            Process process = builder.start();
            String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            assertThat(process.waitFor()).as(output).isZero();
            return output.trim();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new AssertionError("interrupted", e);
        }
    }
}
