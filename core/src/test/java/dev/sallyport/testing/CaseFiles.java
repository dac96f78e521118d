package dev.sallyport.testing;

import dev.sallyport.json.JsonObject;
import dev.sallyport.json.StrictJson;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** The worked cases of the specifications. */
public final class CaseFiles {

    private CaseFiles() {}

    /**
     * One worked case.
     *
     * @param recommended for a case whose {@code expected} records a weakness that we do not repeat: what is right instead
     */
    public record Case(
            String area,
            String name,
            JsonObject input,
            @Nullable Object expected,
            @Nullable String recommended) {

        @Override
        public String toString() {
            return area + ": " + name;
        }
    }

    /** The cases of authority.md, or those in the directory that {@code -Dsallyport.cases} names. */
    public static List<Case> authority() {
        return read("authority-cases");
    }

    public static List<Case> permission() {
        return bundled("permission-cases");
    }

    private static List<Case> read(String prefix) {
        String directory = System.getProperty("sallyport.cases");
        if (directory == null) {
            return bundled(prefix);
        }
        List<Case> cases = new ArrayList<>();
        try (DirectoryStream<Path> files = Files.newDirectoryStream(Path.of(directory), prefix + "*.json")) {
            for (Path file : files) {
                cases.addAll(parsed(Files.readString(file)));
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        if (cases.isEmpty()) {
            throw new IllegalStateException("no %s*.json in %s".formatted(prefix, directory));
        }
        return cases;
    }

    private static List<Case> bundled(String prefix) {
        try (InputStream in = Objects.requireNonNull(CaseFiles.class.getResourceAsStream(prefix + ".json"))) {
            return parsed(new String(in.readAllBytes(), StandardCharsets.UTF_8));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static List<Case> parsed(String text) {
        return ((List<?>) Objects.requireNonNull(StrictJson.parse(text)))
                .stream().map(CaseFiles::one).toList();
    }

    private static Case one(Object value) {
        JsonObject json = JsonObject.of("case", value);
        return new Case(
                json.text("area"),
                json.text("name"),
                json.object("input"),
                json.optional("expected"),
                json.optionalText("recommended"));
    }
}
