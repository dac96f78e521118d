package dev.sallyport.runner.tool;

import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import tools.jackson.databind.JsonNode;

final class BashTool implements Tool {

    private static final int LONGEST_SECONDS = 3600;

    private final Workspace workspace;
    private final OutputLimit limit;
    private final Duration timeout;
    private final Map<String, String> environment;

    BashTool(Workspace workspace, OutputLimit limit, Duration timeout, Map<String, String> environment) {
        this.workspace = workspace;
        this.limit = limit;
        this.timeout = timeout;
        this.environment = environment;
    }

    @Override
    public String name() {
        return "bash";
    }

    @Override
    public String description() {
        return "Run a bash command in the workspace, without standard input. Both output streams come back together, the last %d lines or %s of them."
                .formatted(limit.lines(), OutputLimit.size(limit.bytes()));
    }

    @Override
    public String parameters() {
        return """
                {"type":"object","properties":{
                "command":{"type":"string"},
                "timeout":{"type":"integer","description":"seconds until the command is killed, %d if absent"}},
                "required":["command"],"additionalProperties":false}""".formatted(timeout.toSeconds());
    }

    @Override
    public Call prepare(JsonNode json) throws ToolException {
        Arguments arguments = new Arguments(json);
        String command = arguments.text("command");
        if (command.indexOf('\0') >= 0) {
            throw new ToolException("command (expected: without NUL)");
        }
        Duration time =
                Duration.ofSeconds(arguments.count("timeout", (int) Math.max(1, timeout.toSeconds()), LONGEST_SECONDS));
        arguments.nothingElse();
        return () -> bash(command, time);
    }

    private ToolResult bash(String command, Duration time) throws IOException, InterruptedException {
        Tail tail = new Tail(limit);
        Subprocess.Exit exit =
                Subprocess.run(List.of("bash", "-c", command), workspace.directory(), environment, time, tail::add);
        if (exit.timedOut()) {
            return new ToolResult(
                    ToolResult.Outcome.TIMED_OUT,
                    "%s\n[killed after %d seconds]".formatted(tail, time.toSeconds()),
                    exit.code());
        }
        return exit.code() == 0
                ? new ToolResult(ToolResult.Outcome.OK, tail.toString(), 0)
                : new ToolResult(
                        ToolResult.Outcome.ERROR, "%s\n[exit code %d]".formatted(tail, exit.code()), exit.code());
    }
}
