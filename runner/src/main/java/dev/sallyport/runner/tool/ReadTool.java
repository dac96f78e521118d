package dev.sallyport.runner.tool;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import tools.jackson.databind.JsonNode;

final class ReadTool implements Tool {

    private final Workspace workspace;
    private final OutputLimit limit;

    ReadTool(Workspace workspace, OutputLimit limit) {
        this.workspace = workspace;
        this.limit = limit;
    }

    @Override
    public String name() {
        return "read";
    }

    @Override
    public String description() {
        return "Read a text file. At most %d lines or %s at once; use offset and limit for more."
                .formatted(limit.lines(), OutputLimit.size(limit.bytes()));
    }

    @Override
    public String parameters() {
        return """
                {"type":"object","properties":{
                "path":{"type":"string","description":"file, relative to the workspace or absolute"},
                "offset":{"type":"integer","description":"first line to read, from 1"},
                "limit":{"type":"integer","description":"most lines to read"}},
                "required":["path"],"additionalProperties":false}""";
    }

    @Override
    public Call prepare(JsonNode json) throws ToolException {
        Arguments arguments = new Arguments(json);
        String path = arguments.text("path");
        int offset = arguments.count("offset", 1, Integer.MAX_VALUE);
        int lines = arguments.count("limit", Integer.MAX_VALUE, Integer.MAX_VALUE);
        arguments.nothingElse();
        return () -> read(path, offset, lines);
    }

    private ToolResult read(String path, int offset, int lines) throws ToolException, IOException {
        Path file = workspace.file(path);
        // One line may fill the output, less the note that it was cut.
        try (LineReader reader = new LineReader(file, Math.max(1, limit.bytes() - 100))) {
            if (reader.binary()) {
                throw new ToolException(
                        "`%s` is binary, %s (use bash)".formatted(path, OutputLimit.size(Files.size(file))));
            }
            for (int skipped = 1; skipped < offset; skipped++) {
                if (reader.next() == null) {
                    throw new ToolException("`%s` has only %d lines".formatted(path, skipped - 1));
                }
                if (Thread.currentThread().isInterrupted()) {
                    throw new ToolException("interrupted");
                }
            }
            Head head = new Head(limit);
            String line = reader.next();
            while (line != null && head.lines() < lines && head.add(line)) {
                line = reader.next();
            }
            return ToolResult.ok(
                    line == null
                            ? head.toString()
                            : "%s[more follows: read on with offset %d]\n".formatted(head, offset + head.lines()));
        }
    }
}
