package dev.sallyport.agentfile;

import dev.sallyport.json.CanonicalJson;
import dev.sallyport.text.Blanks;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** How values of front matter become text and lists (authority.md 2.2). */
final class Scalars {

    private Scalars() {}

    /** What JavaScript's String() makes of a YAML value. */
    static String text(@Nullable Object value) {
        return switch (value) {
            case null -> "null";
            case Double number when number.isNaN() -> "NaN";
            case Double number when number.isInfinite() -> number > 0 ? "Infinity" : "-Infinity";
            case Number number -> CanonicalJson.write(number);
            case List<?> items ->
                items.stream().map(item -> item == null ? "" : text(item)).collect(Collectors.joining(","));
            case Map<?, ?> _ -> "[object Object]";
            default -> value.toString();
        };
    }

    /** The items of a comma-separated field; null for a value that says nothing or {@code none}. */
    static @Nullable List<String> items(@Nullable Object value) {
        if (value == null) {
            return null;
        }
        String text = trim(text(value));
        if (text.isEmpty() || text.equals("none")) {
            return null;
        }
        List<String> items = new ArrayList<>();
        for (String item : text.split(",", -1)) {
            String trimmed = trim(item);
            if (!trimmed.isEmpty()) {
                items.add(trimmed);
            }
        }
        return items.isEmpty() ? null : items;
    }

    /** JavaScript's trim. */
    static String trim(String text) {
        return Blanks.trim(text);
    }
}
