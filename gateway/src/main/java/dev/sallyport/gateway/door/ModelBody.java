package dev.sallyport.gateway.door;

import static dev.sallyport.gateway.door.Form.COUNT;
import static dev.sallyport.gateway.door.Form.FLAG;
import static dev.sallyport.gateway.door.Form.NUMBER;
import static dev.sallyport.gateway.door.Form.OBJECT;
import static dev.sallyport.gateway.door.Form.POSITIVE;
import static dev.sallyport.gateway.door.Form.TEXT;
import static dev.sallyport.gateway.door.Form.either;
import static dev.sallyport.gateway.door.Form.list;
import static dev.sallyport.gateway.door.Form.nullable;
import static dev.sallyport.gateway.door.Form.object;
import static dev.sallyport.gateway.door.Form.oneOf;
import static dev.sallyport.gateway.door.Form.tagged;

import dev.sallyport.gateway.door.Form.ObjectForm;
import dev.sallyport.model.Price;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * What a child may send to a model (S17): its own words and the results of its own tools. Whatever makes the provider fetch,
 * run, store or connect to something is not in these forms and so is refused.
 */
final class ModelBody {

    /** For requests that set no bound of their own. */
    static final int OUTPUT_TOKENS = 8192;

    /** What a provider puts before a request with tools, and around its messages, generously. */
    private static final long UNSEEN_TOKENS = 2048;

    /** Of the largest image in the finest detail. */
    private static final long IMAGE_TOKENS = 50_000;

    /** More than any model writes; larger numbers would only overflow. */
    private static final long MOST_OUTPUT = 1L << 32;

    // Messages.

    private static final Form CACHE = object().must("type", oneOf("ephemeral")).may("ttl", oneOf("5m", "1h"));

    private static final ObjectForm BASE64 = object().must("media_type", TEXT).must("data", TEXT);

    private static final ObjectForm TEXT_BLOCK = object().must("text", TEXT).may("cache_control", nullable(CACHE));

    private static final ObjectForm IMAGE =
            object().must("source", tagged("type", Map.of("base64", BASE64))).may("cache_control", nullable(CACHE));

    private static final ObjectForm DOCUMENT = object().must(
                    "source", tagged("type", Map.of("base64", BASE64, "text", BASE64)))
            .may("title", nullable(TEXT))
            .may("context", nullable(TEXT))
            .may("cache_control", nullable(CACHE));

    private static final Form RESULT_BLOCKS =
            list(tagged("type", Map.of("text", TEXT_BLOCK, "image", IMAGE, "document", DOCUMENT)));

    private static final Form BLOCKS = list(tagged(
            "type",
            Map.of(
                    "text",
                    // A model's own text may come back with the list of citations that it was given, which is null
                    // here.
                    TEXT_BLOCK.may("citations", Form.NULL),
                    "image",
                    IMAGE,
                    "document",
                    DOCUMENT,
                    "tool_use",
                    object().must("id", TEXT)
                            .must("name", TEXT)
                            .must("input", OBJECT)
                            .may("cache_control", nullable(CACHE)),
                    "tool_result",
                    object().must("tool_use_id", TEXT)
                            .may("content", either(TEXT, RESULT_BLOCKS))
                            .may("is_error", FLAG)
                            .may("cache_control", nullable(CACHE)),
                    "thinking",
                    object().must("thinking", TEXT).must("signature", TEXT),
                    "redacted_thinking",
                    object().must("data", TEXT))));

    private static final Form MESSAGE =
            object().must("role", oneOf("user", "assistant")).must("content", either(TEXT, BLOCKS));

    private static final Form TOOL = object().may("type", oneOf("custom"))
            .must("name", TEXT)
            .may("description", TEXT)
            .must("input_schema", OBJECT)
            .may("strict", FLAG)
            .may("cache_control", nullable(CACHE));

    private static final ObjectForm CHOICE = object().may("disable_parallel_tool_use", FLAG);

    private static final ObjectForm COUNTED = object().may("model", TEXT)
            .must("messages", list(MESSAGE))
            .may("system", either(TEXT, list(tagged("type", Map.of("text", TEXT_BLOCK)))))
            .may("tools", list(TOOL))
            .may(
                    "tool_choice",
                    tagged(
                            "type",
                            Map.of("auto", CHOICE, "any", CHOICE, "none", object(), "tool", CHOICE.must("name", TEXT))))
            .may(
                    "thinking",
                    tagged(
                            "type",
                            Map.of(
                                    "enabled",
                                    object().must("budget_tokens", POSITIVE),
                                    "adaptive",
                                    object(),
                                    "disabled",
                                    object())))
            .may("output_config", object().may("effort", TEXT).may("format", OBJECT))
            .may("cache_control", nullable(CACHE));

    private static final ObjectForm MESSAGES = COUNTED.may("max_tokens", POSITIVE)
            .may("temperature", NUMBER)
            .may("top_p", NUMBER)
            .may("top_k", COUNT)
            .may("stop_sequences", list(TEXT))
            .may("stream", FLAG)
            .may("metadata", object().may("user_id", nullable(TEXT)));

    // Chat Completions.

    private static final ObjectForm TEXT_PART = object().must("text", TEXT);

    private static final Form INLINE_IMAGE = object().must(
                    "url",
                    Form.of(
                            "the image itself, as data:image/…;base64,…",
                            node -> node.isString() && node.stringValue().startsWith("data:image/")))
            .may("detail", oneOf("auto", "low", "high"));

    private static final Form TEXT_PARTS = list(tagged("type", Map.of("text", TEXT_PART)));

    private static final Form USER_PARTS =
            list(tagged("type", Map.of("text", TEXT_PART, "image_url", object().must("image_url", INLINE_IMAGE))));

    private static final Form ASSISTANT_PARTS =
            list(tagged("type", Map.of("text", TEXT_PART, "refusal", object().must("refusal", TEXT))));

    private static final Form CALL = tagged(
            "type",
            Map.of(
                    "function",
                    object().must("id", TEXT)
                            .must("function", object().must("name", TEXT).must("arguments", TEXT))));

    private static final ObjectForm INSTRUCTION =
            object().must("content", either(TEXT, TEXT_PARTS)).may("name", TEXT);

    private static final Form CHAT_MESSAGE = tagged(
            "role",
            Map.of(
                    "system",
                    INSTRUCTION,
                    "developer",
                    INSTRUCTION,
                    "user",
                    object().must("content", either(TEXT, USER_PARTS)).may("name", TEXT),
                    "assistant",
                    object().may("content", nullable(either(TEXT, ASSISTANT_PARTS)))
                            .may("refusal", nullable(TEXT))
                            .may("name", TEXT)
                            .may("tool_calls", list(CALL)),
                    "tool",
                    object().must("content", either(TEXT, TEXT_PARTS)).must("tool_call_id", TEXT)));

    private static final Form FUNCTION = tagged(
            "type",
            Map.of(
                    "function",
                    object().must(
                                    "function",
                                    object().must("name", TEXT)
                                            .may("description", TEXT)
                                            .may("parameters", OBJECT)
                                            .may("strict", nullable(FLAG)))));

    private static final ObjectForm CHAT = object().may("model", TEXT)
            .must("messages", list(CHAT_MESSAGE))
            .may("tools", list(FUNCTION))
            .may(
                    "tool_choice",
                    either(
                            oneOf("auto", "none", "required"),
                            tagged("type", Map.of("function", object().must("function", object().must("name", TEXT))))))
            .may("parallel_tool_calls", FLAG)
            .may("max_tokens", POSITIVE)
            .may("max_completion_tokens", POSITIVE)
            .may("temperature", NUMBER)
            .may("top_p", NUMBER)
            .may("presence_penalty", NUMBER)
            .may("frequency_penalty", NUMBER)
            .may("seed", NUMBER)
            .may("stop", nullable(either(TEXT, list(TEXT))))
            .may("response_format", OBJECT)
            .may("reasoning_effort", TEXT)
            .may("verbosity", TEXT)
            // More than one answer is more than one price.
            .may("n", Form.of("1", node -> node.isIntegralNumber() && node.intValue() == 1))
            .may("store", Form.of("false", node -> node.isBoolean() && !node.booleanValue()))
            .may("stream", FLAG)
            .may("stream_options", nullable(object().may("include_usage", FLAG)));

    private ModelBody() {}

    static boolean streams(ObjectNode body) {
        return body.path("stream").asBoolean(false);
    }

    /**
     * The most that a request to be sent on can come to. No text has more tokens than bytes; an image is what the dearest
     * known provider makes of one, whatever its bytes; how many pages a document has nobody can say.
     */
    static ModelNeed need(ObjectNode body, @Nullable Price price) {
        long input = Json.size(body) + UNSEEN_TOKENS;
        boolean measurable = true;
        for (JsonNode message : body.path("messages")) {
            for (JsonNode block : blocks(message.path("content"))) {
                String type = block.path("type").asString("");
                if (type.equals("image") || type.equals("image_url")) {
                    input += IMAGE_TOKENS - Json.size(block);
                }
                measurable &= !type.equals("document")
                        || block.path("source").path("type").asString("").equals("text");
            }
        }
        long output = Math.min(MOST_OUTPUT, Math.max(asked(body, "max_tokens"), asked(body, "max_completion_tokens")));
        long thinking = body.path("thinking").path("budget_tokens").asLong(0);
        return new ModelNeed(measurable ? (Long) input : null, output, Math.min(output, thinking + 1), price);
    }

    private static long asked(ObjectNode body, String field) {
        return body.path(field).asLong(0);
    }

    /** Of a message, and of the tool results in it. */
    private static List<JsonNode> blocks(JsonNode content) {
        List<JsonNode> blocks = new ArrayList<>();
        for (JsonNode block : content) {
            blocks.add(block);
            if (block.path("type").asString("").equals("tool_result")) {
                block.path("content").forEach(blocks::add);
            }
        }
        return blocks;
    }

    static void limitOutput(ObjectNode body, long tokens) {
        for (String field : List.of("max_tokens", "max_completion_tokens")) {
            if (body.has(field) && asked(body, field) > tokens) {
                body.put(field, tokens);
            }
        }
    }

    /** Makes of a Messages request the one that is sent on. */
    static void messages(ObjectNode body, ModelGrant grant, Set<String> scope) {
        MESSAGES.check(body, "body");
        requireScope(body, scope);
        requireModel(body, grant);
        if (!body.has("max_tokens")) {
            body.put("max_tokens", OUTPUT_TOKENS);
        }
    }

    static void countTokens(ObjectNode body, ModelGrant grant, Set<String> scope) {
        COUNTED.check(body, "body");
        requireScope(body, scope);
        requireModel(body, grant);
    }

    /** Makes of a Chat Completions request the one that is sent on. */
    static void chat(ObjectNode body, ModelGrant grant, Set<String> scope) {
        CHAT.check(body, "body");
        requireScope(body, scope);
        requireModel(body, grant);
        if (!body.has("max_tokens") && !body.has("max_completion_tokens")) {
            body.put("max_completion_tokens", OUTPUT_TOKENS);
        }
        body.remove("stream_options");
        if (streams(body)) {
            body.putObject("stream_options").put("include_usage", true);
        }
    }

    private static void requireModel(ObjectNode body, ModelGrant grant) {
        String named = body.path("model").asString(grant.id());
        if (!named.equals(grant.id()) && !named.equals(grant.provider() + "/" + grant.id())) {
            throw new DoorProblem(
                    403,
                    "model-not-granted",
                    "model: `%s` (this child has: %s)".formatted(Names.shown(named), grant.id()));
        }
        body.put("model", grant.id());
    }

    /** S1: what the model is not shown, it is less likely to call; and a child cannot borrow a tool to smuggle text. */
    private static void requireScope(ObjectNode body, Set<String> scope) {
        for (JsonNode tool : body.path("tools")) {
            requireScope(tool, scope);
        }
        JsonNode choice = body.path("tool_choice");
        if (choice.has("name") || choice.has("function")) {
            requireScope(choice, scope);
        }
    }

    private static void requireScope(JsonNode tool, Set<String> scope) {
        String name =
                tool.path("function").path("name").asString(tool.path("name").asString(""));
        if (!scope.contains(name)) {
            throw new DoorProblem(
                    403,
                    "tool-out-of-scope",
                    "tool: `%s` is not in the scope of this child".formatted(Names.shown(name)));
        }
    }
}
