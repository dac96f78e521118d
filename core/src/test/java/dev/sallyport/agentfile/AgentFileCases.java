package dev.sallyport.agentfile;

import static org.assertj.core.api.Assertions.fail;

import dev.sallyport.json.JsonObject;
import dev.sallyport.prompt.PromptMode;
import dev.sallyport.testing.CaseFiles.Case;
import dev.sallyport.testing.Scratch;
import dev.sallyport.toolscope.BuiltinTools;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Agent files, registry and dispatch. */
public final class AgentFileCases {

    private AgentFileCases() {}

    public static Map<String, Function<Case, @Nullable Object>> areas() {
        Map<String, Function<Case, @Nullable Object>> areas = new HashMap<>(Map.of(
                "discovery",
                c -> Scratch.with(scratch -> discovery(scratch, c.input())),
                "frontmatter.split",
                c -> split(c.input()),
                "frontmatter.field",
                c -> Scratch.with(scratch -> field(scratch, c)),
                "frontmatter.document",
                c -> Scratch.with(scratch -> document(scratch, c)),
                "registry.overlay",
                c -> overlay(c.input()),
                "registry.defaults",
                _ -> defaults(),
                "registry.builtins",
                _ -> BuiltinTools.NAMES,
                "dispatch",
                c -> dispatch(c.input())));
        areas.put("registry.config", c -> shown(c.input()));
        areas.put(
                "registry.toolsSuffix", c -> label(definition("probe", c.input().object("config"))));
        areas.put("toggle", c -> toggle(c.input().text("content")));
        areas.put("toggle.stub", c -> AgentFileText.isEmptyStub(c.input().text("content")));
        areas.put(
                "toggle.serialize",
                c -> Map.of(
                        "text",
                        AgentFileText.render(
                                definition("probe", c.input().object("config")),
                                AgentFileText.Detail.AS_THE_ORIGINAL)));
        return areas;
    }

    private static Map<String, Object> discovery(Scratch scratch, JsonObject input) throws IOException {
        for (Object directory : input.list("directories")) {
            Files.createDirectories(scratch.path((String) directory));
        }
        for (var file : ((Map<?, ?>) input.required("files")).entrySet()) {
            scratch.write((String) file.getKey(), (String) file.getValue());
        }
        for (var link : ((Map<?, ?>) input.required("symlinks")).entrySet()) {
            Path at = scratch.path((String) link.getKey());
            Files.createDirectories(at.getParent());
            Files.createSymbolicLink(at, scratch.path((String) link.getValue()));
        }
        Map<String, Object> result = new LinkedHashMap<>();
        AgentRegistry registry = load(scratch);
        result.put(
                "agents",
                registry.definitions().stream()
                        .map(definition -> discovered(scratch, definition))
                        .toList());
        result.put(
                "warnings",
                registry.warnings().stream()
                        .filter(warning -> !warning.kind().equals("field"))
                        .map(warning -> warning(scratch, warning))
                        .toList());
        return result;
    }

    private static Map<String, Object> discovered(Scratch scratch, AgentDefinition definition) {
        Map<String, Object> json = new LinkedHashMap<>();
        json.put("key", definition.name());
        json.put("description", definition.description());
        json.put("source", source(definition));
        json.put("file", scratch.placeholder(Objects.requireNonNull(definition.path())));
        json.put("enabled", definition.enabled());
        json.put("model", definition.model());
        json.put("thinking", definition.thinking());
        json.put("maxTurns", definition.maxTurns());
        json.put("tools", Objects.requireNonNull(definition.tools()).size());
        return json;
    }

    private static Map<String, Object> warning(Scratch scratch, LoadWarning warning) {
        return switch (warning) {
            case LoadWarning.Skipped skipped -> Map.of("kind", "skipped", "file", scratch.placeholder(skipped.path()));
            case LoadWarning.Substitution(String agent, String survivor) ->
                Map.of("kind", "substitution", "agent", agent, "survivor", scratch.placeholder(survivor));
            case LoadWarning.ReservedName reserved -> Map.of("kind", "reserved-name", "name", reserved.name());
            case LoadWarning.Conflict _, LoadWarning.UnknownField _, LoadWarning.Field _ -> fail(warning.toString());
        };
    }

    private static Map<String, Object> split(JsonObject input) {
        try {
            FrontMatter matter = FrontMatter.split(input.text("content"));
            return Map.of("frontmatter", matter.value(), "body", matter.body());
        } catch (YamlDocument.MalformedException e) {
            return Map.of("error", true);
        }
    }

    private static Map<String, Object> field(Scratch scratch, Case c) throws IOException {
        List<AgentDefinition> loaded = probe(scratch, c.input());
        Map<String, Object> actual = new LinkedHashMap<>();
        actual.put("loaded", !loaded.isEmpty());
        if (!loaded.isEmpty()) {
            Map<String, Object> config = config(loaded.getFirst());
            config.put("key", loaded.getFirst().name());
            // The case names the fields that it is about.
            ((Map<?, ?>) Objects.requireNonNull(c.expected()))
                    .keySet().stream()
                            .filter(name -> !name.equals("loaded"))
                            .forEach(name -> actual.put((String) name, config.get((String) name)));
        }
        return actual;
    }

    private static Map<String, Object> document(Scratch scratch, Case c) throws IOException {
        return Map.of("config", config(probe(scratch, c.input()).getFirst()));
    }

    private static List<AgentDefinition> probe(Scratch scratch, JsonObject input) throws IOException {
        scratch.write("${CWD}/.pi/agents/" + input.text("filename"), input.text("content"));
        return load(scratch).definitions();
    }

    static Map<String, Object> config(AgentDefinition definition) {
        Map<String, Object> json = new LinkedHashMap<>();
        json.put("name", definition.name());
        json.put("displayName", definition.displayName());
        json.put("color", definition.color());
        json.put("description", definition.description());
        json.put("builtinToolNames", definition.tools());
        json.put("extSelectors", definition.extSelectors());
        json.put("disallowedTools", definition.disallowedTools());
        json.put("extensions", inclusion(definition.extensions()));
        json.put("excludeExtensions", definition.excludeExtensions());
        json.put("skills", inclusion(definition.skills()));
        json.put("model", definition.model());
        json.put("thinking", definition.thinking());
        Double turns = definition.maxTurns();
        json.put("maxTurns", turns != null && turns.isInfinite() ? "Infinity" : turns);
        json.put("persistSession", definition.persistSession());
        json.put("outputTranscript", definition.outputTranscript());
        json.put("sessionDir", definition.sessionDir());
        json.put(
                "allowedSubagents",
                switch (definition.allowedSubagents()) {
                    case null -> null;
                    case SubagentPermission.All _ -> "all";
                    case SubagentPermission.Only(List<String> names) -> names;
                });
        json.put("promptMode", definition.promptMode().wire());
        json.put("inheritContext", definition.inheritContext());
        json.put("runInBackground", definition.runInBackground());
        json.put("isolated", definition.isolated());
        json.put("memory", definition.memory());
        json.put(
                "isolation",
                definition.isolation() == null
                        ? null
                        : definition.isolation().name().toLowerCase(Locale.ROOT));
        json.put("enabled", definition.enabled());
        json.put("systemPrompt", definition.systemPrompt());
        json.put("source", source(definition));
        return json;
    }

    private static Object inclusion(Inclusion inclusion) {
        return switch (inclusion) {
            case Inclusion.All _ -> true;
            case Inclusion.None _ -> false;
            case Inclusion.Only(List<String> names) -> names;
        };
    }

    private static @Nullable String source(AgentDefinition definition) {
        return definition.source() == AgentDefinition.Source.EMBEDDED
                ? null
                : definition.source().name().toLowerCase(Locale.ROOT);
    }

    private static Map<String, Object> overlay(JsonObject input) {
        AgentRegistry registry = registry(input, "users");
        Map<Boolean, List<String>> byOrigin = registry.definitions().stream()
                .collect(Collectors.partitioningBy(
                        EmbeddedAgents.ALL::contains, Collectors.mapping(AgentDefinition::name, Collectors.toList())));
        return Map.of(
                "keys",
                registry.keys(),
                "available",
                registry.available(),
                "defaultNames",
                byOrigin.get(true),
                "userNames",
                byOrigin.get(false));
    }

    private static List<Object> defaults() {
        List<Object> agents = new ArrayList<>();
        for (AgentDefinition definition : AgentRegistry.of(List.of()).definitions()) {
            Map<String, Object> config = config(definition);
            Map<String, Object> json = new LinkedHashMap<>();
            json.put("key", definition.name());
            for (String name : List.of(
                    "displayName",
                    "builtinToolNames",
                    "extensions",
                    "skills",
                    "model",
                    "promptMode",
                    "inheritContext",
                    "runInBackground",
                    "isolated",
                    "thinking",
                    "maxTurns",
                    "source")) {
                json.put(name, config.get(name));
            }
            json.put("emptyBody", definition.systemPrompt().isEmpty());
            json.put("isDefault", EmbeddedAgents.ALL.contains(definition));
            agents.add(json);
        }
        return agents;
    }

    private static Map<String, Object> dispatch(JsonObject input) {
        AgentRegistry registry = registry(input, "agents");
        // Anything but text is a request for nothing.
        String requested = input.optional("requested") instanceof String text ? text : null;
        Map<String, Object> json = new LinkedHashMap<>();
        switch (registry.dispatch(requested, input.optionalText("fallbackSubagent"))) {
            case Dispatch.To(String key, String fellBackFrom) -> {
                json.put("ok", true);
                json.put("type", key);
                json.put("fellBackFrom", fellBackFrom);
            }
            case Dispatch.Refused refused -> {
                json.put("ok", false);
                json.put(
                        "cause", refused.cause().name().toLowerCase(Locale.ROOT).replace('_', '-'));
                json.put("badFallback", refused.badFallback());
                json.put(
                        "available", refused.available().isEmpty() ? "(none)" : String.join(", ", refused.available()));
            }
        }
        json.put("strict", registry.enabledKey(requested).orElse(null));
        return json;
    }

    private static AgentRegistry registry(JsonObject input, String users) {
        List<AgentDefinition> definitions = input.objects(users).stream()
                .map(user -> AgentDefinition.named(user.text("name"))
                        .enabled(!Boolean.FALSE.equals(user.optional("enabled")))
                        .promptMode(PromptMode.REPLACE)
                        .build())
                .toList();
        return AgentRegistry.of(definitions, !input.flag("disableDefaults"), List.of(), List.of());
    }

    private static Map<String, Object> shown(JsonObject input) {
        AgentRegistry registry = AgentRegistry.of(
                input.objects("users").stream()
                        .map(user -> definition(user.text("name"), user))
                        .toList(),
                !input.flag("disableDefaults"),
                List.of(),
                List.of());
        String type = input.text("type");
        AgentDefinition definition = registry.shown(type);
        Optional<String> key = registry.looseKey(type);
        boolean valid = key.filter(registry.available()::contains).isPresent();
        Map<String, Object> json = new LinkedHashMap<>();
        json.put("displayName", Objects.requireNonNullElse(definition.displayName(), definition.name()));
        json.put("tools", definition.toolNames());
        json.put("extensions", inclusion(definition.extensions()));
        json.put("skills", inclusion(definition.skills()));
        json.put("promptMode", definition.promptMode().wire());
        json.put("toolNamesForType", valid ? definition.toolNames() : BuiltinTools.NAMES);
        json.put("valid", valid);
        json.put("looseKey", key.orElse(null));
        return json;
    }

    private static String label(AgentDefinition definition) {
        return BuiltinTools.label(
                definition.tools(),
                !(definition.extensions() instanceof Inclusion.None) && !Boolean.TRUE.equals(definition.isolated()));
    }

    private static Map<String, Object> toggle(String content) {
        AgentFileText.Edit disabled = AgentFileText.disable(content);
        AgentFileText.Edit enabled = AgentFileText.enable(content);
        return Map.of(
                "isDisabled",
                AgentFileText.isDisabled(content),
                "disable",
                Map.of(
                        "content",
                        disabled.content(),
                        "outcome",
                        disabled.outcome().name().toLowerCase(Locale.ROOT).replace('_', '-')),
                "enable",
                Map.of("content", enabled.content(), "changed", enabled.outcome() == AgentFileText.Outcome.ENABLED),
                "stubAfterEnable",
                AgentFileText.isEmptyStub(enabled.content()));
    }

    private static AgentDefinition definition(String name, JsonObject json) {
        Object subagents = json.optional("allowedSubagents");
        return AgentDefinition.named(name)
                .displayName(json.optionalText("displayName"))
                .description(json.optionalText("description"))
                .color(json.optionalText("color"))
                .tools(texts(json, "builtinToolNames"))
                .extSelectors(texts(json, "extSelectors"))
                .disallowedTools(texts(json, "disallowedTools"))
                .extensions(inclusion(json, "extensions"))
                .excludeExtensions(texts(json, "excludeExtensions"))
                .skills(inclusion(json, "skills"))
                .model(json.optionalText("model"))
                .thinking(json.optionalText("thinking"))
                .maxTurns(json.optional("maxTurns") == null ? null : (Double) json.number("maxTurns"))
                .persistSession((Boolean) json.optional("persistSession"))
                .outputTranscript((Boolean) json.optional("outputTranscript"))
                .sessionDir(json.optionalText("sessionDir"))
                .allowedSubagents(
                        subagents == null
                                ? null
                                : subagents.equals("all")
                                        ? SubagentPermission.all()
                                        : new SubagentPermission.Only(json.texts("allowedSubagents")))
                .promptMode("append".equals(json.optional("promptMode")) ? PromptMode.APPEND : PromptMode.REPLACE)
                .inheritContext((Boolean) json.optional("inheritContext"))
                .runInBackground((Boolean) json.optional("runInBackground"))
                .isolated((Boolean) json.optional("isolated"))
                .memory(json.optionalText("memory"))
                .isolation(
                        json.optional("isolation") == null
                                ? null
                                : Isolation.valueOf(json.text("isolation").toUpperCase(Locale.ROOT)))
                .enabled(!Boolean.FALSE.equals(json.optional("enabled")))
                .systemPrompt(Objects.requireNonNullElse(json.optionalText("systemPrompt"), ""))
                .build();
    }

    private static Inclusion inclusion(JsonObject json, String field) {
        return switch (json.optional(field)) {
            case Boolean all when !all -> new Inclusion.None();
            case List<?> _ -> new Inclusion.Only(json.texts(field));
            case null, default -> new Inclusion.All();
        };
    }

    private static @Nullable List<String> texts(JsonObject json, String field) {
        return json.optional(field) == null ? null : json.texts(field);
    }

    /** The cases follow every link and have no embedded agents. */
    private static AgentRegistry load(Scratch scratch) {
        return new AgentFiles(AgentFiles.Leniency.ALL)
                .load(scratch.path("${AGENT_DIR}"), scratch.path("${CWD}"), false)
                .trusting(ProjectTrust.State.TRUSTED);
    }
}
