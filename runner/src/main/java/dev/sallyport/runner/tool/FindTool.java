package dev.sallyport.runner.tool;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import tools.jackson.databind.JsonNode;

final class FindTool implements Tool {

    private final Workspace workspace;
    private final OutputLimit limit;
    private final Duration timeout;

    FindTool(Workspace workspace, OutputLimit limit, Duration timeout) {
        this.workspace = workspace;
        this.limit = limit;
        this.timeout = timeout;
    }

    @Override
    public String name() {
        return "find";
    }

    @Override
    public String description() {
        return "Find files and directories by a glob such as *.c or src/**/test_*.py. Skips .git, does not follow links.";
    }

    @Override
    public String parameters() {
        return """
                {"type":"object","properties":{
                "pattern":{"type":"string","description":"glob; without a slash it matches names in any directory"},
                "path":{"type":"string","description":"where to search, the workspace if absent"},
                "limit":{"type":"integer","description":"most results, 1000 if absent"}},
                "required":["pattern"],"additionalProperties":false}""";
    }

    @Override
    public Call prepare(JsonNode json) throws ToolException {
        Arguments arguments = new Arguments(json);
        Glob glob = Glob.of(arguments.text("pattern"));
        String path = arguments.optionalText("path").orElse(".");
        int most = arguments.count("limit", 1000, 10_000);
        arguments.nothingElse();
        return () -> find(glob, path, most);
    }

    private ToolResult find(Glob glob, String path, int most) throws ToolException {
        Path root = workspace.existing(path);
        Deadline deadline = Deadline.in(timeout);
        FileWalk walk = new FileWalk(root, deadline);
        Head head = new Head(limit);
        for (Optional<Path> next = walk.next(); next.isPresent(); next = walk.next()) {
            Path relative = walk.relative(next.get());
            if (glob.matches(relative, deadline)) {
                if (head.lines() == most
                        || !head.add(Files.isDirectory(next.get()) ? relative + "/" : relative.toString())) {
                    return ToolResult.ok(
                            "%s[stopped after %d results]\n%s".formatted(head, head.lines(), walk.notes()));
                }
            }
        }
        return ToolResult.ok(head.lines() == 0 ? "[nothing found]\n" + walk.notes() : head + walk.notes());
    }
}
