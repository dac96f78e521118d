package dev.sallyport.runner.harness;

import dev.sallyport.model.Thinking;
import dev.sallyport.runner.door.Json;
import dev.sallyport.runner.tool.Tool;
import dev.sallyport.runner.tool.ToolResult;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/** Anthropic Messages. */
final class MessagesDialogue implements Dialogue {

    /** The shape wants a number; the gateway caps it by the budget (S19). */
    private static final int MOST_OUTPUT_TOKENS = 8192;

    private final String model;
    private final String systemPrompt;
    private final int thinkingTokens;
    private final ArrayNode messages = Json.array();

    MessagesDialogue(String model, String systemPrompt, @Nullable Thinking thinking) {
        this.model = model;
        this.systemPrompt = systemPrompt;
        this.thinkingTokens = thinking == null ? 0 : tokens(thinking);
    }

    /** The shape takes no fewer than 1024, and many models no more than the most here. */
    private static int tokens(Thinking thinking) {
        return switch (thinking) {
            case OFF -> 0;
            case MINIMAL -> 1024;
            case LOW -> 2048;
            case MEDIUM -> 8192;
            case HIGH, XHIGH, MAX -> 16_384;
        };
    }

    @Override
    public String route() {
        return "/v1/messages";
    }

    @Override
    public void user(String text) {
        content("user").addObject().put("type", "text").put("text", text);
    }

    @Override
    public void assistant(String text) {
        content("assistant").addObject().put("type", "text").put("text", text);
    }

    @Override
    public void toolResult(ToolRequest request, ToolResult result) {
        content("user")
                .addObject()
                .put("type", "tool_result")
                .put("tool_use_id", request.id())
                .put("content", result.output())
                .put("is_error", result.outcome() != ToolResult.Outcome.OK);
    }

    /** Everything between two answers is one message: the shape wants roles to alternate and results to come first. */
    private ArrayNode content(String role) {
        JsonNode last = messages.isEmpty() ? Json.object() : messages.get(messages.size() - 1);
        if (last.path("role").asString("").equals(role) && last.path("content") instanceof ArrayNode content) {
            return content;
        }
        return messages.addObject().put("role", role).putArray("content");
    }

    @Override
    public ObjectNode request(List<Tool> tools) {
        // What is thought counts as output.
        ObjectNode request = Json.object().put("model", model).put("max_tokens", MOST_OUTPUT_TOKENS + thinkingTokens);
        if (thinkingTokens > 0) {
            request.putObject("thinking").put("type", "enabled").put("budget_tokens", thinkingTokens);
        }
        if (!systemPrompt.isEmpty()) {
            request.put("system", systemPrompt);
        }
        request.set("messages", messages);
        if (!tools.isEmpty()) {
            ArrayNode definitions = request.putArray("tools");
            for (Tool tool : tools) {
                definitions
                        .addObject()
                        .put("name", tool.name())
                        .put("description", tool.description())
                        .set("input_schema", Json.read(tool.parameters()));
            }
        }
        return request;
    }

    @Override
    public Reply answer(JsonNode body) throws ModelException {
        JsonNode content = body.path("content");
        if (!content.isArray()) {
            throw new ModelException("model-answer", "the model's answer has no content");
        }
        StringBuilder text = new StringBuilder();
        List<ToolRequest> requests = new ArrayList<>();
        ArrayNode kept = Json.array();
        for (JsonNode block : content) {
            switch (block.path("type").asString("")) {
                case "text" -> {
                    text.append(block.path("text").asString(""));
                    keep(kept, block, "text");
                }
                case "tool_use" -> {
                    requests.add(new ToolRequest(
                            block.path("id").asString(""), block.path("name").asString(""), block.path("input")));
                    keep(kept, block, "id", "name", "input");
                }
                // The provider wants its thoughts back, signed and unchanged.
                case "thinking" -> keep(kept, block, "thinking", "signature");
                case "redacted_thinking" -> keep(kept, block, "data");
                default -> {
                    // Nothing that we asked for.
                }
            }
        }
        if (!kept.isEmpty()) {
            messages.addObject().put("role", "assistant").set("content", kept);
        }
        return new Reply(
                text.toString(),
                requests,
                switch (body.path("stop_reason").asString("")) {
                    case "max_tokens", "model_context_window_exceeded" -> Reply.Stop.CUT_OFF;
                    case "refusal" -> Reply.Stop.DECLINED;
                    default -> Reply.Stop.FINISHED;
                });
    }

    /** Providers add fields to answers that they, or the door, refuse in requests. */
    private static void keep(ArrayNode kept, JsonNode block, String... fields) {
        ObjectNode copy = kept.addObject().put("type", block.path("type").stringValue());
        for (String field : fields) {
            copy.set(field, block.path(field));
        }
        if (copy.has("input") && !copy.path("input").isObject()) {
            // The model is told about it in the result; the provider takes no call without arguments.
            copy.putObject("input");
        }
    }
}
