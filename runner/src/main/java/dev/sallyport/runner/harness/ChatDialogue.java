package dev.sallyport.runner.harness;

import dev.sallyport.model.Thinking;
import dev.sallyport.runner.door.Json;
import dev.sallyport.runner.tool.Tool;
import dev.sallyport.runner.tool.ToolResult;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.MissingNode;
import tools.jackson.databind.node.ObjectNode;

/** OpenAI Chat Completions. */
final class ChatDialogue implements Dialogue {

    private final String model;
    private final @Nullable String effort;
    private final ArrayNode messages = Json.array();

    ChatDialogue(String model, String systemPrompt, @Nullable Thinking thinking) {
        this.model = model;
        this.effort = thinking == null ? null : effort(thinking);
        if (!systemPrompt.isEmpty()) {
            messages.addObject().put("role", "system").put("content", systemPrompt);
        }
    }

    /** Null for what the shape says by silence. */
    private static @Nullable String effort(Thinking thinking) {
        return switch (thinking) {
            case OFF -> null;
            case MINIMAL, LOW, MEDIUM -> thinking.wire();
            case HIGH, XHIGH, MAX -> Thinking.HIGH.wire();
        };
    }

    @Override
    public String route() {
        return "/v1/chat/completions";
    }

    @Override
    public void user(String text) {
        messages.addObject().put("role", "user").put("content", text);
    }

    @Override
    public void assistant(String text) {
        messages.addObject().put("role", "assistant").put("content", text);
    }

    @Override
    public void toolResult(ToolRequest request, ToolResult result) {
        // The shape has no word for an error; the text says it.
        String prefix = result.outcome() == ToolResult.Outcome.OK
                ? ""
                : "[" + result.outcome().wire() + "] ";
        messages.addObject()
                .put("role", "tool")
                .put("tool_call_id", request.id())
                .put("content", prefix + result.output());
    }

    @Override
    public ObjectNode request(List<Tool> tools) {
        ObjectNode request = Json.object().put("model", model);
        if (effort != null) {
            request.put("reasoning_effort", effort);
        }
        request.set("messages", messages);
        if (!tools.isEmpty()) {
            ArrayNode definitions = request.putArray("tools");
            for (Tool tool : tools) {
                definitions
                        .addObject()
                        .put("type", "function")
                        .putObject("function")
                        .put("name", tool.name())
                        .put("description", tool.description())
                        .set("parameters", Json.read(tool.parameters()));
            }
        }
        return request;
    }

    @Override
    public Reply answer(JsonNode body) throws ModelException {
        JsonNode choice = body.path("choices").path(0);
        JsonNode message = choice.path("message");
        if (!message.isObject()) {
            throw new ModelException("model-answer", "the model's answer has no message");
        }
        // Providers add fields to answers that they refuse in requests.
        ObjectNode kept = messages.addObject().put("role", "assistant");
        String text = message.path("content").asString(message.path("refusal").asString(""));
        kept.put("content", text);
        List<ToolRequest> requests = new ArrayList<>();
        if (!message.path("tool_calls").isEmpty()) {
            ArrayNode calls = kept.putArray("tool_calls");
            for (JsonNode call : message.path("tool_calls")) {
                String id = call.path("id").asString("");
                String name = call.path("function").path("name").asString("");
                String arguments = call.path("function").path("arguments").asString("");
                calls.addObject()
                        .put("id", id)
                        .put("type", "function")
                        .putObject("function")
                        .put("name", name)
                        .put("arguments", arguments);
                requests.add(new ToolRequest(id, name, parse(arguments)));
            }
        }
        return new Reply(
                text,
                requests,
                switch (choice.path("finish_reason").asString("")) {
                    case "length" -> Reply.Stop.CUT_OFF;
                    case "content_filter" -> Reply.Stop.DECLINED;
                    default -> Reply.Stop.FINISHED;
                });
    }

    private static JsonNode parse(String arguments) {
        try {
            return arguments.isBlank() ? Json.object() : Json.read(arguments);
        } catch (JacksonException e) {
            return MissingNode.getInstance();
        }
    }
}
