package dev.sallyport.memory;

import dev.sallyport.agentfile.AgentDirectory;
import dev.sallyport.json.JsonObject;
import dev.sallyport.testing.CaseFiles.Case;
import dev.sallyport.testing.Scratch;
import dev.sallyport.text.SafeName;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Where a memory is, and what an agent is told of it. */
public final class MemoryCases {

    private MemoryCases() {}

    public static Map<String, Function<Case, @Nullable Object>> areas() {
        return Map.of(
                "memory.name",
                c -> Scratch.with(scratch -> name(c.input(), scratch)),
                "memory.dir",
                c -> Scratch.with(scratch -> directory(c.input(), scratch)),
                "memory.index",
                c -> Scratch.with(scratch -> index(c.input(), scratch)),
                "memory.block",
                c -> Scratch.with(scratch -> block(c.input(), scratch)),
                "memory.tools",
                c -> Map.of(
                        "readWriteMissing",
                        MemoryAccess.READ_WRITE.missing(c.input().texts("have")),
                        "readOnlyMissing",
                        MemoryAccess.READ_ONLY.missing(c.input().texts("have"))));
    }

    private static Object name(JsonObject input, Scratch scratch) {
        String name = input.text("name");
        Map<String, Object> project = new LinkedHashMap<>();
        try {
            project.put(
                    "path",
                    scratch.placeholder(
                            at(MemoryScope.PROJECT, name, scratch).path().toString()));
        } catch (IllegalArgumentException e) {
            project.put("throws", true);
        }
        return Map.of("unsafe", !SafeName.isSafe(name), "project", project);
    }

    private static Object directory(JsonObject input, Scratch scratch) throws IOException {
        setUp(input, scratch);
        Path agents = AgentDirectory.of(agentDirectory(input, scratch), scratch.path("${HOME}"));
        MemoryDirectory directory = MemoryDirectory.of(
                MemoryScope.parse(input.text("scope")),
                input.text("name"),
                scratch.path("${HOME}"),
                agents,
                scratch.path("${CWD}"));
        return scratch.placeholder(directory.path().toString());
    }

    private static @Nullable String agentDirectory(JsonObject input, Scratch scratch) {
        return input.optional("env") instanceof Map<?, ?> env
                        && env.get("PI_CODING_AGENT_DIR") instanceof String configured
                ? scratch.expanded(configured)
                : null;
    }

    private static Object index(JsonObject input, Scratch scratch) throws IOException {
        setUp(input, scratch);
        MemoryDirectory directory = new MemoryDirectory(scratch.path(input.text("memoryDir")));
        Map<String, Object> json = new LinkedHashMap<>();
        json.put("present", directory.index().isPresent());
        directory.index().map(MemoryIndex::cut).ifPresent(shown -> {
            json.put("chars", shown.length());
            json.put("lines", shown.split("\n", -1).length);
            json.put("truncated", !shown.equals(directory.index().orElseThrow()));
            json.put("head", shown.substring(0, Math.min(12, shown.length())));
        });
        json.put("ensure", created(directory));
        return json;
    }

    private static Map<String, Object> created(MemoryDirectory directory) {
        try {
            directory.create();
            return Map.of("ok", true, "exists", Files.isDirectory(directory.path()));
        } catch (IOException e) {
            return Map.of("throws", true);
        }
    }

    private static Object block(JsonObject input, Scratch scratch) throws IOException {
        MemoryScope scope = MemoryScope.parse(input.text("scope"));
        MemoryDirectory directory = at(scope, input.text("name"), scratch);
        String existing = input.optionalText("existing");
        if (existing != null) {
            Files.createDirectories(directory.path());
            Files.writeString(directory.path().resolve(MemoryIndex.FILE), existing);
        }
        if (input.flag("readWrite")) {
            directory.create();
        }
        String path = directory.path().toString();
        String index = directory.index().orElse(null);

        String block = input.flag("readWrite")
                ? MemoryIndex.readWrite(path, scope, index)
                : MemoryIndex.readOnly(scope, index);

        List<String> lines = block.lines().toList();
        return Map.of(
                "firstLine",
                lines.getFirst(),
                "hasScopeLine",
                lines.contains("Memory scope: " + scope.wire()),
                "mentionsDir",
                block.contains(path),
                "currentSection",
                lines.contains("## Current MEMORY.md"),
                "instructionsSection",
                lines.contains("## Memory Instructions"),
                "dirCreated",
                Files.isDirectory(directory.path()));
    }

    private static MemoryDirectory at(MemoryScope scope, String name, Scratch scratch) {
        return MemoryDirectory.of(
                scope, name, scratch.path("${HOME}"), scratch.path("${AGENT_DIR}"), scratch.path("${CWD}"));
    }

    private static void setUp(JsonObject input, Scratch scratch) throws IOException {
        for (JsonObject step : input.objects("setup")) {
            String directory = step.optionalText("mkdir");
            String file = step.optionalText("write");
            String link = step.optionalText("symlink");
            if (directory != null) {
                Files.createDirectories(scratch.path(directory));
            }
            if (file != null) {
                scratch.write(file, step.text("content"));
            }
            if (link != null) {
                Path at = scratch.path(link);
                Files.createDirectories(at.getParent());
                Files.createSymbolicLink(at, scratch.path(step.text("target")));
            }
        }
    }
}
