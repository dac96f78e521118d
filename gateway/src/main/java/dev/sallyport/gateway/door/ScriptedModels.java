package dev.sallyport.gateway.door;

import static java.nio.file.LinkOption.NOFOLLOW_LINKS;

import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** The scripts of a directory: model {@code scripted/<name>} plays {@code <name>.yaml}. */
final class ScriptedModels {

    static final String PROVIDER = "scripted";

    private static final Pattern NAME = Pattern.compile("[a-z0-9][a-z0-9-]{0,62}");
    private static final int LIMIT = 64 * 1024;

    private final @Nullable Path directory;

    // Null if this installation has no scripts.
    ScriptedModels(@Nullable Path directory) {
        this.directory = directory;
    }

    Script read(String name) throws IOException {
        if (directory == null || !NAME.matcher(name).matches()) {
            throw missing(name);
        }
        Path file = directory.resolve(name + ".yaml");
        if (!Files.isRegularFile(file, NOFOLLOW_LINKS)) {
            throw missing(name);
        }
        try (InputStream in = Files.newInputStream(file, NOFOLLOW_LINKS)) {
            byte[] bytes = in.readNBytes(LIMIT + 1);
            if (bytes.length > LIMIT) {
                throw unusable(name, "larger than %d bytes".formatted(LIMIT));
            }
            return Script.parse(
                    name,
                    StandardCharsets.UTF_8
                            .newDecoder()
                            .decode(ByteBuffer.wrap(bytes))
                            .toString());
        } catch (CharacterCodingException e) {
            throw unusable(name, "not UTF-8");
        }
    }

    static DoorProblem unusable(String name, String why) {
        return new DoorProblem(422, "model_script_unusable", "script `%s`: %s".formatted(name, why));
    }

    private static DoorProblem missing(String name) {
        return new DoorProblem(404, "model_script_missing", "there is no script `%s`".formatted(Names.shown(name)));
    }
}
