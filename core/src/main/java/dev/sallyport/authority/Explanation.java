package dev.sallyport.authority;

import dev.sallyport.agentfile.AgentRegistry;
import dev.sallyport.agentfile.LoadWarning;
import dev.sallyport.text.VisibleText;
import java.util.ArrayList;
import java.util.List;

/**
 * Which word counted for each field, for people: who won with file and line, who lost and why.
 *
 * @param untrusted definitions of a project that are not run, nor what they hide, until the project is trusted
 * @param unknown fields of the agent file that nobody knows; they are among the warnings too
 */
public record Explanation(
        List<Field> fields,
        List<AgentRegistry.Shadowed> shadowed,
        List<Untrusted> untrusted,
        List<LoadWarning.UnknownField> unknown,
        List<Exposure> exposures,
        List<String> warnings) {

    public Explanation {
        fields = List.copyOf(fields);
        shadowed = List.copyOf(shadowed);
        untrusted = List.copyOf(untrusted);
        unknown = List.copyOf(unknown);
        exposures = List.copyOf(exposures);
        warnings = List.copyOf(warnings);
    }

    /** A definition of a project that is not trusted, and the command that changes that. */
    public record Untrusted(String name, String path, String remedy) {}

    /** Something that the child could use to reach further than its files: what a reviewer should look at first. */
    public record Exposure(String field, String what) {}

    public Explanation withWarnings(List<String> others) {
        return new Explanation(fields, shadowed, untrusted, unknown, exposures, others);
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
        untrusted.forEach(theirs -> table.append("untrusted: %s of %s (run `%s`)\n"
                .formatted(
                        VisibleText.line(theirs.name()),
                        VisibleText.line(theirs.path()),
                        VisibleText.line(theirs.remedy()))));
        exposures.forEach(exposure -> table.append(
                "exposure: %s: %s\n".formatted(VisibleText.line(exposure.field()), VisibleText.line(exposure.what()))));
        warnings.forEach(warning ->
                table.append("warning: ").append(VisibleText.line(warning)).append('\n'));
        return table.toString();
    }

    static String aligned(List<List<String>> rows) {
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
