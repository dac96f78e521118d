package dev.sallyport.permission;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.fail;

import dev.sallyport.bash.CommentLines;
import dev.sallyport.json.CanonicalJson;
import dev.sallyport.json.JsonObject;
import dev.sallyport.testing.CaseFiles;
import dev.sallyport.testing.CaseFiles.Case;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The worked cases of permission.md, as far as no shell command must be taken apart. */
class PermissionCasesTest {

    private static final HomeDirectory HOME = new HomeDirectory("/home/agent");
    private static final String CWD = "/workspace/project";

    private static final Set<String> COVERED = Set.of(
            "home-expansion",
            "mcp-targets",
            "merge-origins",
            "merge-permissions",
            "normalize-rules",
            "path-values",
            "policy-check",
            "rule-evaluate",
            "rule-evaluate-any",
            "strip-bash-comments",
            "wildcard",
            "yolo-rewrite");

    /** Areas whose subject is not built yet, and what it is. */
    private static final Map<String, String> LATER = Map.ofEntries(
            Map.entry("agent-entries", "sessions of other hosts"),
            Map.entry("agent-tag", "sessions of other hosts"),
            Map.entry("arity-prefix", "suggested grants"),
            Map.entry("bash-decision", "shell commands"),
            Map.entry("bash-paths", "shell commands"),
            Map.entry("bash-token", "shell commands"),
            Map.entry("bash-units", "shell commands"),
            Map.entry("config-load", "policy files of a user and a project"),
            Map.entry("dialog", "texts of a dialog"),
            Map.entry("dialog-select", "texts of a dialog"),
            Map.entry("forward-dir", "forwarding through files"),
            Map.entry("forward-match", "forwarding through files"),
            Map.entry("forward-request-read", "forwarding through files"),
            Map.entry("forward-response-read", "forwarding through files"),
            Map.entry("forward-serve", "forwarding through files"),
            Map.entry("forward-session-id", "forwarding through files"),
            Map.entry("forward-target", "forwarding through files"),
            Map.entry("frontmatter", "policy in agent files of other hosts"),
            Map.entry("gate-pipeline", "shell commands"),
            Map.entry("grant-bash", "suggested grants"),
            Map.entry("grant-label", "suggested grants"),
            Map.entry("grant-mcp", "suggested grants"),
            Map.entry("grant-path", "suggested grants"),
            Map.entry("grant-scope-labels", "suggested grants"),
            Map.entry("infra-read", "policy files of a user and a project"),
            Map.entry("merge-config", "policy files of a user and a project"),
            Map.entry("messages", "texts of a dialog"),
            Map.entry("path-symlink", "paths of the host"),
            Map.entry("permissive-bash-warning", "policy files of a user and a project"),
            Map.entry("prompt-skills", "skills"),
            Map.entry("prompt-tools", "texts of a dialog"),
            Map.entry("resolution", "texts of a dialog"),
            Map.entry("rule-evaluate-first", "replaced: names of an MCP call count together (B-7)"),
            Map.entry("rule-most-restrictive", "shell commands"),
            Map.entry("shell-invocation", "shell commands"),
            Map.entry("skill-input", "skills"),
            Map.entry("skill-input-name", "skills"),
            Map.entry("strip-comments", "policy files of a user and a project"),
            Map.entry("subagent-detect", "sessions of other hosts"),
            Map.entry("tool-level", "policy that hides tools from a model"),
            Map.entry("tool-registration", "extensions"));

    /** Cases that record a weakness, and the state that is right. */
    private static final Map<String, String> HARDENED = Map.of(
            "mcp star allow shadows a server deny", "deny",
            "session grant beats config deny", "deny",
            "surface-level action object is not a deny-all", "ask");

    @Test
    void everyAreaIsEitherCoveredOrNamedAsLater() {
        Set<String> areas =
                CaseFiles.permission().stream().map(Case::area).collect(Collectors.toCollection(TreeSet::new));

        Set<String> known = new TreeSet<>(COVERED);
        known.addAll(LATER.keySet());

        assertThat(areas).isEqualTo(known);
    }

    static Stream<Case> cases() {
        return CaseFiles.permission().stream()
                .filter(c -> COVERED.contains(c.area()))
                // Children run on Linux only.
                .filter(c -> !c.name().startsWith("windows fold"));
    }

    @ParameterizedTest
    @MethodSource("cases")
    void givesTheRightAnswer(Case c) {
        Object actual = switch (c.area()) {
            case "wildcard" ->
                Wildcard.matches(
                        HOME.expand(c.input().text("pattern")), c.input().text("value"));
            case "home-expansion" ->
                new HomeDirectory(c.input().text("home")).expand(c.input().text("value"));
            case "rule-evaluate" -> evaluate(c.input());
            case "rule-evaluate-any" -> evaluateAny(c.input());
            case "merge-permissions" -> merge(c.input());
            case "merge-origins" -> mergeOrigins(c.input());
            case "normalize-rules" -> normalize(c.input());
            case "policy-check" -> check(c);
            case "yolo-rewrite" -> yolo(c.input());
            case "strip-bash-comments" -> CommentLines.strip(c.input().text("command"));
            case "mcp-targets" ->
                McpTargets.of(c.input().optional("input"), c.input().texts("servers"));
            case "path-values" -> path(c);
            default -> fail("no adapter for " + c.area());
        };

        assertThat(CanonicalJson.write(actual)).isEqualTo(CanonicalJson.write(expected(c)));
    }

    private static @Nullable Object expected(Case c) {
        String hardened = HARDENED.get(c.name());
        if (hardened == null) {
            assertThat(c.recommended())
                    .as("a weakness without its right answer")
                    .isNull();
            return c.expected();
        }
        return Map.of("state", hardened);
    }

    private static Map<String, Object> evaluate(JsonObject input) {
        Rule rule = new Ruleset(rules(input)).decisive(input.text("surface"), input.text("value"));
        return Map.of(
                "action",
                rule.action().wire(),
                "pattern",
                rule.pattern(),
                "origin",
                rule.origin().wire());
    }

    private static Map<String, Object> evaluateAny(JsonObject input) {
        Check check = Check.of(new Ruleset(rules(input), HOME), input.text("surface"), input.texts("values"));
        return Map.of("action", check.state().wire(), "pattern", check.rule().pattern(), "value", check.value());
    }

    private static List<Rule> rules(JsonObject input) {
        return input.objects("rules").stream()
                .map(rule -> new Rule(
                        rule.text("surface"),
                        rule.text("pattern"),
                        PermissionState.parse(rule.text("action")).orElseThrow(),
                        Rule.Layer.valueOf(rule.text("layer").toUpperCase(Locale.ROOT)),
                        Rule.Origin.valueOf(
                                rule.text("origin").toUpperCase(Locale.ROOT).replace('-', '_'))))
                .toList();
    }

    private static Map<String, Object> merge(JsonObject input) {
        Map<String, Object> merged = config(input.required("base"))
                .mergedWith(config(input.required("override")))
                .toJson();
        Map<String, Object> order = new LinkedHashMap<>();
        merged.forEach((surface, value) ->
                order.put(surface, value instanceof Map<?, ?> map ? List.copyOf(map.keySet()) : null));
        return Map.of("merged", merged, "order", order);
    }

    private static PermissionConfig config(@Nullable Object value) {
        PermissionConfig.Parsed parsed = PermissionConfig.parse(value);
        assertThat(parsed.problems()).isEmpty();
        return parsed.config();
    }

    private static Map<String, Object> mergeOrigins(JsonObject input) {
        List<Policy.Scope> scopes = new ArrayList<>();
        PermissionConfig merged = PermissionConfig.EMPTY;
        for (Object pair : input.list("scopes")) {
            List<?> scope = (List<?>) pair;
            PermissionConfig config =
                    config(JsonObject.of("scope", scope.getLast()).optional("permission"));
            scopes.add(new Policy.Scope(
                    Rule.Origin.valueOf(((String) scope.getFirst()).toUpperCase(Locale.ROOT)), config));
            merged = merged.mergedWith(config);
        }
        Map<String, Map<String, String>> origins = new LinkedHashMap<>();
        for (Rule rule : Policy.rules(scopes, HOME).rules()) {
            if (rule.layer() == Rule.Layer.CONFIG) {
                origins.computeIfAbsent(rule.surface(), _ -> new LinkedHashMap<>())
                        .put(rule.pattern(), rule.origin().wire());
            }
        }
        return Map.of("merged", merged.toJson(), "origins", origins);
    }

    private static List<Object> normalize(JsonObject input) {
        PermissionConfig config =
                PermissionConfig.parse(input.required("permission")).wellFormed();
        return Policy.rules(List.of(new Policy.Scope(Rule.Origin.GLOBAL, config)), HOME).rules().stream()
                .filter(rule -> rule.layer() == Rule.Layer.CONFIG)
                .<Object>map(rule -> {
                    Map<String, Object> json = new LinkedHashMap<>();
                    json.put("surface", rule.surface());
                    json.put("pattern", rule.pattern());
                    json.put("action", rule.action().wire());
                    if (rule.reason() != null) {
                        json.put("reason", rule.reason());
                    }
                    return json;
                })
                .toList();
    }

    private static List<Object> yolo(JsonObject input) {
        return new Ruleset(rules(input))
                .yolo().rules().stream()
                        .<Object>map(rule -> Map.of(
                                "surface", rule.surface(),
                                "pattern", rule.pattern(),
                                "action", rule.action().wire(),
                                "origin", rule.origin().wire()))
                        .toList();
    }

    private static Map<String, Object> check(Case c) {
        JsonObject query = c.input().object("query");
        String surface = query.text("surface");
        JsonObject input = JsonObject.of("input", Objects.requireNonNullElse(query.optional("input"), Map.of()));
        String command = input.optionalText("command");
        List<String> servers =
                c.input().optional("mcpServers") == null ? List.of() : c.input().texts("mcpServers");
        List<String> names = switch (surface) {
            case "bash" -> List.of(CommentLines.matched(Objects.requireNonNull(command)));
            case "mcp" -> {
                List<String> targets = new ArrayList<>(McpTargets.of(query.optional("input"), servers));
                targets.add("mcp");
                yield targets;
            }
            case "skill" -> List.of(Objects.requireNonNullElse(input.optionalText("name"), "*"));
            default -> {
                String path = query.optionalText("path");
                yield path == null ? List.of() : PathValue.of(path, CWD, HOME).aliases();
            }
        };
        Ruleset rules = policy(c.input(), query.optionalText("agentName")).and(grants(c.input()));
        Check check = Check.of(Boolean.TRUE.equals(c.input().optional("yolo")) ? rules.yolo() : rules, surface, names);
        if (HARDENED.containsKey(c.name())) {
            return Map.of("state", check.state().wire());
        }
        Map<String, Object> json = new LinkedHashMap<>();
        json.put("toolName", surface);
        json.put("state", check.state().wire());
        putIfPresent(json, "reason", check.rule().reason());
        putIfPresent(json, "matchedPattern", check.matchedPattern());
        json.put("source", check.source().wire());
        json.put("origin", check.rule().origin().wire());
        putIfPresent(json, "command", command);
        putIfPresent(json, "target", surface.equals("mcp") ? check.value() : null);
        return json;
    }

    private static void putIfPresent(Map<String, Object> json, String name, @Nullable Object value) {
        if (value != null) {
            json.put(name, value);
        }
    }

    private static Ruleset policy(JsonObject input, @Nullable String agent) {
        JsonObject scopes = input.object("scopes");
        List<Policy.Scope> layers = new ArrayList<>();
        layers.add(new Policy.Scope(Rule.Origin.GLOBAL, scope(scopes.optional("global"))));
        layers.add(new Policy.Scope(Rule.Origin.PROJECT, scope(scopes.optional("project"))));
        layers.add(new Policy.Scope(Rule.Origin.AGENT, scope(agentScope(scopes.optional("agents"), agent))));
        layers.add(new Policy.Scope(
                Rule.Origin.PROJECT_AGENT, scope(agentScope(scopes.optional("projectAgents"), agent))));
        return Policy.rules(layers, HOME);
    }

    private static @Nullable Object agentScope(@Nullable Object agents, @Nullable String agent) {
        return agents instanceof Map<?, ?> byName && agent != null ? byName.get(agent) : null;
    }

    private static PermissionConfig scope(@Nullable Object value) {
        return PermissionConfig.parse(value).config();
    }

    private static List<Rule> grants(JsonObject input) {
        return input.optional("sessionGrants") == null
                ? List.of()
                : input.objects("sessionGrants").stream()
                        .map(grant -> new Rule(
                                grant.text("surface"),
                                grant.text("pattern"),
                                PermissionState.ALLOW,
                                Rule.Layer.SESSION,
                                Rule.Origin.SESSION))
                        .toList();
    }

    private static Map<String, Object> path(Case c) {
        String directory = c.input().text("cwd");
        PathValue value = PathValue.of(c.input().text("value"), directory, HOME);
        Map<String, Object> json = new LinkedHashMap<>();
        json.put("matchValues", value.aliases());
        json.put("display", value.display());
        json.put("boundary", value.display());
        json.put("outside", value.isOutside(directory));
        // The case names what it is about.
        json.keySet().retainAll(((Map<?, ?>) Objects.requireNonNull(c.expected())).keySet());
        return json;
    }
}
