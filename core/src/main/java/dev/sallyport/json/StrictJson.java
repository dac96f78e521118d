package dev.sallyport.json;

import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;
import tools.jackson.core.ObjectReadContext;
import tools.jackson.core.StreamReadConstraints;
import tools.jackson.core.json.JsonFactory;
import tools.jackson.core.json.JsonFactoryBuilder;
import tools.jackson.core.json.JsonReadFeature;

/**
 * Reads JSON that can mean only one thing: no duplicate keys, no lone surrogates, no numbers that a double cannot hold
 * exactly as written between ±2^53, nothing after the value.
 *
 * <p>Values are {@code Map<String, Object>} in document order, {@code List<Object>}, {@code String}, {@code Boolean},
 * {@code Double}, {@code Long} or null.
 */
public final class StrictJson {

    private static final int MAX_DEPTH = 100;
    private static final BigDecimal MAX_MAGNITUDE = BigDecimal.valueOf(1L << 53);

    private static final JsonFactory FACTORY = factory().build();
    private static final JsonFactory WITH_COMMENTS =
            factory().enable(JsonReadFeature.ALLOW_JAVA_COMMENTS).build();

    private StrictJson() {}

    /** The value; an {@link IllegalArgumentException} names line and column of what is wrong. */
    public static @Nullable Object parse(String text) {
        return parse(text, FACTORY);
    }

    /** The same of a text that people write, with comments as Java has them. */
    public static @Nullable Object parseWithComments(String text) {
        return parse(text, WITH_COMMENTS);
    }

    private static JsonFactoryBuilder factory() {
        return JsonFactory.builder()
                .streamReadConstraints(StreamReadConstraints.builder()
                        .maxNestingDepth(MAX_DEPTH)
                        .build());
    }

    private static @Nullable Object parse(String text, JsonFactory factory) {
        try (JsonParser parser = factory.createParser(ObjectReadContext.empty(), text)) {
            parser.nextToken();
            Object value = value(parser);
            if (parser.nextToken() != null) {
                throw refused(parser, "something follows the value");
            }
            return value;
        } catch (JacksonException e) {
            // The parser's own message quotes the text, which may be anybody's secret.
            throw new IllegalArgumentException("json: malformed%s".formatted(location(e)));
        }
    }

    private static @Nullable Object value(JsonParser parser) {
        JsonToken token = parser.currentToken();
        if (token == null) {
            throw refused(parser, "empty");
        }
        return switch (token) {
            case START_OBJECT -> object(parser);
            case START_ARRAY -> array(parser);
            case VALUE_STRING -> wellFormed(parser, parser.getString());
            case VALUE_NUMBER_INT, VALUE_NUMBER_FLOAT -> number(parser);
            case VALUE_TRUE -> true;
            case VALUE_FALSE -> false;
            case VALUE_NULL -> null;
            default -> throw refused(parser, "unexpected " + token);
        };
    }

    private static Map<String, @Nullable Object> object(JsonParser parser) {
        Map<String, @Nullable Object> members = new LinkedHashMap<>();
        while (parser.nextToken() != JsonToken.END_OBJECT) {
            String name = wellFormed(parser, parser.currentName());
            if (members.containsKey(name)) {
                throw refused(parser, "duplicate key");
            }
            parser.nextToken();
            members.put(name, value(parser));
        }
        return members;
    }

    private static List<@Nullable Object> array(JsonParser parser) {
        List<@Nullable Object> items = new ArrayList<>();
        while (parser.nextToken() != JsonToken.END_ARRAY) {
            items.add(value(parser));
        }
        return items;
    }

    private static Object number(JsonParser parser) {
        // The text is looked at first: 1e999999999 must not become a number of a billion digits.
        double approximate = parser.getDoubleValue();
        if (!(Math.abs(approximate) <= MAX_MAGNITUDE.doubleValue())) {
            throw refused(parser, "number beyond 2^53");
        }
        if (parser.currentToken() == JsonToken.VALUE_NUMBER_INT) {
            BigDecimal exact = parser.getDecimalValue();
            if (exact.abs().compareTo(MAX_MAGNITUDE) > 0) {
                throw refused(parser, "number beyond 2^53");
            }
            return exact.longValueExact();
        }
        return approximate;
    }

    private static String wellFormed(JsonParser parser, String text) {
        if (!StandardCharsets.UTF_8.newEncoder().canEncode(text)) {
            throw refused(parser, "lone surrogate");
        }
        return text;
    }

    private static IllegalArgumentException refused(JsonParser parser, String why) {
        var at = parser.currentTokenLocation();
        return new IllegalArgumentException(
                "json: %s at line %d column %d".formatted(why, at.getLineNr(), at.getColumnNr()));
    }

    private static String location(JacksonException e) {
        var at = e.getLocation();
        return at == null ? "" : " at line %d column %d".formatted(at.getLineNr(), at.getColumnNr());
    }
}
