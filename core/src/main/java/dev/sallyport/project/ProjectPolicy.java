package dev.sallyport.project;

import dev.sallyport.json.Digests;
import dev.sallyport.json.StrictJson;
import dev.sallyport.permission.Narrowing;
import dev.sallyport.permission.PermissionConfig;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The policy file of a repository (permission.md 1.1, layer 2). It comes with the repository and so can only narrow (S2),
 * trusted or not: one that is there and cannot be read counts as "ask about everything".
 *
 * @param digest SHA-256 of the file, in lower-case hexadecimal; null if it cannot be read
 */
public record ProjectPolicy(Narrowing.Layer layer, @Nullable String digest, List<String> warnings) {

    static final String FILE = ".pi/extensions/pi-permission-system/config.json";

    private static final int MAX_BYTES = 65_536;

    public ProjectPolicy {
        warnings = List.copyOf(warnings);
    }

    /** Empty if the project has none. */
    public static Optional<ProjectPolicy> of(Path project) {
        Path file = project.resolve(FILE);
        if (!Files.exists(file, LinkOption.NOFOLLOW_LINKS)) {
            return Optional.empty();
        }
        String digest = null;
        try {
            byte[] bytes = read(file, project);
            digest = Digests.sha256(bytes);
            PermissionConfig.Parsed parsed = PermissionConfig.parse(permission(bytes));
            List<String> warnings = new ArrayList<>();
            parsed.problems()
                    .forEach(problem -> warnings.add("%s: %s; everything is asked about".formatted(file, problem)));
            return Optional.of(
                    new ProjectPolicy(new Narrowing.Layer(file.toString(), parsed.config()), digest, warnings));
        } catch (IOException | IllegalArgumentException e) {
            return Optional.of(new ProjectPolicy(
                    new Narrowing.Layer(file.toString(), PermissionConfig.ASK_ALL),
                    digest,
                    List.of("%s cannot be read; everything is asked about".formatted(file))));
        }
    }

    private static byte[] read(Path file, Path project) throws IOException {
        if (!file.toRealPath().startsWith(project) || !Files.isRegularFile(file)) {
            throw new IOException("not a file of the project");
        }
        try (InputStream in = Files.newInputStream(file)) {
            byte[] bytes = in.readNBytes(MAX_BYTES + 1);
            if (bytes.length > MAX_BYTES) {
                throw new IOException("larger than %d bytes".formatted(MAX_BYTES));
            }
            return bytes;
        }
    }

    private static @Nullable Object permission(byte[] bytes) throws IOException {
        String text = new String(bytes, StandardCharsets.UTF_8);
        if (!(StrictJson.parseWithComments(text) instanceof Map<?, ?> members)) {
            throw new IOException("not a JSON object");
        }
        return members.get("permission");
    }
}
