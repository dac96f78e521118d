package dev.sallyport.gateway.door;

import java.util.ArrayList;
import java.util.List;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * One turn of a script in the Messages shape.
 *
 * @param inputTokens a quarter of the characters of the request, so that runs can be compared and never mistaken for a bill
 */
record ScriptedAnswer(ObjectNode message, long inputTokens, long outputTokens) {

    private static final int CHARACTERS_PER_TOKEN = 4;

    static ScriptedAnswer of(Script script, int number, Script.Turn turn, ObjectNode request) {
        ArrayNode content = Json.MAPPER.createArrayNode();
        if (!turn.text().isEmpty()) {
            content.addObject().put("type", "text").put("text", turn.text());
        }
        for (int i = 0; i < turn.calls().size(); i++) {
            Script.Call call = turn.calls().get(i);
            content.addObject()
                    .put("type", "tool_use")
                    .put("id", "toolu_%d_%d".formatted(number + 1, i + 1))
                    .put("name", call.name())
                    .set("input", call.arguments());
        }
        long input = tokens(request.path("system")) + tokens(request.path("tools")) + tokens(request.path("messages"));
        long output = tokens(content);
        ObjectNode message = Json.object()
                .put("id", "msg_%s_%d".formatted(script.name(), number + 1))
                .put("type", "message")
                .put("role", "assistant")
                .put("model", ScriptedModels.PROVIDER + "/" + script.name());
        message.set("content", content);
        message.put("stop_reason", turn.calls().isEmpty() ? "end_turn" : "tool_use")
                .putNull("stop_sequence");
        message.putObject("usage").put("input_tokens", input).put("output_tokens", output);
        return new ScriptedAnswer(message, input, output);
    }

    private static long tokens(JsonNode node) {
        return node.isMissingNode() ? 0 : Math.ceilDiv(node.toString().length(), CHARACTERS_PER_TOKEN);
    }

    /** The same answer as the events of a stream. */
    List<ObjectNode> events() {
        List<ObjectNode> events = new ArrayList<>();
        ObjectNode start = message.deepCopy();
        start.putArray("content");
        start.putNull("stop_reason");
        start.putObject("usage").put("input_tokens", inputTokens).put("output_tokens", 0);
        events.add(event("message_start"));
        events.getLast().set("message", start);
        JsonNode content = message.path("content");
        for (int i = 0; i < content.size(); i++) {
            block(i, (ObjectNode) content.get(i), events);
        }
        ObjectNode end = event("message_delta");
        ObjectNode delta = end.putObject("delta");
        delta.set("stop_reason", message.get("stop_reason"));
        delta.putNull("stop_sequence");
        end.putObject("usage").put("output_tokens", outputTokens);
        events.add(end);
        events.add(event("message_stop"));
        return events;
    }

    private static void block(int index, ObjectNode block, List<ObjectNode> events) {
        ObjectNode empty = block.deepCopy();
        ObjectNode delta = Json.object();
        if (block.path("type").asString().equals("text")) {
            empty.put("text", "");
            delta.put("type", "text_delta").set("text", block.get("text"));
        } else {
            empty.putObject("input");
            delta.put("type", "input_json_delta")
                    .put("partial_json", block.path("input").toString());
        }
        events.add(event("content_block_start").put("index", index));
        events.getLast().set("content_block", empty);
        events.add(event("content_block_delta").put("index", index));
        events.getLast().set("delta", delta);
        events.add(event("content_block_stop").put("index", index));
    }

    private static ObjectNode event(String type) {
        return Json.object().put("type", type);
    }
}
