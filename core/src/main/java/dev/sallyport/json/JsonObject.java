package dev.sallyport.json;

import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** A JSON object read field by field: every field has one type, and one that nobody reads is an error. */
public final class JsonObject {

    private final String path;
    private final Map<?, ?> members;
    private final Set<Object> unread;

    private JsonObject(String path, Map<?, ?> members) {
        this.path = path;
        this.members = members;
        this.unread = new LinkedHashSet<>(members.keySet());
    }

    /** Reads a value of {@link StrictJson}; {@code path} names it in messages. */
    public static JsonObject of(String path, @Nullable Object value) {
        if (value instanceof Map<?, ?> members) {
            return new JsonObject(path, members);
        }
        throw new IllegalArgumentException("%s (expected: an object)".formatted(path));
    }

    public @Nullable Object optional(String name) {
        unread.remove(name);
        return members.get(name);
    }

    public Object required(String name) {
        Object value = optional(name);
        if (value == null) {
            throw wrong(name, "a value");
        }
        return value;
    }

    public String text(String name) {
        return as(String.class, name, "text");
    }

    public @Nullable String optionalText(String name) {
        return optional(name) == null ? null : text(name);
    }

    public boolean flag(String name) {
        return as(Boolean.class, name, "true or false");
    }

    public double number(String name) {
        return as(Number.class, name, "a number").doubleValue();
    }

    public long integer(String name) {
        return as(Long.class, name, "a whole number");
    }

    public List<?> list(String name) {
        return as(List.class, name, "a list");
    }

    public List<String> texts(String name) {
        List<String> texts = new ArrayList<>();
        for (Object item : list(name)) {
            if (!(item instanceof String text)) {
                throw wrong(name, "a list of texts");
            }
            texts.add(text);
        }
        return texts;
    }

    public JsonObject object(String name) {
        return of(path + "." + name, required(name));
    }

    public List<JsonObject> objects(String name) {
        return list(name).stream().map(item -> of(path + "." + name, item)).toList();
    }

    /** Refuses what was not read. */
    public void end() {
        if (!unread.isEmpty()) {
            throw new IllegalArgumentException(
                    "%s: unknown field `%s`".formatted(path, unread.iterator().next()));
        }
    }

    private <T> T as(Class<T> type, String name, String expected) {
        Object value = required(name);
        if (!type.isInstance(value)) {
            throw wrong(name, expected);
        }
        return type.cast(value);
    }

    private IllegalArgumentException wrong(String name, String expected) {
        return new IllegalArgumentException("%s.%s (expected: %s)".formatted(path, name, expected));
    }
}
