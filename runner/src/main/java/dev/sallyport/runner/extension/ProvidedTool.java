package dev.sallyport.runner.extension;

import dev.sallyport.runner.door.Json;
import dev.sallyport.runner.tool.OutputLimit;
import dev.sallyport.runner.tool.Tool;
import dev.sallyport.runner.tool.ToolResult;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/** A tool of an extension, as the extension described it when it was last asked. */
record ProvidedTool(
        String name, String description, String parameters, McpClient provider, OutputLimit limit, Duration timeout)
        implements Tool {

    /** What models take as a name. */
    private static final Pattern NAME = Pattern.compile("[A-Za-z0-9_-]{1,64}");

    /** Characters of description and schema together: each request to the model carries them. */
    private static final int LARGEST = 32 * 1024;

    /** Empty for what no model could be shown. */
    static Optional<ProvidedTool> of(JsonNode listed, McpClient provider, OutputLimit limit, Duration timeout) {
        String name = listed.path("name").asString("");
        String description = listed.path("description").asString("");
        JsonNode schema = listed.path("inputSchema");
        String parameters = schema.toString();
        return NAME.matcher(name).matches()
                        && schema.isObject()
                        && description.length() + parameters.length() <= LARGEST
                ? Optional.of(new ProvidedTool(name, description, parameters, provider, limit, timeout))
                : Optional.empty();
    }

    @Override
    public Call prepare(JsonNode arguments) {
        return () -> call(arguments);
    }

    private ToolResult call(JsonNode arguments) throws InterruptedException {
        ObjectNode params = Json.object().put("name", name);
        params.set("arguments", arguments);
        try {
            JsonNode result = provider.request("tools/call", params, timeout);
            String text = limit.cut(text(result.path("content")));
            return result.path("isError").asBoolean(false) ? ToolResult.error(text) : ToolResult.ok(text);
        } catch (McpException e) {
            return ToolResult.error("extension tool `%s`: %s".formatted(name, e.getMessage()));
        }
    }

    private static String text(JsonNode content) {
        List<String> parts = new ArrayList<>();
        for (JsonNode block : content) {
            String type = block.path("type").asString("");
            parts.add(
                    type.equals("text")
                            ? block.path("text").asString("")
                            : "[content of type %s left out]".formatted(type.isEmpty() ? "unknown" : type));
        }
        return String.join("\n", parts);
    }
}
