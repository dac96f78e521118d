package dev.sallyport.cli;

import dev.sallyport.identity.SessionId;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

@Command(
        name = "mcp",
        description = "An MCP server on standard input and output, with which an agent delegates: spawn, list, status,"
                + " result, cancel. It cannot approve.",
        footer = {"", "For Claude Code: claude mcp add sallyport -- sallyport mcp"})
final class Mcp extends Verb {

    @Option(
            names = "--session",
            paramLabel = "ID",
            description = "The session that the children belong to (default: this terminal's).")
    private @Nullable SessionId session;

    Mcp(Environment environment) {
        super(environment);
    }

    @Override
    int run() {
        McpTools tools = new McpTools(connect(), session);
        McpStdio.serve(tools, environment().in(), environment().out());
        return ExitCode.OK;
    }
}
