package dev.sallyport.authority;

import dev.sallyport.agentfile.AgentDefinition;
import dev.sallyport.agentfile.Inclusion;
import dev.sallyport.agentfile.SubagentPermission;
import dev.sallyport.json.JsonObject;
import dev.sallyport.memory.MemoryAccess;
import dev.sallyport.memory.MemoryDirectory;
import dev.sallyport.memory.MemoryScope;
import dev.sallyport.testing.CaseFiles.Case;
import dev.sallyport.testing.Scratch;
import dev.sallyport.toolscope.DelegationTools;
import dev.sallyport.toolscope.Extension;
import dev.sallyport.toolscope.ExtensionCases;
import dev.sallyport.toolscope.ScopeWarning;
import dev.sallyport.toolscope.ToolRules;
import dev.sallyport.toolscope.ToolScope;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** A child's tools from its file to its last turn, with the original's behaviour. */
public final class ToolScopeCases {

    private ToolScopeCases() {}

    public static Map<String, Function<Case, @Nullable Object>> areas() {
        return Map.of("toolScope", c -> Scratch.with(scratch -> scope(scratch, c.input())));
    }

    private static Map<String, Object> scope(Scratch scratch, JsonObject input) throws IOException {
        AgentDefinition agent = agent(scratch, input.object("agent"));
        boolean isolated = input.flag("isolatedOption");
        ToolRules rules = ToolRights.rules(
                agent,
                isolated,
                delegates(agent, input.optional("nestedRuntime")),
                List.of(),
                new ToolRights.Place(scratch.expanded("${HOME}"), scratch.expanded("${CWD}")),
                Compatibility.ALL);
        String unusable = agent.memory() == null ? null : unusableMemory(scratch, agent, agent.memory(), rules, input);
        if (unusable != null) {
            return Map.of("throws", true, "kind", unusable, "warnings", warnings(rules, List.of()));
        }
        Map<Extension, JsonObject> found = found(scratch, rules, input);
        ToolScope scope = new ToolScope(rules);
        List<Object> loaded = new ArrayList<>();
        found.forEach((extension, json) -> {
            if (scope.load(extension, texts(json, "tools"))) {
                loaded.add(extension.names());
            }
        });
        found.forEach(
                (extension, json) -> texts(json, "onSessionStart").forEach(tool -> scope.register(extension, tool)));
        scope.turnEnded();

        Map<String, Object> json = new LinkedHashMap<>();
        json.put("loaded", loaded);
        json.put("sessionTools", rules.live() ? null : theirs(rules.allowList()));
        json.put("sessionExcludeTools", rules.live() ? theirs(rules.denyList()) : null);
        json.put("customTools", rules.delegates() ? theirs(DelegationTools.NAMES) : List.of());
        json.put("active", theirs(scope.visible()));
        json.put("registry", theirs(scope.registered()));
        json.put("promptHasMemory", memory(agent, rules));
        json.put("late", late(input, found, scope));
        json.put("vetoed", vetoed(input, scope));
        json.put("warnings", warnings(rules, found.keySet()));
        return json;
    }

    /** The original cannot list and cancel children by tools. */
    private static List<String> theirs(Collection<String> tools) {
        return tools.stream()
                .filter(tool -> !tool.equals(DelegationTools.LIST) && !tool.equals(DelegationTools.CANCEL))
                .toList();
    }

    private static List<Map<String, Object>> warnings(ToolRules rules, Collection<Extension> found) {
        return ScopeWarning.of(rules, found).stream()
                .map(ToolScopeCases::warning)
                .toList();
    }

    private static @Nullable String unusableMemory(
            Scratch scratch, AgentDefinition agent, String scope, ToolRules rules, JsonObject input)
            throws IOException {
        for (JsonObject step : input.objects("setup")) {
            Path path = scratch.path(step.text(step.optional("mkdir") == null ? "symlink" : "mkdir"));
            Files.createDirectories(path.getParent());
            if (step.optional("mkdir") == null) {
                Files.createSymbolicLink(path, scratch.path(step.text("target")));
            } else {
                Files.createDirectories(path);
            }
        }
        MemoryDirectory directory;
        try {
            directory = MemoryDirectory.of(
                    MemoryScope.parse(scope),
                    agent.name(),
                    scratch.path("${HOME}"),
                    scratch.path("${AGENT_DIR}"),
                    scratch.path("${CWD}"));
        } catch (IllegalArgumentException unsafe) {
            return "unsafe-memory-name";
        }
        try {
            if (MemoryAccess.of(rules.tools(), rules.disallowed()) == MemoryAccess.READ_WRITE) {
                directory.create();
            }
        } catch (IOException link) {
            return "symlinked-memory-dir";
        }
        return null;
    }

    private static AgentDefinition agent(Scratch scratch, JsonObject json) {
        Object extensions = json.required("extensions");
        return AgentDefinition.named(Objects.requireNonNullElse(json.optionalText("name"), "probe"))
                .tools(list(json, "builtinToolNames"))
                .extSelectors(list(json, "extSelectors"))
                .disallowedTools(list(json, "disallowedTools"))
                .extensions(
                        extensions instanceof Boolean all
                                ? all ? new Inclusion.All() : new Inclusion.None()
                                : new Inclusion.Only(json.texts("extensions").stream()
                                        .map(scratch::expanded)
                                        .toList()))
                .excludeExtensions(list(json, "excludeExtensions"))
                .memory(json.optionalText("memory"))
                .allowedSubagents(json.optional("allowedSubagents") == null ? null : SubagentPermission.all())
                .build();
    }

    private static boolean delegates(AgentDefinition agent, @Nullable Object runtime) {
        if (runtime == null || agent.allowedSubagents() == null) {
            return false;
        }
        JsonObject json = JsonObject.of("nestedRuntime", runtime);
        int cap = json.optional("maxSubagentDepth") == null
                ? Delegation.DEFAULT_MAX_DEPTH
                : (int) json.integer("maxSubagentDepth");
        return new Delegation(agent.allowedSubagents(), (int) json.integer("depth"), cap, 1, false).mayDelegate();
    }

    private static Map<Extension, JsonObject> found(Scratch scratch, ToolRules rules, JsonObject input) {
        Map<Extension, JsonObject> found = new LinkedHashMap<>();
        for (String path : rules.extensions().getFirst().filter().paths()) {
            for (JsonObject json : input.objects("pathExtensions")) {
                if (scratch.expanded(json.text("path")).equals(path)) {
                    found.put(Extension.at(path, ExtensionCases::read), json);
                }
            }
        }
        for (JsonObject json : input.objects("discoveredExtensions")) {
            String file = json.optional("dir") == null ? "%s.ts" : "%s/index.ts";
            String path = scratch.expanded("${AGENT_DIR}/extensions/" + file.formatted(json.text("name")));
            found.put(Extension.at(path, ExtensionCases::read), json);
        }
        return found;
    }

    private static String memory(AgentDefinition agent, ToolRules rules) {
        if (agent.memory() == null) {
            return "none";
        }
        return MemoryAccess.of(rules.tools(), rules.disallowed()).wire();
    }

    private static @Nullable List<Object> late(JsonObject input, Map<Extension, JsonObject> found, ToolScope scope) {
        if (input.list("lateRegistrations").isEmpty()) {
            return null;
        }
        List<Object> late = new ArrayList<>();
        for (JsonObject registration : input.objects("lateRegistrations")) {
            String name = registration.text("ext");
            String tool = registration.text("tool");
            found.keySet().stream()
                    .filter(extension -> extension.names().contains(name))
                    .forEach(extension -> scope.register(extension, tool));
            Map<String, Object> json = new LinkedHashMap<>();
            json.put("ext", name);
            json.put("tool", tool);
            json.put("activeImmediately", theirs(scope.visible()));
            json.put("vetoedImmediately", !scope.permits(tool));
            scope.turnEnded();
            json.put("activeAfterTurnEnd", theirs(scope.visible()));
            late.add(json);
        }
        return late;
    }

    private static @Nullable Map<String, Object> vetoed(JsonObject input, ToolScope scope) {
        Map<String, Object> vetoed = new LinkedHashMap<>();
        input.texts("vetoProbes").forEach(tool -> vetoed.put(tool, !scope.permits(tool)));
        return vetoed.isEmpty() ? null : vetoed;
    }

    private static Map<String, Object> warning(ScopeWarning warning) {
        Map<String, Object> json = new LinkedHashMap<>();
        json.put("kind", warning.kind().name().toLowerCase(Locale.ROOT).replace('_', '-'));
        json.put("name", warning.name());
        return json;
    }

    private static @Nullable List<String> list(JsonObject json, String field) {
        return json.optional(field) == null ? null : json.texts(field);
    }

    private static List<String> texts(JsonObject json, String field) {
        return json.optional(field) == null ? List.of() : json.texts(field);
    }
}
