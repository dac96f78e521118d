package dev.sallyport.runner.tool;

import dev.sallyport.runner.door.Door;
import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileSystemException;
import java.nio.file.NoSuchFileException;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

/** The built-in tools in the order in which models see them. */
public final class Toolbox {

    private final List<Tool> tools;

    public Toolbox(
            Door door, Workspace workspace, OutputLimit limit, Duration timeout, Map<String, String> environment) {
        List<Tool> own = List.of(
                new ReadTool(workspace, limit),
                new BashTool(workspace, limit, timeout, environment),
                new EditTool(workspace),
                new WriteTool(workspace),
                new GrepTool(workspace, limit, timeout),
                new FindTool(workspace, limit, timeout),
                new LsTool(workspace, limit));
        this.tools = Stream.concat(own.stream(), SubagentTools.through(door).stream())
                .toList();
    }

    public Optional<Tool> named(String name) {
        return tools.stream().filter(tool -> tool.name().equals(name)).findFirst();
    }

    /** Runs a prepared call; what goes wrong with the world becomes a result that says so. */
    public static ToolResult run(Tool.Call call) throws InterruptedException {
        try {
            return call.run();
        } catch (ToolException e) {
            return ToolResult.error(String.valueOf(e.getMessage()));
        } catch (IOException e) {
            if (Thread.interrupted()) {
                throw new InterruptedException();
            }
            return ToolResult.error(describe(e));
        }
    }

    private static String describe(IOException e) {
        return switch (e) {
            case AccessDeniedException denied -> "permission denied: `%s`".formatted(denied.getFile());
            case NoSuchFileException missing -> "no such file or directory: `%s`".formatted(missing.getFile());
            case FileSystemException other
            when other.getReason() != null ->
                "%s: `%s`".formatted(other.getReason().toLowerCase(Locale.ROOT), other.getFile());
            default -> String.valueOf(e.getMessage()).toLowerCase(Locale.ROOT);
        };
    }
}
