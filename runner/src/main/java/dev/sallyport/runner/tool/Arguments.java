package dev.sallyport.runner.tool;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import tools.jackson.databind.JsonNode;

/** The arguments of one call. Every field is either asked for or refused by {@link #nothingElse}. */
final class Arguments {

    private final JsonNode fields;
    private final Set<String> known = new TreeSet<>();

    Arguments(JsonNode fields) throws ToolException {
        if (!fields.isObject()) {
            throw new ToolException("arguments (expected: a JSON object)");
        }
        this.fields = fields;
    }

    String text(String name) throws ToolException {
        return optionalText(name)
                .orElseThrow(() -> new ToolException("%s is missing (expected: text)".formatted(name)));
    }

    Optional<String> optionalText(String name) throws ToolException {
        JsonNode value = field(name);
        if (absent(value)) {
            return Optional.empty();
        }
        if (!value.isString()) {
            throw new ToolException("%s (expected: text)".formatted(name));
        }
        return Optional.of(value.stringValue());
    }

    /** Whole number from 1 to {@code most}. */
    int count(String name, int fallback, int most) throws ToolException {
        return number(name, fallback, 1, most);
    }

    int number(String name, int fallback, int least, int most) throws ToolException {
        JsonNode value = field(name);
        if (absent(value)) {
            return fallback;
        }
        // Models write 30.0 for 30 now and then.
        if (!value.isNumber() || value.doubleValue() != Math.rint(value.doubleValue())) {
            throw new ToolException("%s (expected: a whole number)".formatted(name));
        }
        double number = value.doubleValue();
        if (number < least || number > most) {
            throw new ToolException("%s: %s (expected: %d to %d)".formatted(name, value, least, most));
        }
        return (int) number;
    }

    /** Whether it is there at all. */
    boolean has(String name) {
        return !absent(field(name));
    }

    boolean flag(String name) throws ToolException {
        JsonNode value = field(name);
        if (absent(value)) {
            return false;
        }
        if (!value.isBoolean()) {
            throw new ToolException("%s (expected: true or false)".formatted(name));
        }
        return value.booleanValue();
    }

    /** The objects of a list; empty if the field is absent. */
    List<Arguments> objects(String name) throws ToolException {
        JsonNode value = field(name);
        List<Arguments> objects = new ArrayList<>();
        if (absent(value)) {
            return objects;
        }
        if (!value.isArray()) {
            throw new ToolException("%s (expected: a list)".formatted(name));
        }
        for (JsonNode element : value) {
            objects.add(new Arguments(element));
        }
        return objects;
    }

    void nothingElse() throws ToolException {
        for (String name : fields.propertyNames()) {
            if (!known.contains(name)) {
                throw new ToolException(
                        "unknown argument: `%s` (expected: %s)".formatted(name, String.join(", ", known)));
            }
        }
    }

    private JsonNode field(String name) {
        known.add(name);
        return fields.path(name);
    }

    private static boolean absent(JsonNode value) {
        return value.isMissingNode() || value.isNull();
    }
}
