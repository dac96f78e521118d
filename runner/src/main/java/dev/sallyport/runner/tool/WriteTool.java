package dev.sallyport.runner.tool;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import tools.jackson.databind.JsonNode;

final class WriteTool implements Tool {

    private final Workspace workspace;

    WriteTool(Workspace workspace) {
        this.workspace = workspace;
    }

    @Override
    public String name() {
        return "write";
    }

    @Override
    public String description() {
        return "Write a file, replacing what it holds. Missing directories are created.";
    }

    @Override
    public String parameters() {
        return """
                {"type":"object","properties":{
                "path":{"type":"string","description":"file, relative to the workspace or absolute"},
                "content":{"type":"string","description":"the whole new content"}},
                "required":["path","content"],"additionalProperties":false}""";
    }

    @Override
    public Call prepare(JsonNode json) throws ToolException {
        Arguments arguments = new Arguments(json);
        String path = arguments.text("path");
        String content = arguments.text("content");
        arguments.nothingElse();
        return () -> write(path, content);
    }

    private ToolResult write(String path, String content) throws ToolException, IOException {
        Path file = workspace.resolve(path);
        if (Files.exists(file) && !Files.isRegularFile(file)) {
            throw new ToolException("`%s` is not a regular file".formatted(path));
        }
        Path parent = file.getParent();
        if (parent == null) {
            throw new ToolException("`%s` is a directory".formatted(path));
        }
        Files.createDirectories(parent);
        Files.writeString(file, content);
        return ToolResult.ok("wrote %d characters to %s".formatted(content.length(), path));
    }
}
