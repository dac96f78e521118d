package dev.sallyport.cli;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.core.JsonGenerator;
import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;
import tools.jackson.core.ObjectReadContext;
import tools.jackson.core.ObjectWriteContext;
import tools.jackson.core.StreamReadConstraints;
import tools.jackson.core.StreamReadFeature;
import tools.jackson.core.json.JsonFactory;
import tools.jackson.core.json.JsonWriteFeature;
import tools.jackson.core.util.DefaultPrettyPrinter;

/**
 * A JSON value: a {@code Map}, a {@code List}, a string, a number, a boolean or null. Read and written by jackson-core alone, because
 * databind doubles the start of a quick verb (P25).
 */
record Json(@Nullable Object value) {

    /** Written JSON is pure ASCII, so that no control, bidi or invisible character of a child reaches a terminal as itself (S31). */
    private static final JsonFactory FACTORY = JsonFactory.builder()
            .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
            .enable(JsonWriteFeature.ESCAPE_NON_ASCII)
            .streamReadConstraints(StreamReadConstraints.builder()
                    .maxStringLength(Integer.MAX_VALUE)
                    .build())
            .build();

    private static final Json NOTHING = new Json(null);

    /** @throws IllegalArgumentException if the text is not exactly one JSON value */
    static Json parse(String text) {
        try (JsonParser parser = FACTORY.createParser(ObjectReadContext.empty(), text)) {
            Json json = new Json(read(parser, parser.nextToken()));
            if (parser.nextToken() != null) {
                throw new IllegalArgumentException("more than one JSON value");
            }
            return json;
        } catch (JacksonException e) {
            throw new IllegalArgumentException("not JSON: " + e.getOriginalMessage(), e);
        }
    }

    /** An object with these fields in this order; a field whose value is null is left out. */
    static Json object(@Nullable Object... namesAndValues) {
        Map<String, Object> fields = new LinkedHashMap<>();
        for (int i = 0; i < namesAndValues.length; i += 2) {
            Object value = namesAndValues[i + 1];
            if (value != null) {
                fields.put((String) java.util.Objects.requireNonNull(namesAndValues[i]), unwrap(value));
            }
        }
        return new Json(fields);
    }

    /** This object with a field in front of its others. */
    Json with(String name, Object value) {
        return object(name, value).merged(this);
    }

    /** This object, followed by those fields of the other that it does not have. */
    Json merged(Json other) {
        Map<String, @Nullable Object> fields = new LinkedHashMap<>(asMap());
        other.asMap().forEach(fields::putIfAbsent);
        return new Json(fields);
    }

    Json get(String field) {
        return value instanceof Map<?, ?> fields && fields.get(field) != null ? new Json(fields.get(field)) : NOTHING;
    }

    /** The field as text; empty where it is absent or null. */
    String text(String field) {
        return get(field).text();
    }

    String text() {
        return value == null ? "" : value instanceof Map || value instanceof List ? write() : value.toString();
    }

    long number(String field) {
        return get(field).value instanceof Number number ? number.longValue() : 0;
    }

    boolean isTrue(String field) {
        return Boolean.TRUE.equals(get(field).value);
    }

    boolean isNothing() {
        return value == null;
    }

    /** The elements of the field; empty where it is absent or no list. */
    List<Json> list(String field) {
        return get(field).elements();
    }

    List<Json> elements() {
        return value instanceof List<?> list
                ? list.stream().<Json>map(Json::new).toList()
                : List.of();
    }

    @SuppressWarnings("unchecked") // a value is made by read() and object() only, whose maps have string keys
    Map<String, @Nullable Object> asMap() {
        return value instanceof Map<?, ?> map ? (Map<String, @Nullable Object>) map : Map.of();
    }

    /** On one line. */
    String write() {
        return write(false);
    }

    String pretty() {
        return write(true);
    }

    private String write(boolean pretty) {
        java.io.StringWriter text = new java.io.StringWriter();
        ObjectWriteContext context = pretty ? new Indented() : ObjectWriteContext.empty();
        try (JsonGenerator generator = FACTORY.createGenerator(context, text)) {
            write(generator, value);
        }
        // DEL is ASCII, and yet a control character. It occurs inside strings only.
        return text.toString().replace("\u007f", "\\u007f");
    }

    private static final class Indented extends ObjectWriteContext.Base {
        @Override
        public tools.jackson.core.PrettyPrinter getPrettyPrinter() {
            return new DefaultPrettyPrinter();
        }

        @Override
        public boolean hasPrettyPrinter() {
            return true;
        }
    }

    @SuppressWarnings(
            "IfChainToSwitch") // a switch over patterns links itself at run time, at a cost that a quick verb notices
    private static void write(JsonGenerator generator, @Nullable Object value) {
        if (value == null) {
            generator.writeNull();
        } else if (value instanceof String string) {
            generator.writeString(string);
        } else if (value instanceof Boolean bool) {
            generator.writeBoolean(bool);
        } else if (value instanceof BigDecimal number) {
            generator.writeNumber(number);
        } else if (value instanceof BigInteger number) {
            generator.writeNumber(number);
        } else if (value instanceof Number number) {
            generator.writeNumber(number.longValue());
        } else if (value instanceof Map<?, ?> map) {
            generator.writeStartObject();
            map.forEach((name, field) -> {
                generator.writeName(String.valueOf(name));
                write(generator, field);
            });
            generator.writeEndObject();
        } else if (value instanceof List<?> list) {
            generator.writeStartArray();
            list.forEach(element -> write(generator, element));
            generator.writeEndArray();
        } else {
            throw new IllegalArgumentException("no JSON value: " + value.getClass());
        }
    }

    private static @Nullable Object read(JsonParser parser, @Nullable JsonToken token) {
        if (token == null) {
            throw new IllegalArgumentException("not JSON: it ends too early");
        }
        return switch (token) {
            case START_OBJECT -> {
                Map<String, @Nullable Object> fields = new LinkedHashMap<>();
                while (parser.nextToken() == JsonToken.PROPERTY_NAME) {
                    String name = parser.currentName();
                    fields.put(name, read(parser, parser.nextToken()));
                }
                yield fields;
            }
            case START_ARRAY -> {
                List<@Nullable Object> elements = new ArrayList<>();
                for (JsonToken next = parser.nextToken(); next != JsonToken.END_ARRAY; next = parser.nextToken()) {
                    elements.add(read(parser, next));
                }
                yield elements;
            }
            case VALUE_STRING -> parser.getString();
            case VALUE_NUMBER_INT -> parser.getNumberValue();
            case VALUE_NUMBER_FLOAT -> parser.getDecimalValue();
            case VALUE_TRUE -> true;
            case VALUE_FALSE -> false;
            case VALUE_NULL -> null;
            default -> throw new IllegalArgumentException("not JSON: `%s`".formatted(token));
        };
    }

    private static Object unwrap(Object value) {
        if (value instanceof List<?> list) {
            return list.stream().map(Json::unwrap).toList();
        }
        return value instanceof Json json && json.value != null ? json.value : value;
    }
}
