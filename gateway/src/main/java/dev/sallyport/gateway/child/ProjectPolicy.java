package dev.sallyport.gateway.child;

import dev.sallyport.json.StrictJson;
import dev.sallyport.permission.Narrowing;
import dev.sallyport.permission.PermissionConfig;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.core.StreamReadFeature;
import tools.jackson.core.json.JsonReadFeature;
import tools.jackson.databind.json.JsonMapper;

/**
 * The policy file of a repository (permission.md 1.1, layer 2). It comes with the repository and so can only narrow (S2):
 * one that is there and cannot be read counts as "ask about everything".
 */
final class ProjectPolicy {

    private static final String FILE = ".pi/extensions/pi-permission-system/config.json";
    private static final int MAX_BYTES = 65_536;

    private static final JsonMapper WITH_COMMENTS = JsonMapper.builder()
            .enable(JsonReadFeature.ALLOW_JAVA_COMMENTS)
            .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
            .build();

    private ProjectPolicy() {}

    /** Empty if the project has none. */
    static Optional<Narrowing.Layer> of(Path project, List<String> warnings) {
        Path file = project.resolve(FILE);
        if (!Files.exists(file, LinkOption.NOFOLLOW_LINKS)) {
            return Optional.empty();
        }
        try {
            PermissionConfig.Parsed parsed = PermissionConfig.parse(permission(file, project));
            parsed.problems()
                    .forEach(problem -> warnings.add("%s: %s; everything is asked about".formatted(file, problem)));
            return Optional.of(new Narrowing.Layer(file.toString(), parsed.config()));
        } catch (IOException | JacksonException | IllegalArgumentException e) {
            warnings.add("%s cannot be read; everything is asked about".formatted(file));
            return Optional.of(new Narrowing.Layer(file.toString(), PermissionConfig.ASK_ALL));
        }
    }

    private static @Nullable Object permission(Path file, Path project) throws IOException {
        if (!file.toRealPath().startsWith(project) || !Files.isRegularFile(file)) {
            throw new IOException("not a file of the project");
        }
        byte[] bytes;
        try (InputStream in = Files.newInputStream(file)) {
            bytes = in.readNBytes(MAX_BYTES + 1);
        }
        if (bytes.length > MAX_BYTES) {
            throw new IOException("larger than %d bytes".formatted(MAX_BYTES));
        }
        String plain = WITH_COMMENTS
                .readTree(new String(bytes, StandardCharsets.UTF_8))
                .toString();
        if (!(StrictJson.parse(plain) instanceof Map<?, ?> members)) {
            throw new IOException("not a JSON object");
        }
        return members.get("permission");
    }
}
