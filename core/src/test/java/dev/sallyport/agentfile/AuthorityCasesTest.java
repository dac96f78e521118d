package dev.sallyport.agentfile;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.fail;

import dev.sallyport.invocation.Invocation;
import dev.sallyport.invocation.InvocationResolver;
import dev.sallyport.invocation.Resolved;
import dev.sallyport.invocation.Settings;
import dev.sallyport.invocation.SpawnCall;
import dev.sallyport.invocation.Turns;
import dev.sallyport.json.CanonicalJson;
import dev.sallyport.json.JsonObject;
import dev.sallyport.prompt.PromptMode;
import dev.sallyport.testing.CaseFiles;
import dev.sallyport.testing.CaseFiles.Case;
import dev.sallyport.toolscope.BuiltinTools;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
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
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The worked cases of authority.md, as far as they are about agent files, dispatch and invocation. */
class AuthorityCasesTest {

    private static final Set<String> COVERED = Set.of(
            "discovery",
            "frontmatter.split",
            "frontmatter.field",
            "frontmatter.document",
            "registry.overlay",
            "registry.defaults",
            "registry.builtins",
            "dispatch",
            "invocation",
            "turns.normalize");

    /** Areas whose subject is not built yet, and what it is. */
    private static final Map<String, String> LATER = Map.ofEntries(
            Map.entry("ext.canonicalName", "extensions"),
            Map.entry("ext.canonicalNames", "extensions"),
            Map.entry("ext.parseSelectors", "extensions"),
            Map.entry("ext.parseSpec", "extensions"),
            Map.entry("groupJoin", "batches"),
            Map.entry("invocation.joinMode", "batches"),
            Map.entry("manager", "resume and batches"),
            Map.entry("memory.block", "memory"),
            Map.entry("memory.dir", "memory"),
            Map.entry("memory.index", "memory"),
            Map.entry("memory.name", "memory"),
            Map.entry("memory.tools", "memory"),
            Map.entry("mention.assign", "mentions"),
            Map.entry("mention.describe", "mentions"),
            Map.entry("mention.handleBase", "mentions"),
            Map.entry("mention.parse", "mentions"),
            Map.entry("mention.stripAgent", "mentions"),
            Map.entry("mention.toType", "mentions"),
            Map.entry("model.default", "fuzzy model names"),
            Map.entry("model.enabledModels", "fuzzy model names"),
            Map.entry("model.resolve", "fuzzy model names"),
            Map.entry("model.scope", "fuzzy model names"),
            Map.entry("nested", "delegation by children"),
            Map.entry("nested.depthClamp", "delegation by children"),
            Map.entry("output.encodeCwd", "transcripts"),
            Map.entry("parentContext", "a parent's conversation"),
            Map.entry("prompt", "a parent's prompt, memory and skills in prompts"),
            Map.entry("registry.config", "extensions"),
            Map.entry("registry.toolsSuffix", "extensions"),
            Map.entry("schedule.detect", "schedules"),
            Map.entry("settings.field", "settings files"),
            Map.entry("settings.merge", "settings files"),
            Map.entry("skills", "skills"),
            Map.entry("statusNote", "resume and batches"),
            Map.entry("statusNote.partial", "resume and batches"),
            Map.entry("toggle", "editing agent files"),
            Map.entry("toggle.serialize", "editing agent files"),
            Map.entry("toggle.stub", "editing agent files"),
            Map.entry("toolScope", "extensions"),
            Map.entry("turns.effective", "a turn limit while a child runs"),
            Map.entry("turns.grace", "a turn limit while a child runs"),
            Map.entry("turns.run", "a turn limit while a child runs"),
            Map.entry("usage", "usage"),
            Map.entry("worktree", "clones; the gateway's"));

    @TempDir
    private Path root;

    @Test
    void everyAreaIsEitherCoveredOrNamedAsLater() {
        Set<String> areas =
                CaseFiles.authority().stream().map(Case::area).collect(Collectors.toCollection(TreeSet::new));

        Set<String> known = new TreeSet<>(COVERED);
        known.addAll(LATER.keySet());

        assertThat(areas).isEqualTo(known);
    }

    static Stream<Case> cases() {
        return CaseFiles.authority().stream().filter(c -> COVERED.contains(c.area()));
    }

    @ParameterizedTest
    @MethodSource("cases")
    void givesTheRightAnswer(Case c) throws IOException {
        Object actual = switch (c.area()) {
            case "discovery" -> discovery(c.input());
            case "frontmatter.split" -> split(c.input());
            case "frontmatter.field" -> field(c);
            case "frontmatter.document" -> document(c);
            case "registry.overlay" -> overlay(c.input());
            case "registry.defaults" -> defaults();
            case "registry.builtins" -> BuiltinTools.NAMES;
            case "dispatch" -> dispatch(c.input());
            case "invocation" -> invocation(c.input());
            case "turns.normalize" -> Turns.normalize(number(c.input(), "n"));
            default -> fail("no adapter for " + c.area());
        };

        assertThat(json(actual)).isEqualTo(json(c.expected()));
    }

    private Map<String, Object> discovery(JsonObject input) throws IOException {
        for (Object directory : input.list("directories")) {
            Files.createDirectories(path((String) directory));
        }
        for (var file : ((Map<?, ?>) input.required("files")).entrySet()) {
            write(path((String) file.getKey()), (String) file.getValue());
        }
        for (var link : ((Map<?, ?>) input.required("symlinks")).entrySet()) {
            Path at = path((String) link.getKey());
            Files.createDirectories(at.getParent());
            Files.createSymbolicLink(at, path((String) link.getValue()));
        }
        Map<String, Object> result = new LinkedHashMap<>();
        AgentRegistry registry = load();
        result.put(
                "agents", registry.definitions().stream().map(this::discovered).toList());
        result.put(
                "warnings",
                registry.warnings().stream()
                        .filter(warning -> !(warning instanceof LoadWarning.Field))
                        .map(this::warning)
                        .toList());
        return result;
    }

    private Map<String, Object> discovered(AgentDefinition definition) {
        Map<String, Object> json = new LinkedHashMap<>();
        json.put("key", definition.name());
        json.put("description", definition.description());
        json.put("source", source(definition));
        json.put("file", placeholder(Objects.requireNonNull(definition.path())));
        json.put("enabled", definition.enabled());
        json.put("model", definition.model());
        json.put("thinking", definition.thinking());
        json.put("maxTurns", definition.maxTurns());
        json.put("tools", Objects.requireNonNull(definition.tools()).size());
        return json;
    }

    private Map<String, Object> warning(LoadWarning warning) {
        return switch (warning) {
            case LoadWarning.Skipped skipped -> Map.of("kind", "skipped", "file", placeholder(skipped.path()));
            case LoadWarning.Substitution(String agent, String survivor) ->
                Map.of("kind", "substitution", "agent", agent, "survivor", placeholder(survivor));
            case LoadWarning.ReservedName reserved -> Map.of("kind", "reserved-name", "name", reserved.name());
            case LoadWarning.Field field -> fail(field.toString());
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

    private Map<String, Object> field(Case c) throws IOException {
        List<AgentDefinition> loaded = probe(c.input());
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

    private Map<String, Object> document(Case c) throws IOException {
        return Map.of("config", config(probe(c.input()).getFirst()));
    }

    private List<AgentDefinition> probe(JsonObject input) throws IOException {
        write(path("${CWD}/.pi/agents").resolve(input.text("filename")), input.text("content"));
        return load().definitions();
    }

    private static Map<String, Object> config(AgentDefinition definition) {
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

    private static Map<String, Object> invocation(JsonObject input) {
        JsonObject config = JsonObject.of("config", Objects.requireNonNullElse(input.optional("config"), Map.of()));
        JsonObject params = input.object("params");
        JsonObject opts = input.object("opts");
        AgentDefinition definition = AgentDefinition.named("probe")
                .model(config.optionalText("model"))
                .thinking(config.optionalText("thinking"))
                .maxTurns(number(config, "maxTurns"))
                .inheritContext((Boolean) config.optional("inheritContext"))
                .runInBackground((Boolean) config.optional("runInBackground"))
                .isolated((Boolean) config.optional("isolated"))
                .isolation(isolation(config.optionalText("isolation")))
                .build();
        SpawnCall call = SpawnCall.builder("probe")
                .model(params.optionalText("model"))
                .thinking(params.optionalText("thinking"))
                .maxTurns(number(params, "max_turns"))
                .inheritContext((Boolean) params.optional("inherit_context"))
                .runInBackground((Boolean) params.optional("run_in_background"))
                .isolated((Boolean) params.optional("isolated"))
                .isolation(params.optional("isolation") instanceof String word ? word : null)
                .build();
        Settings settings =
                new Settings(null, opts.flag("defaultRunInBackground"), opts.flag("worktreeAllowed"), null, 5);

        Invocation invocation = InvocationResolver.resolve(definition, call, settings, false);

        Map<String, Object> json = new LinkedHashMap<>();
        json.put("modelInput", value(invocation.model()));
        json.put(
                "modelFromParams",
                invocation.model() != null
                        && invocation.model().origin().layer() == dev.sallyport.provenance.Layer.CALL);
        json.put("thinking", value(invocation.thinking()));
        json.put("maxTurns", value(invocation.maxTurns()));
        json.put("inheritContext", invocation.inheritContext().value());
        json.put("runInBackground", invocation.runInBackground().value());
        json.put("isolated", invocation.isolated().value());
        json.put("isolation", invocation.worktree().value() ? "worktree" : null);
        return json;
    }

    private static @Nullable Isolation isolation(@Nullable String word) {
        return word == null ? null : Isolation.valueOf(word.toUpperCase(Locale.ROOT));
    }

    private static <T> @Nullable T value(@Nullable Resolved<T> resolved) {
        return resolved == null ? null : resolved.value();
    }

    private static @Nullable Double number(JsonObject json, String name) {
        return json.optional(name) instanceof Number number ? (Double) number.doubleValue() : null;
    }

    /** The cases follow every link and have no embedded agents. */
    private AgentRegistry load() {
        return new AgentFiles(AgentFiles.Symlinks.ANYWHERE).load(path("${AGENT_DIR}"), path("${CWD}"), false);
    }

    private Path path(String text) {
        return Path.of(text.replace("${AGENT_DIR}", "${ROOT}/home/.pi/agent")
                .replace("${CWD}", "${ROOT}/cwd")
                .replace("${ROOT}", root.toString()));
    }

    private String placeholder(String path) {
        return path.replace(path("${AGENT_DIR}").toString(), "${AGENT_DIR}")
                .replace(path("${CWD}").toString(), "${CWD}")
                .replace(root.toString(), "${ROOT}");
    }

    private static void write(Path file, String content) throws IOException {
        Files.createDirectories(file.getParent());
        Files.writeString(file, content);
    }

    private static String json(@Nullable Object value) {
        return CanonicalJson.write(withoutNulls(value));
    }

    private static @Nullable Object withoutNulls(@Nullable Object value) {
        return switch (value) {
            case Map<?, ?> members -> {
                Map<String, Object> present = new LinkedHashMap<>();
                members.forEach((key, member) -> {
                    if (member != null) {
                        present.put((String) key, withoutNulls(member));
                    }
                });
                yield present;
            }
            case List<?> items ->
                items.stream().map(AuthorityCasesTest::withoutNulls).toList();
            case null, default -> value;
        };
    }
}
