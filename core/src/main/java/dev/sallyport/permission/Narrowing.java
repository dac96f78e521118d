package dev.sallyport.permission;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Repository layers over operator policy (S2): a layer's own rule may make an answer stricter and never looser, whatever it
 * says and in whatever order the layers come.
 */
public final class Narrowing {

    private final Ruleset operator;
    private final List<Bound> bounds;

    public Narrowing(Ruleset operator, List<Layer> layers) {
        this.operator = operator;
        this.bounds = layers.stream()
                .map(layer -> new Bound(layer.origin(), rules(layer.config(), operator.home())))
                .toList();
    }

    /** What one repository file says; {@code origin} is where, as {@code path:line}. */
    public record Layer(String origin, PermissionConfig config) {}

    /** An answer; {@code layer} is the origin of the layer that decided, null for the operator's policy. */
    public record Outcome(
            PermissionState state, Rule rule, @Nullable String layer) {}

    private record Bound(String origin, Ruleset rules) {}

    public Outcome decide(String surface, String value) {
        return decide(surface, List.of(value));
    }

    /** The operator's answer about one thing with these names, narrowed by each layer that has a rule for it. */
    public Outcome decide(String surface, List<String> aliases) {
        Rule ruling = operator.decisive(surface, aliases);
        Outcome outcome = new Outcome(ruling.action(), ruling, null);
        for (Bound bound : bounds) {
            Rule own = bound.rules().decisive(surface, aliases);
            // BUILTIN is what nobody wrote: a layer that is silent narrows nothing.
            if (own.origin() != Rule.Origin.BUILTIN && outcome.state().looserThan(own.action())) {
                outcome = new Outcome(own.action(), own, bound.origin());
            }
        }
        return outcome;
    }

    private static Ruleset rules(PermissionConfig config, HomeDirectory home) {
        return Policy.rules(List.of(new Policy.Scope(Rule.Origin.AGENT, config)), home);
    }
}
