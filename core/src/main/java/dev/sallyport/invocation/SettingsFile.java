package dev.sallyport.invocation;

import dev.sallyport.json.StrictJson;
import dev.sallyport.text.Nearest;
import dev.sallyport.text.VisibleText;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * What one settings file says (authority.md 12).
 *
 * @param path how messages name it
 * @param values by key, those that are accepted, as they are used
 * @param problems what is wrong with the rest
 */
public record SettingsFile(String path, Map<String, Object> values, List<Problem> problems) {

    /** A file of exactly this many bytes is read. */
    public static final int MAX_BYTES = 65_536;

    private static final int MAX_SHOWN = 80;

    public SettingsFile {
        values = Collections.unmodifiableMap(new LinkedHashMap<>(values));
        problems = List.copyOf(problems);
    }

    /** What is wrong with a file, and what its author can do about it. */
    public record Problem(Kind kind, String location, String description, String remedy) {

        /** Whether something that the author wanted may be missing now. */
        public boolean loses() {
            return kind != Kind.UNKNOWN;
        }

        @Override
        public String toString() {
            return "%s: %s (%s)".formatted(location, description, remedy);
        }
    }

    /** How much of a file is lost. */
    public enum Kind {
        /** All of it. */
        UNREADABLE,
        /** One known setting. */
        INVALID,
        /** A key that nobody knows; others keep theirs in the same file. */
        UNKNOWN
    }

    /** Reads a file; one that is not there says nothing. */
    public static SettingsFile read(Path file) {
        String path = file.toString();
        try {
            if (!Files.exists(file, LinkOption.NOFOLLOW_LINKS)) {
                return new SettingsFile(path, Map.of(), List.of());
            }
            // Opening a FIFO would wait for a writer.
            if (!Files.isRegularFile(file)) {
                return unreadable(path, "not a file");
            }
            byte[] bytes;
            try (InputStream in = Files.newInputStream(file)) {
                bytes = in.readNBytes(MAX_BYTES + 1);
            }
            if (bytes.length > MAX_BYTES) {
                return unreadable(path, "larger than %d bytes".formatted(MAX_BYTES));
            }
            return parse(
                    path,
                    StandardCharsets.UTF_8
                            .newDecoder()
                            .decode(ByteBuffer.wrap(bytes))
                            .toString());
        } catch (CharacterCodingException e) {
            return unreadable(path, "not UTF-8");
        } catch (IOException e) {
            return unreadable(path, "cannot be read");
        }
    }

    /** Reads the text of a file. */
    public static SettingsFile parse(String path, String text) {
        Object root;
        try {
            root = StrictJson.parse(text);
        } catch (IllegalArgumentException e) {
            return unreadable(path, String.valueOf(e.getMessage()));
        }
        if (!(root instanceof Map<?, ?> members)) {
            return new SettingsFile(
                    path,
                    Map.of(),
                    List.of(new Problem(Kind.INVALID, path, "not an object", "write the settings between { and }")));
        }
        Map<String, Object> values = new LinkedHashMap<>();
        List<Problem> problems = new ArrayList<>();
        members.forEach((name, written) -> {
            String key = (String) name;
            Optional<Setting> setting = Setting.of(key);
            if (setting.isEmpty()) {
                problems.add(unknown(path, key));
                return;
            }
            Optional<Object> value = setting.get().value(written);
            if (value.isPresent()) {
                values.put(key, value.get());
            } else if (written != null) {
                problems.add(new Problem(
                        Kind.INVALID,
                        path + " " + key,
                        "`%s`".formatted(VisibleText.excerpt(written.toString(), MAX_SHOWN)),
                        "expected: " + setting.get().expected()));
            }
        });
        return new SettingsFile(path, values, problems);
    }

    private static Problem unknown(String path, String key) {
        String location = path + " " + VisibleText.excerpt(key, MAX_SHOWN);
        return Nearest.to(key, Setting.keys())
                .map(name -> new Problem(Kind.INVALID, location, "unknown setting", "nearest: `%s`".formatted(name)))
                .orElseGet(() -> new Problem(Kind.UNKNOWN, location, "unknown setting", "remove it"));
    }

    private static SettingsFile unreadable(String path, String why) {
        return new SettingsFile(
                path, Map.of(), List.of(new Problem(Kind.UNREADABLE, path, why, "correct it or remove the file")));
    }
}
