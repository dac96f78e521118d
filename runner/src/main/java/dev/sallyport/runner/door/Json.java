package dev.sallyport.runner.door;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

/** The one mapper of this process: trees only, which costs an idle child the least. */
public final class Json {

    private static final JsonMapper MAPPER = new JsonMapper();

    private Json() {}

    public static ObjectNode object() {
        return JsonNodeFactory.instance.objectNode();
    }

    public static ArrayNode array() {
        return JsonNodeFactory.instance.arrayNode();
    }

    /** Throws Jackson's unchecked exception where the text is not JSON. */
    public static JsonNode read(String text) {
        return MAPPER.readTree(text);
    }

    public static JsonNode read(byte[] text) {
        return MAPPER.readTree(text);
    }

    public static byte[] bytes(JsonNode node) {
        return MAPPER.writeValueAsBytes(node);
    }
}
