package dev.sallyport.toolscope;

import dev.sallyport.json.JsonObject;
import dev.sallyport.testing.CaseFiles.Case;
import dev.sallyport.testing.Scratch;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Names of extensions, and what agent files say about them. */
public final class ExtensionCases {

    private ExtensionCases() {}

    public static Map<String, Function<Case, @Nullable Object>> areas() {
        return Map.of(
                "ext.canonicalName",
                c -> Extension.nameOf(c.input().text("path")),
                "ext.canonicalNames",
                c -> Scratch.with(scratch -> names(scratch, c.input())),
                "ext.parseSpec",
                c -> Scratch.with(scratch -> spec(scratch, c.input())),
                "ext.parseSelectors",
                c -> selectors(c.input()));
    }

    private static List<String> names(Scratch scratch, JsonObject input) throws IOException {
        for (var file : ((Map<?, ?>) input.required("files")).entrySet()) {
            scratch.write((String) file.getKey(), scratch.expanded((String) file.getValue()));
        }
        return Extension.at(scratch.expanded(input.text("path")), ExtensionCases::read)
                .names();
    }

    /** As an extension host reads a manifest. */
    public static Optional<String> read(String path) {
        try {
            return Optional.of(Files.readString(Path.of(path)));
        } catch (IOException unreadable) {
            return Optional.empty();
        }
    }

    private static Map<String, Object> spec(Scratch scratch, JsonObject input) {
        ExtensionFilter filter = ExtensionFilter.of(
                input.texts("entries").stream().map(scratch::expanded).toList(),
                List.of(),
                scratch.expanded("${HOME}"),
                scratch.expanded(input.text("cwd")));
        return Map.of(
                "names",
                List.copyOf(filter.names()),
                "paths",
                filter.paths().stream().map(scratch::placeholder).toList(),
                "wildcard",
                filter.all());
    }

    private static Map<String, Object> selectors(JsonObject input) {
        Selectors selectors = Selectors.parse(input.texts("entries"));
        Map<String, Object> tools = new LinkedHashMap<>();
        selectors.tools().forEach((name, only) -> tools.put(name, List.copyOf(only)));
        return Map.of("extNames", List.copyOf(selectors.names()), "narrowing", tools);
    }
}
