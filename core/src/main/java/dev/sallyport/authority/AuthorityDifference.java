package dev.sallyport.authority;

import dev.sallyport.provenance.Origin;
import dev.sallyport.text.VisibleText;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * One field in which two authorities differ; null where one of them has no such field.
 *
 * @param left its value there, and {@code leftBy} who decided it
 */
public record AuthorityDifference(
        String field,
        @Nullable String left,
        @Nullable Origin leftBy,
        @Nullable String right,
        @Nullable Origin rightBy) {

    /** Every field whose value differs, in the order of the first authority. Who decided a value makes no difference. */
    public static List<AuthorityDifference> between(List<Field> left, List<Field> right) {
        Map<String, Field> lefts = byName(left);
        Map<String, Field> rights = byName(right);
        Map<String, Field> names = new LinkedHashMap<>(lefts);
        rights.forEach(names::putIfAbsent);
        List<AuthorityDifference> differences = new ArrayList<>();
        for (String name : names.keySet()) {
            Field one = lefts.get(name);
            Field other = rights.get(name);
            if (one == null || other == null || !one.value().equals(other.value())) {
                differences.add(new AuthorityDifference(
                        name,
                        one == null ? null : one.value(),
                        one == null ? null : one.winner(),
                        other == null ? null : other.value(),
                        other == null ? null : other.winner()));
            }
        }
        return differences;
    }

    private static Map<String, Field> byName(List<Field> fields) {
        Map<String, Field> byName = new LinkedHashMap<>();
        fields.forEach(field -> byName.put(field.name(), field));
        return byName;
    }

    /** A plain-text table; control characters are made visible. */
    public static String render(String left, String right, List<AuthorityDifference> differences) {
        if (differences.isEmpty()) {
            return "no difference\n";
        }
        List<List<String>> rows = new ArrayList<>();
        rows.add(List.of("FIELD", VisibleText.line(left), "DECIDED BY", VisibleText.line(right), "DECIDED BY"));
        for (AuthorityDifference difference : differences) {
            rows.add(List.of(
                    VisibleText.line(difference.field()),
                    shown(difference.left()),
                    shown(difference.leftBy()),
                    shown(difference.right()),
                    shown(difference.rightBy())));
        }
        return Explanation.aligned(rows);
    }

    private static String shown(@Nullable Object value) {
        return value == null ? "-" : VisibleText.line(value.toString());
    }
}
