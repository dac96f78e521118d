package dev.sallyport.gateway.door;

import java.io.IOException;
import java.io.InputStream;
import tools.jackson.core.JacksonException;
import tools.jackson.core.StreamReadConstraints;
import tools.jackson.core.StreamReadFeature;
import tools.jackson.core.json.JsonFactory;
import tools.jackson.databind.DeserializationFeature;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;

/** Reads what a child sends: one value, no key twice, bounded depth. Two readers of such a text see the same. */
final class Json {

    private static final int DEPTH = 64;

    static final JsonMapper MAPPER = JsonMapper.builder(JsonFactory.builder()
                    .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
                    .streamReadConstraints(StreamReadConstraints.builder()
                            .maxNestingDepth(DEPTH)
                            .maxStringLength(Integer.MAX_VALUE)
                            .build())
                    .build())
            .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
            .enable(DeserializationFeature.USE_BIG_DECIMAL_FOR_FLOATS)
            .build();

    private Json() {}

    /**
     * Reads one object.
     *
     * @param limit bytes
     */
    static ObjectNode read(InputStream body, int limit) throws IOException {
        byte[] bytes = body.readNBytes(limit + 1);
        if (bytes.length > limit) {
            throw new DoorProblem(413, "request-too-large", "body (expected: at most %d bytes)".formatted(limit));
        }
        try {
            if (MAPPER.readTree(bytes) instanceof ObjectNode object) {
                return object;
            }
        } catch (JacksonException e) {
            throw new DoorProblem(400, "request-refused", "body: " + Names.shown(e.getOriginalMessage()));
        }
        throw new DoorProblem(400, "request-refused", "body: expected a JSON object");
    }

    static byte[] write(JsonNode node) {
        return MAPPER.writeValueAsBytes(node);
    }

    static ObjectNode object() {
        return MAPPER.createObjectNode();
    }
}
