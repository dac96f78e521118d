package dev.sallyport.permissions.decision;

import dev.sallyport.permission.HomeDirectory;
import dev.sallyport.permission.Narrowing;
import dev.sallyport.permission.PermissionConfig;
import dev.sallyport.permission.PermissionState;
import dev.sallyport.permission.Policy;
import dev.sallyport.permission.Rule;
import dev.sallyport.permission.Ruleset;
import dev.sallyport.permission.Wildcard;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * What policy says to an action, and the rule that settled it: the strictest answer over all its subjects, of the operator
 * and of every layer below, which can narrow and never widen (S2).
 *
 * @param origin where the rule is written
 */
record Judgement(PermissionState state, Subject subject, Rule rule, String origin) {

    /** Says nothing of its own: the answer of a gate for which nobody wrote a rule. */
    private static final Ruleset SILENT =
            new Ruleset(List.of(new Rule("*", "*", PermissionState.ALLOW, Rule.Layer.DEFAULT, Rule.Origin.BUILTIN)));

    /** @param layers of the child and of its ancestors */
    static Judgement of(OperatorPolicy operator, List<Narrowing.Layer> layers, List<Subject> subjects) {
        Judgement strictest = null;
        for (Subject subject : subjects) {
            Judgement judged = of(operator, layers, subject);
            if (strictest == null || strictest.state().looserThan(judged.state())) {
                strictest = judged;
            }
        }
        if (strictest == null) {
            throw new IllegalArgumentException("an action without a subject");
        }
        return strictest;
    }

    private static Judgement of(OperatorPolicy operator, List<Narrowing.Layer> layers, Subject subject) {
        Narrowing.Outcome outcome = subject.gate()
                ? gate(operator.rules(), layers, subject)
                : new Narrowing(operator.rules(), layers).decide(subject.surface(), subject.names());
        Judgement judged = new Judgement(
                outcome.state(),
                subject,
                outcome.rule(),
                outcome.layer() == null ? operator.origin() : outcome.layer());
        return judged.state() == PermissionState.ALLOW && subject.surface().equals(Subject.BASH)
                ? overlooked(operator, layers, subject).orElse(judged)
                : judged;
    }

    private static Narrowing.Outcome gate(Ruleset operator, List<Narrowing.Layer> layers, Subject gate) {
        boolean written = operator.explicit(gate.surface(), gate.names()).isPresent();
        return new Narrowing(
                        written ? operator : SILENT,
                        layers.stream().map(Judgement::withoutUniversal).toList())
                .decide(gate.surface(), gate.names());
    }

    private static Narrowing.Layer withoutUniversal(Narrowing.Layer layer) {
        Map<String, PermissionConfig.Surface> written =
                new LinkedHashMap<>(layer.config().surfaces());
        written.remove("*");
        return new Narrowing.Layer(layer.origin(), new PermissionConfig(written));
    }

    /**
     * A rule that might hold back a part of a command which its patterns do not see: then a person is asked. Commands are
     * taken apart nowhere here, and their paths are not looked for.
     */
    private static Optional<Judgement> overlooked(
            OperatorPolicy operator, List<Narrowing.Layer> layers, Subject command) {
        boolean plain = CommandText.isPlain(command.value());
        Stream<Judgement> ofOperator = restrictive(operator.rules(), plain)
                .map(rule -> new Judgement(PermissionState.ASK, command, rule, operator.origin()));
        Stream<Judgement> ofLayers = layers.stream()
                .flatMap(layer -> restrictive(rules(layer), plain)
                        .map(rule -> new Judgement(PermissionState.ASK, command, rule, layer.origin())));
        return Stream.concat(ofOperator, ofLayers).findFirst();
    }

    private static Ruleset rules(Narrowing.Layer layer) {
        return Policy.rules(List.of(new Policy.Scope(Rule.Origin.AGENT, layer.config())), HomeDirectory.NONE);
    }

    private static Stream<Rule> restrictive(Ruleset rules, boolean plain) {
        Stream<Rule> gates = rules.rules().stream()
                .filter(rule -> rule.layer() != Rule.Layer.DEFAULT)
                .filter(rule -> Wildcard.matches(rule.surface(), "path")
                        || Wildcard.matches(rule.surface(), "external_directory"));
        Stream<Rule> commands = plain ? Stream.empty() : live(rules);
        return Stream.concat(gates, commands).filter(rule -> rule.action() != PermissionState.ALLOW);
    }

    /** The rules for commands that some command can still reach: those after the last one for every command. */
    private static Stream<Rule> live(Ruleset rules) {
        List<Rule> reached = new ArrayList<>();
        for (Rule rule : rules.rules().reversed()) {
            if (rule.origin() != Rule.Origin.BUILTIN && Wildcard.matches(rule.surface(), Subject.BASH)) {
                reached.add(rule);
                if (rule.pattern().equals("*")) {
                    break;
                }
            }
        }
        return reached.stream();
    }
}
