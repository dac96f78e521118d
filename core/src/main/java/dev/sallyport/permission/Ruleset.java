package dev.sallyport.permission;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** permission.md 1.6: the last rule that matches decides, however specific the others are. */
public record Ruleset(List<Rule> rules, HomeDirectory home) {

    public Ruleset {
        rules = List.copyOf(rules);
    }

    public Ruleset(List<Rule> rules) {
        this(rules, HomeDirectory.NONE);
    }

    /** Never empty-handed: what no rule covers is asked about. */
    public Rule decisive(String surface, String value) {
        return lastMatch(surface, List.of(value)).orElseGet(() -> fallback(surface, value));
    }

    /** The last rule that matches any of several names of one thing; a thing without a name is {@code *}. */
    public Rule decisive(String surface, List<String> aliases) {
        List<String> names = aliases.isEmpty() ? List.of("*") : aliases;
        return lastMatch(surface, names).orElseGet(() -> fallback(surface, names.getFirst()));
    }

    /** The rule that decides, if one was written for this: never the universal default. */
    public Optional<Rule> explicit(String surface, List<String> aliases) {
        List<String> names = aliases.isEmpty() ? List.of("*") : aliases;
        return lastMatch(surface, names).filter(rule -> rule.layer() != Rule.Layer.DEFAULT);
    }

    /** The same with more rules after these, as grants are. */
    public Ruleset and(List<Rule> more) {
        List<Rule> all = new ArrayList<>(rules);
        all.addAll(more);
        return new Ruleset(all, home);
    }

    /** The same with every {@code ask} made {@code allow}: for an operator's yolo mode only (S2). */
    public Ruleset yolo() {
        return new Ruleset(
                rules.stream()
                        .map(rule -> rule.action() == PermissionState.ASK
                                ? new Rule(
                                        rule.surface(),
                                        rule.pattern(),
                                        PermissionState.ALLOW,
                                        rule.reason(),
                                        rule.layer(),
                                        Rule.Origin.YOLO)
                                : rule)
                        .toList(),
                home);
    }

    // INVARIANT: a grant never beats a deny (S27), however much later it was given.
    private Optional<Rule> lastMatch(String surface, List<String> names) {
        Optional<Rule> written = lastMatch(surface, names, false);
        if (written.isPresent() && written.get().action() == PermissionState.DENY) {
            return written;
        }
        return lastMatch(surface, names, true).or(() -> written);
    }

    private Optional<Rule> lastMatch(String surface, List<String> names, boolean grants) {
        return rules.reversed().stream()
                .filter(rule -> grants == (rule.layer() == Rule.Layer.SESSION))
                .filter(rule -> names.stream().anyMatch(name -> rule.matches(surface, name, home)))
                .findFirst();
    }

    private static Rule fallback(String surface, String value) {
        return new Rule(surface, value, PermissionState.ASK, Rule.Layer.DEFAULT, Rule.Origin.BUILTIN);
    }
}
