package dev.sallyport.runner.door;

import dev.sallyport.identity.CallId;
import java.util.Collection;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/** One thing that the child says of itself (S4). */
public record Event(Type type, ObjectNode data) {

    /** Characters of one text in an event: the gateway caps what a child may say, and a tail is worth more than a refusal. */
    static final int LONGEST_TEXT = 64 * 1024;

    public enum Type {
        STARTED,
        EXTENSION_TOOLS,
        WORKSPACE_READY,
        TURN,
        ASSISTANT,
        TOOL_CALL,
        TOOL_RESULT,
        OUTPUT,
        RESULT,
        ERROR;

        String wire() {
            return name().toLowerCase(Locale.ROOT).replace('_', '-');
        }
    }

    /**
     * What is active, before the task is known.
     *
     * @param nonce as assigned
     * @param model null for a command
     */
    public static Event started(
            String nonce, List<String> tools, List<String> extensions, @Nullable String model, String pid1, int uid) {
        ObjectNode data = Json.object().put("nonce", nonce);
        tools.forEach(data.putArray("tools")::add);
        extensions.forEach(data.putArray("extensions")::add);
        data.put("model", model);
        return new Event(Type.STARTED, data.put("pid1", pid1).put("uid", uid));
    }

    /** All that an extension offers from now on, in scope or not. */
    public static Event extensionTools(String extension, Collection<String> tools) {
        ObjectNode data = Json.object().put("extension", extension);
        tools.forEach(data.putArray("tools")::add);
        return new Event(Type.EXTENSION_TOOLS, data);
    }

    public static Event workspaceReady(String head) {
        return new Event(Type.WORKSPACE_READY, Json.object().put("head", head));
    }

    public static Event turn(int n) {
        return new Event(Type.TURN, Json.object().put("n", n));
    }

    public static Event assistant(String text) {
        return new Event(Type.ASSISTANT, Json.object().put("text", brief(text)));
    }

    public static Event toolCall(CallId call, String tool, JsonNode arguments) {
        ObjectNode data = Json.object().put("callId", call.value()).put("tool", Json.storable(tool));
        data.set("arguments", abridged(arguments));
        return new Event(Type.TOOL_CALL, data);
    }

    public static Event toolResult(
            CallId call, String tool, String outcome, String output, @Nullable Integer exitCode) {
        ObjectNode data = Json.object()
                .put("callId", call.value())
                .put("tool", Json.storable(tool))
                .put("outcome", outcome)
                .put("output", brief(output));
        if (exitCode != null) {
            data.put("exitCode", exitCode);
        }
        return new Event(Type.TOOL_RESULT, data);
    }

    public static Event output(String stream, String text) {
        return new Event(Type.OUTPUT, Json.object().put("stream", stream).put("text", Json.storable(text)));
    }

    public static Event result(String text) {
        return new Event(Type.RESULT, Json.object().put("text", brief(text)));
    }

    public static Event error(String code, String message) {
        return new Event(Type.ERROR, Json.object().put("code", code).put("message", brief(message)));
    }

    ObjectNode numbered(long n) {
        ObjectNode node = Json.object().put("n", n).put("type", type.wire());
        node.set("data", data);
        return node;
    }

    private static String brief(String text) {
        return Json.storable(
                text.length() <= LONGEST_TEXT
                        ? text
                        : text.substring(0, LONGEST_TEXT)
                                + " [%d more characters]".formatted(text.length() - LONGEST_TEXT));
    }

    /** The gateway keeps the arguments of every call that it decides; here they are for reading. */
    private static JsonNode abridged(JsonNode arguments) {
        String text = arguments.toString();
        return arguments.isObject() && text.length() <= LONGEST_TEXT
                ? Json.storable(arguments)
                : Json.object().put("text", brief(text));
    }
}
