package dev.sallyport.testing;

import dev.sallyport.json.JsonObject;
import dev.sallyport.json.StrictJson;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
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

    public static List<Case> authority() {
        return read("authority-cases.json");
    }

    public static List<Case> permission() {
        return read("permission-cases.json");
    }

    private static List<Case> read(String file) {
        try (InputStream in = Objects.requireNonNull(CaseFiles.class.getResourceAsStream(file))) {
            List<?> cases = (List<?>)
                    Objects.requireNonNull(StrictJson.parse(new String(in.readAllBytes(), StandardCharsets.UTF_8)));
            return cases.stream().map(CaseFiles::one).toList();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
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
