package dev.sallyport.runner.door;

import java.nio.charset.StandardCharsets;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;
import tools.jackson.databind.node.StringNode;

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

    /**
     * The same without what cannot be stored as text: NUL and halves of characters become visible signs. Programs print such
     * things, and models write them.
     */
    static String storable(String text) {
        String whole = new String(text.getBytes(StandardCharsets.UTF_16LE), StandardCharsets.UTF_16LE);
        return whole.replace('\0', '\u2400');
    }

    static JsonNode storable(JsonNode node) {
        return switch (node) {
            case StringNode text -> StringNode.valueOf(storable(text.stringValue()));
            case ArrayNode list -> {
                ArrayNode copy = array();
                list.forEach(element -> copy.add(storable(element)));
                yield copy;
            }
            case ObjectNode object -> {
                ObjectNode copy = object();
                object.properties().forEach(field -> copy.set(storable(field.getKey()), storable(field.getValue())));
                yield copy;
            }
            default -> node;
        };
    }

    public static byte[] bytes(JsonNode node) {
        return MAPPER.writeValueAsBytes(node);
    }
}
