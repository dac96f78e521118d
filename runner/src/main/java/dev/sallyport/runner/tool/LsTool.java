package dev.sallyport.runner.tool;

import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.TreeSet;
import tools.jackson.databind.JsonNode;

final class LsTool implements Tool {

    private final Workspace workspace;
    private final OutputLimit limit;

    LsTool(Workspace workspace, OutputLimit limit) {
        this.workspace = workspace;
        this.limit = limit;
    }

    @Override
    public String name() {
        return "ls";
    }

    @Override
    public String description() {
        return "List a directory, hidden entries included; directories end in a slash.";
    }

    @Override
    public String parameters() {
        return """
                {"type":"object","properties":{
                "path":{"type":"string","description":"directory, the workspace if absent"},
                "limit":{"type":"integer","description":"most entries to show, 500 if absent"}},
                "additionalProperties":false}""";
    }

    @Override
    public Call prepare(JsonNode json) throws ToolException {
        Arguments arguments = new Arguments(json);
        String path = arguments.optionalText("path").orElse(".");
        int most = arguments.count("limit", 500, 10_000);
        arguments.nothingElse();
        return () -> list(path, most);
    }

    private ToolResult list(String path, int most) throws ToolException, IOException {
        Path directory = workspace.existing(path);
        if (!Files.isDirectory(directory)) {
            throw new ToolException("`%s` is not a directory".formatted(path));
        }
        // The first names in order, however many there are: one too many is dropped at once.
        TreeSet<String> names = new TreeSet<>();
        long total = 0;
        try (DirectoryStream<Path> entries = Files.newDirectoryStream(directory)) {
            for (Path entry : entries) {
                total++;
                names.add(entry.getFileName().toString());
                if (names.size() > most) {
                    names.pollLast();
                }
            }
        }
        Head head = new Head(limit);
        for (String name : names) {
            if (!head.add(Files.isDirectory(directory.resolve(name)) ? name + "/" : name)) {
                break;
            }
        }
        if (total == 0) {
            return ToolResult.ok("[empty]\n");
        }
        return ToolResult.ok(
                head.lines() == total ? head.toString() : "%s[%d of %d shown]\n".formatted(head, head.lines(), total));
    }
}
