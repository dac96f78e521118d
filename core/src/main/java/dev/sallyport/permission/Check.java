package dev.sallyport.permission;

import java.util.List;
import java.util.Locale;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * What policy says about one thing, and which rule said it.
 *
 * @param value the name of the thing that the rule matched
 */
public record Check(String surface, Rule rule, String value) {

    /** The tools whose value is a path. */
    public static final Set<String> FILE_TOOLS = Set.of("read", "write", "edit", "find", "grep", "ls");

    /** What kind of rule decided (permission.md 1.6). */
    public enum Source {
        TOOL,
        BASH,
        MCP,
        SKILL,
        SPECIAL,
        DEFAULT,
        SESSION;

        public String wire() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    /** Checks a thing by all of its names; no names are {@code *}. */
    public static Check of(Ruleset rules, String surface, List<String> names) {
        List<String> values = names.isEmpty() ? List.of("*") : names;
        Rule rule = rules.decisive(surface, values);
        String matched = values.stream()
                .filter(value -> rule.matches(surface, value, rules.home()))
                .findFirst()
                .orElse(values.getFirst());
        return new Check(surface, rule, matched);
    }

    public PermissionState state() {
        return rule.action();
    }

    /** Null where only a default or the baseline spoke. */
    public @Nullable String matchedPattern() {
        return switch (rule.layer()) {
            case CONFIG, SESSION -> rule.pattern();
            case DEFAULT, BASELINE -> null;
        };
    }

    public Source source() {
        if (rule.layer() == Rule.Layer.SESSION) {
            return Source.SESSION;
        }
        boolean byDefault = rule.layer() == Rule.Layer.DEFAULT;
        return switch (surface) {
            case "path", "external_directory" -> Source.SPECIAL;
            case "mcp" -> byDefault ? Source.DEFAULT : Source.MCP;
            case "skill" -> Source.SKILL;
            case "bash" -> Source.BASH;
            default -> byDefault && !FILE_TOOLS.contains(surface) ? Source.DEFAULT : Source.TOOL;
        };
    }
}
