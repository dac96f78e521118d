package dev.sallyport.testing;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;

/** A provider of tools as a directory; {@code extension.sh} says what it can do. */
public final class TestExtension {

    private static final String SCRIPT = "extension.sh";

    private TestExtension() {}

    /** Writes the program into a new directory. */
    public static Path in(Path directory) throws IOException {
        Files.createDirectories(directory);
        try (InputStream script = Objects.requireNonNull(TestExtension.class.getResourceAsStream(SCRIPT))) {
            Files.copy(script, directory.resolve(SCRIPT));
        }
        return directory;
    }

    /** What starts it in its directory. */
    public static List<String> command(String... tools) {
        List<String> command = new ArrayList<>(List.of("bash", SCRIPT));
        command.addAll(List.of(tools));
        return command;
    }

    /** The same with a manifest. */
    public static Path withManifest(Path directory, String... tools) throws IOException {
        in(directory);
        List<String> arguments = command(tools);
        String rest = String.join("\",\"", arguments.subList(1, arguments.size()));
        Files.writeString(
                directory.resolve("extension.json"),
                "{\"command\":\"%s\",\"args\":[\"%s\"]}".formatted(arguments.getFirst(), rest));
        return directory;
    }
}
