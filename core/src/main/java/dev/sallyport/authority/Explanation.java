package dev.sallyport.authority;

import dev.sallyport.agentfile.AgentRegistry;
import dev.sallyport.text.VisibleText;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** Which word counted for each field, for people: who won with file and line, who lost and why. */
public record Explanation(List<Field> fields, List<AgentRegistry.Shadowed> shadowed, List<String> warnings) {

    public Explanation {
        fields = List.copyOf(fields);
        shadowed = List.copyOf(shadowed);
        warnings = List.copyOf(warnings);
    }

    /** {@code fields}, {@code shadowed} and {@code warnings} as a JSON value. */
    public Map<String, Object> toJson() {
        return Map.of(
                "fields",
                fields.stream().map(AuthorityJson::field).toList(),
                "shadowed",
                shadowed.stream()
                        .map(hidden -> Map.of("name", hidden.name(), "origin", hidden.path(), "by", hidden.by()))
                        .toList(),
                "warnings",
                warnings);
    }

    /** A plain-text table; control characters are made visible. */
    public String render() {
        List<List<String>> rows = new ArrayList<>();
        rows.add(List.of("FIELD", "VALUE", "HELD BY", "DECIDED BY"));
        for (Field field : fields) {
            rows.add(List.of(
                    field.name(),
                    VisibleText.line(field.value()),
                    field.grade().wire(),
                    VisibleText.line(field.winner().toString())));
            for (Field.Loser loser : field.losers()) {
                rows.add(List.of(
                        "",
                        "not " + VisibleText.line(loser.value()),
                        "",
                        VisibleText.line("%s: %s".formatted(loser.origin(), loser.reason()))));
            }
        }
        StringBuilder table = new StringBuilder(aligned(rows));
        for (AgentRegistry.Shadowed hidden : shadowed) {
            table.append("shadowed: %s of %s by %s\n"
                    .formatted(
                            VisibleText.line(hidden.name()),
                            VisibleText.line(hidden.path()),
                            VisibleText.line(hidden.by())));
        }
        warnings.forEach(warning ->
                table.append("warning: ").append(VisibleText.line(warning)).append('\n'));
        return table.toString();
    }

    private static String aligned(List<List<String>> rows) {
        int columns = rows.getFirst().size();
        int[] widths = new int[columns];
        for (List<String> row : rows) {
            for (int i = 0; i < columns; i++) {
                widths[i] = Math.max(widths[i], row.get(i).length());
            }
        }
        StringBuilder table = new StringBuilder();
        for (List<String> row : rows) {
            StringBuilder line = new StringBuilder();
            for (int i = 0; i < columns; i++) {
                line.append(row.get(i)).append(" ".repeat(widths[i] - row.get(i).length() + 2));
            }
            table.append(line.toString().stripTrailing()).append('\n');
        }
        return table.toString();
    }
}
