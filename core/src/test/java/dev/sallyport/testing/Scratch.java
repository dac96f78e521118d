package dev.sallyport.testing;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** The scratch directory of one case: what the placeholders of authority.md 14 stand for. */
public final class Scratch {

    private final Path root;

    private Scratch(Path root) {
        this.root = root;
    }

    /** What is done with a directory. */
    @FunctionalInterface
    public interface Work {

        @Nullable Object in(Scratch scratch) throws IOException;
    }

    /** Does the work in a new directory and removes it. */
    public static @Nullable Object with(Work work) {
        try {
            Path root = Files.createTempDirectory("sallyport-case").toRealPath();
            try {
                return work.in(new Scratch(root));
            } finally {
                delete(root);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** The path that a text with placeholders means. */
    public Path path(String text) {
        return Path.of(expanded(text));
    }

    /** A text with its placeholders replaced. */
    public String expanded(String text) {
        return text.replace("${AGENT_DIR}", "${HOME}/.pi/agent")
                .replace("${HOME}", "${ROOT}/home")
                .replace("${CWD}", "${ROOT}/cwd")
                .replace("${ROOT}", root.toString());
    }

    /** A text with placeholders instead of this directory, the longest that fits. */
    public String placeholder(String text) {
        String result = text;
        for (String name : List.of("${AGENT_DIR}", "${HOME}", "${CWD}", "${ROOT}")) {
            // Not the beginning of a longer name.
            result = result.replaceAll(Pattern.quote(expanded(name)) + "(?![\\w-])", Matcher.quoteReplacement(name));
        }
        return result;
    }

    /** Writes a file and the directories above it. */
    public void write(String path, String content) throws IOException {
        Path file = path(path);
        Files.createDirectories(file.getParent());
        Files.writeString(file, content);
    }

    private static void delete(Path root) throws IOException {
        try (Stream<Path> files = Files.walk(root)) {
            for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
                Files.delete(file);
            }
        }
    }
}
