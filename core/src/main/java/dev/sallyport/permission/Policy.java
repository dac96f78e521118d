package dev.sallyport.permission;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** permission.md 1.4 and 1.5: the scopes of a policy, merged in order of precedence, as one list of rules. */
public final class Policy {

    private static final List<String> MCP_BASELINE =
            List.of("mcp_status", "mcp_list", "mcp_search", "mcp_describe", "mcp_connect");

    private Policy() {}

    /** One scope and where it was written. */
    public record Scope(Rule.Origin origin, PermissionConfig config) {}

    /** Scopes from the lowest precedence to the highest. */
    public static Ruleset rules(List<Scope> scopes, HomeDirectory home) {
        PermissionConfig merged = PermissionConfig.EMPTY;
        Map<String, Map<String, Rule.Origin>> origins = new LinkedHashMap<>();
        for (Scope scope : scopes) {
            attribute(merged, scope, origins);
            merged = merged.mergedWith(scope.config());
        }
        List<Rule> config = configRules(merged, origins);
        List<Rule> rules = new ArrayList<>();
        rules.add(universal(merged, origins));
        if (config.stream().anyMatch(r -> r.surface().equals("mcp") && r.action() == PermissionState.ALLOW)) {
            MCP_BASELINE.forEach(target -> rules.add(
                    new Rule("mcp", target, PermissionState.ALLOW, Rule.Layer.BASELINE, Rule.Origin.BASELINE)));
        }
        rules.addAll(config);
        return new Ruleset(rules, home);
    }

    /** A string replaces all that was said about its surface; a map over a map adds to it. */
    private static void attribute(PermissionConfig below, Scope scope, Map<String, Map<String, Rule.Origin>> origins) {
        scope.config().surfaces().forEach((name, surface) -> {
            switch (surface) {
                case PermissionConfig.Surface.Uniform _ ->
                    origins.put(name, new LinkedHashMap<>(Map.of("*", scope.origin())));
                case PermissionConfig.Surface.Patterns(var entries) -> {
                    if (!(below.surfaces().get(name) instanceof PermissionConfig.Surface.Patterns)) {
                        origins.put(name, new LinkedHashMap<>());
                    }
                    Map<String, Rule.Origin> known = origins.computeIfAbsent(name, _ -> new LinkedHashMap<>());
                    entries.keySet().forEach(pattern -> known.put(pattern, scope.origin()));
                }
            }
        });
    }

    private static Rule universal(PermissionConfig merged, Map<String, Map<String, Rule.Origin>> origins) {
        if (merged.surfaces().get("*") instanceof PermissionConfig.Surface.Uniform(PermissionState state)) {
            return new Rule("*", "*", state, Rule.Layer.DEFAULT, origin(origins, "*", "*"));
        }
        return new Rule("*", "*", PermissionState.ASK, Rule.Layer.DEFAULT, Rule.Origin.BUILTIN);
    }

    private static List<Rule> configRules(PermissionConfig merged, Map<String, Map<String, Rule.Origin>> origins) {
        List<Rule> rules = new ArrayList<>();
        merged.surfaces().forEach((name, surface) -> {
            if (name.equals("*")) {
                return;
            }
            switch (surface) {
                case PermissionConfig.Surface.Uniform(PermissionState state) ->
                    rules.add(rule(name, "*", state, null, origins));
                case PermissionConfig.Surface.Patterns(var entries) ->
                    entries.forEach(
                            (pattern, entry) -> rules.add(rule(name, pattern, entry.state(), entry.reason(), origins)));
            }
        });
        return rules;
    }

    private static Rule rule(
            String surface,
            String pattern,
            PermissionState state,
            @Nullable String reason,
            Map<String, Map<String, Rule.Origin>> origins) {
        return new Rule(surface, pattern, state, reason, Rule.Layer.CONFIG, origin(origins, surface, pattern));
    }

    private static Rule.Origin origin(Map<String, Map<String, Rule.Origin>> origins, String surface, String pattern) {
        return origins.getOrDefault(surface, Map.of()).getOrDefault(pattern, Rule.Origin.GLOBAL);
    }
}
