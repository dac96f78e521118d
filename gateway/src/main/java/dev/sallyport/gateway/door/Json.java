package dev.sallyport.gateway.door;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import org.eclipse.jetty.io.Content;
import org.eclipse.jetty.server.Request;
import tools.jackson.core.JacksonException;
import tools.jackson.core.JsonParser;
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
    private static final int PIECE = 16 * 1024;

    /** What a byte of a body takes while it is read, parsed and written anew. */
    private static final int PER_BYTE = 3;

    /** What the smallest value takes as a node of a tree, with its place in its parent. */
    private static final int PER_TOKEN = 100;

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
     * Reads the body of the request that the current thread serves, an object. Memory is claimed before it is used: a
     * few megabytes of brackets would fill a heap as a tree.
     *
     * @param limit bytes
     */
    static ObjectNode read(Request request, int limit) throws IOException {
        Doorway doorway = DoorConnection.doorway(request);
        byte[] bytes = bytes(Content.Source.asInputStream(request), limit, doorway);
        try {
            doorway.hold(PER_TOKEN * tokens(bytes));
            if (MAPPER.readTree(bytes) instanceof ObjectNode object) {
                return object;
            }
        } catch (JacksonException e) {
            throw new DoorProblem(400, "request-refused", "body: " + Names.shown(e.getOriginalMessage()));
        }
        throw new DoorProblem(400, "request-refused", "body: expected a JSON object");
    }

    private static byte[] bytes(InputStream body, int limit, Doorway doorway) throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        byte[] piece = new byte[PIECE];
        for (int count = body.read(piece); count >= 0; count = body.read(piece)) {
            if (bytes.size() + count > limit) {
                throw new DoorProblem(413, "request-too-large", "body (expected: at most %d bytes)".formatted(limit));
            }
            doorway.hold((long) PER_BYTE * count);
            bytes.write(piece, 0, count);
        }
        return bytes.toByteArray();
    }

    private static long tokens(byte[] bytes) {
        long tokens = 0;
        try (JsonParser parser = MAPPER.createParser(bytes)) {
            while (parser.nextToken() != null) {
                tokens++;
            }
        }
        return tokens;
    }

    static byte[] write(JsonNode node) {
        return MAPPER.writeValueAsBytes(node);
    }

    /** How many bytes {@link #write} would write. */
    static long size(JsonNode node) {
        var counter = new OutputStream() {
            private long count;

            @Override
            public void write(int one) {
                count++;
            }

            @Override
            public void write(byte[] some, int from, int length) {
                count += length;
            }
        };
        MAPPER.writeValue(counter, node);
        return counter.count;
    }

    static ObjectNode object() {
        return MAPPER.createObjectNode();
    }
}
