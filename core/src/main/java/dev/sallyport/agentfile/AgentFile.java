package dev.sallyport.agentfile;

import dev.sallyport.containment.Budgets;
import dev.sallyport.containment.CredentialScope;
import dev.sallyport.containment.Harness;
import dev.sallyport.containment.Limits;
import dev.sallyport.containment.NetworkPolicy;
import dev.sallyport.containment.RuntimeClass;
import dev.sallyport.containment.WorkspaceAccess;
import dev.sallyport.json.Digests;
import dev.sallyport.permission.PermissionConfig;
import dev.sallyport.permission.PermissionProblem;
import dev.sallyport.prompt.PromptMode;
import dev.sallyport.text.Nearest;
import dev.sallyport.text.VisibleText;
import dev.sallyport.toolscope.BuiltinTools;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** From the text of one agent file to its definition (authority.md 2). */
final class AgentFile {

    private static final Set<String> KNOWN = new LinkedHashSet<>(List.of(
            "name",
            "display_name",
            "color",
            "description",
            "tools",
            "disallowed_tools",
            "extensions",
            "inherit_extensions",
            "exclude_extensions",
            "skills",
            "inherit_skills",
            "model",
            "thinking",
            "max_turns",
            "persist_session",
            "output_transcript",
            "session_dir",
            "allowed_subagents",
            "prompt_mode",
            "inherit_context",
            "run_in_background",
            "isolated",
            "memory",
            "isolation",
            "enabled",
            "context",
            "allowedContexts",
            "hidden",
            "sandbox",
            "budgets",
            "permission"));

    private static final List<String> SANDBOX =
            List.of("workspace", "network", "credentials", "limits", "runtime", "harness");

    private static final String FRESH = "fresh";
    private static final String INHERIT = "inherit";

    private static final int MAX_NAME = 200;

    private static final Pattern NAME = Pattern.compile("[A-Za-z0-9][A-Za-z0-9._-]{0,62}");

    private static final List<String> FLAGS = List.of(
            "persist_session",
            "output_transcript",
            "inherit_context",
            "run_in_background",
            "isolated",
            "enabled",
            "hidden");

    private final String path;
    private final FrontMatter matter;
    private final List<LoadWarning> warnings;

    private AgentFile(String path, FrontMatter matter, List<LoadWarning> warnings) {
        this.path = path;
        this.matter = matter;
        this.warnings = warnings;
    }

    /** A file that cannot be used; the message begins with {@code path} or {@code path:line}. */
    static final class UnusableException extends Exception {

        private static final long serialVersionUID = 1;

        UnusableException(String message) {
            super(message);
        }
    }

    /** Null for a file whose name is reserved; that is a warning and no error. */
    static @Nullable AgentDefinition read(
            String path,
            String fileName,
            String content,
            AgentDefinition.Source source,
            boolean anyName,
            List<LoadWarning> warnings)
            throws UnusableException {
        FrontMatter matter;
        try {
            matter = FrontMatter.split(content);
        } catch (YamlDocument.MalformedException e) {
            throw new UnusableException("%s:%d: %s".formatted(path, e.line(), e.problem()));
        }
        AgentFile file = new AgentFile(path, matter, warnings);
        String declared = file.text("name");
        String name = declared == null ? "" : Scalars.trim(declared);
        if (name.contains(":")) {
            warnings.add(new LoadWarning.ReservedName(path, name));
            return null;
        }
        String key = name.isEmpty() ? fileName : name;
        // A name is asked for, listed and shown: it must look like what it is (T67, T68).
        if (!anyName && !NAME.matcher(key).matches()) {
            throw new UnusableException(
                    "%s: name `%s` (expected: 1 to 63 of A-Z a-z 0-9 . _ -, first a letter or digit; compatibility: any-agent-name)"
                            .formatted(file.location("name"), shortened(key)));
        }
        if (key.length() > MAX_NAME || !VisibleText.line(key).equals(key)) {
            throw new UnusableException(
                    "%s: name with invisible characters or longer than %d".formatted(file.location("name"), MAX_NAME));
        }
        file.warnAboutUnknownKeys();
        file.warnAboutValues();
        return file.definition(key)
                .readFrom(source, path, Digests.sha256(content.getBytes(StandardCharsets.UTF_8)), matter.lines())
                .build();
    }

    private AgentDefinition.Builder definition(String name) throws UnusableException {
        Tools tools = tools();
        return AgentDefinition.named(name)
                .displayName(text("display_name"))
                .description(text("description"))
                .color(text("color"))
                .tools(tools.plain())
                .extSelectors(tools.selectors())
                .disallowedTools(Scalars.items(value("disallowed_tools")))
                .extensions(inclusion("extensions", "inherit_extensions"))
                .excludeExtensions(Scalars.items(value("exclude_extensions")))
                .skills(inclusion("skills", "inherit_skills"))
                .model(text("model"))
                .thinking(text("thinking"))
                .maxTurns(
                        value("max_turns") instanceof Number turns && turns.doubleValue() >= 0
                                ? (Double) turns.doubleValue()
                                : null)
                .persistSession(lock("persist_session"))
                .outputTranscript(
                        value("output_transcript") == null ? null : !Boolean.FALSE.equals(value("output_transcript")))
                .sessionDir(text("session_dir"))
                .allowedSubagents(subagents())
                .promptMode("append".equals(value("prompt_mode")) ? PromptMode.APPEND : PromptMode.REPLACE)
                .inheritContext(inheritContext())
                .runInBackground(lock("run_in_background"))
                .isolated(lock("isolated"))
                .memory(
                        value("memory") instanceof String scope
                                        && Set.of("user", "project", "local").contains(scope)
                                ? scope
                                : null)
                .isolation(isolation())
                .enabled(!Boolean.FALSE.equals(value("enabled")))
                .hidden(Boolean.TRUE.equals(value("hidden")))
                .systemPrompt(Scalars.trim(matter.body()))
                .sandbox(sandbox())
                .budgets(texts("budgets", value("budgets"), Budgets.KEYS, Budgets::parse))
                .permission(permission());
    }

    private @Nullable Object value(String key) {
        return matter.get(key);
    }

    private @Nullable String text(String key) {
        return value(key) instanceof String text ? text : null;
    }

    /** Null leaves it to the caller; anything but {@code true} is a lock to false, whatever it is. */
    private @Nullable Boolean lock(String key) {
        Object value = value(key);
        return value == null ? null : (Boolean) Boolean.TRUE.equals(value);
    }

    /** {@code inherit_context}, else {@code context}, else what {@code allowedContexts} leaves; null leaves it to the caller. */
    private @Nullable Boolean inheritContext() throws UnusableException {
        List<String> allowed = words("allowedContexts", value("allowedContexts"));
        String context = parsed("context", value("context"), AgentFile::context);
        if (allowed != null) {
            List<String> known = new ArrayList<>();
            for (String word : allowed) {
                known.add(checked("allowedContexts", word, AgentFile::context));
            }
            Boolean lock = lock("inherit_context");
            String chosen = lock == null ? context : lock ? INHERIT : FRESH;
            if (chosen != null && !known.contains(chosen)) {
                throw unusable("allowedContexts", "context `%s` is not among allowedContexts".formatted(chosen));
            }
            if (chosen == null && new LinkedHashSet<>(known).size() < 2) {
                // No context at all is the least there is.
                return known.contains(INHERIT);
            }
        }
        if (value("inherit_context") == null && context != null) {
            return context.equals(INHERIT);
        }
        return lock("inherit_context");
    }

    private static String context(String word) {
        return switch (word) {
            case "fresh" -> FRESH;
            case "inherit", "fork" -> INHERIT;
            default ->
                throw new IllegalArgumentException(
                        "context: `%s` (expected: fresh, inherit or fork)".formatted(shortened(word)));
        };
    }

    private record Tools(List<String> plain, @Nullable List<String> selectors) {}

    private Tools tools() {
        Object value = value("tools");
        if (value == null) {
            return new Tools(BuiltinTools.NAMES, null);
        }
        List<String> entries = Scalars.items(value);
        List<String> plain = new ArrayList<>();
        List<String> selectors = new ArrayList<>();
        boolean all = false;
        for (String entry : entries == null ? List.<String>of() : entries) {
            if (isWildcard(entry)) {
                all = true;
            } else if (entry.startsWith("ext:")) {
                selectors.add(entry);
            } else {
                plain.add(entry);
            }
        }
        if (all) {
            Set<String> names = new LinkedHashSet<>(BuiltinTools.NAMES);
            names.addAll(plain);
            plain = List.copyOf(names);
        }
        return new Tools(plain, selectors.isEmpty() ? null : selectors);
    }

    private static boolean isWildcard(String entry) {
        return entry.equals("*") || entry.toLowerCase(Locale.ROOT).equals("all");
    }

    private Inclusion inclusion(String key, String alias) {
        Object value = value(key) == null ? value(alias) : value(key);
        if (value == null || Boolean.TRUE.equals(value)) {
            return new Inclusion.All();
        }
        if (Boolean.FALSE.equals(value)) {
            return new Inclusion.None();
        }
        List<String> names = Scalars.items(value);
        return names == null ? new Inclusion.None() : new Inclusion.Only(names);
    }

    private @Nullable SubagentPermission subagents() {
        Object value = value("allowed_subagents");
        if (value instanceof Boolean all) {
            return all ? new SubagentPermission.All() : null;
        }
        List<String> names = Scalars.items(value);
        if (names == null) {
            return null;
        }
        return names.stream().anyMatch(AgentFile::isWildcard)
                ? new SubagentPermission.All()
                : new SubagentPermission.Only(names);
    }

    private @Nullable Isolation isolation() {
        Object value = value("isolation");
        if ("worktree".equals(value)) {
            return Isolation.WORKTREE;
        }
        boolean off = Boolean.FALSE.equals(value) || "off".equals(value) || "none".equals(value) || "no".equals(value);
        return off ? Isolation.OFF : null;
    }

    private SandboxBlock sandbox() throws UnusableException {
        Object value = value("sandbox");
        if (value == null) {
            return SandboxBlock.EMPTY;
        }
        if (!(value instanceof Map<?, ?> block)) {
            throw unusable("sandbox", "sandbox: not a map (expected: %s)".formatted(String.join(", ", SANDBOX)));
        }
        for (Object key : block.keySet()) {
            if (!SANDBOX.contains(key)) {
                throw unknown("sandbox", (String) key, SANDBOX);
            }
        }
        List<String> network = words("sandbox.network", block.get("network"));
        List<String> credentials = words("sandbox.credentials", block.get("credentials"));
        return new SandboxBlock(
                parsed("sandbox.workspace", block.get("workspace"), WorkspaceAccess::parse),
                network == null ? null : checked("sandbox.network", network, NetworkPolicy::parse),
                credentials == null ? null : checked("sandbox.credentials", credentials, CredentialScope::of),
                texts("sandbox.limits", block.get("limits"), Limits.KEYS, Limits.Partial::parse),
                parsed("sandbox.runtime", block.get("runtime"), RuntimeClass::parse),
                parsed("sandbox.harness", block.get("harness"), Harness::parse));
    }

    /** A map of words and numbers whose keys are known. */
    private <T> T texts(String at, @Nullable Object value, List<String> keys, Function<Map<String, String>, T> parse)
            throws UnusableException {
        if (value != null && !(value instanceof Map<?, ?>)) {
            throw unusable(
                    at, "%s: not a map (expected: %s)".formatted(at.replace("sandbox.", ""), String.join(", ", keys)));
        }
        Map<String, String> texts = new HashMap<>();
        for (Map.Entry<?, ?> member : value instanceof Map<?, ?> members
                ? members.entrySet()
                : Map.of().entrySet()) {
            String key = (String) member.getKey();
            if (!keys.contains(key)) {
                throw unknown(at, key, keys);
            }
            if (member.getValue() != null) {
                texts.put(key, Scalars.text(member.getValue()));
            }
        }
        // Each alone, so that a mistake is reported on its own line.
        for (Map.Entry<String, String> text : texts.entrySet()) {
            checked(at + "." + text.getKey(), Map.of(text.getKey(), text.getValue()), parse);
        }
        return parse.apply(texts);
    }

    private <T> @Nullable T parsed(String key, @Nullable Object value, Function<String, T> parse)
            throws UnusableException {
        return value == null ? null : checked(key, Scalars.text(value), parse);
    }

    private <V, T> T checked(String key, V value, Function<V, T> parse) throws UnusableException {
        try {
            return parse.apply(value);
        } catch (IllegalArgumentException e) {
            throw unusable(key, String.valueOf(e.getMessage()));
        }
    }

    private @Nullable List<String> words(String key, @Nullable Object value) throws UnusableException {
        if (value == null) {
            return null;
        }
        List<?> items = value instanceof List<?> list ? list : List.of(value);
        List<String> words = new ArrayList<>();
        for (Object item : items) {
            if (!(item instanceof String word)) {
                throw unusable(key, "%s (expected: a list of words)".formatted(key));
            }
            words.add(word);
        }
        return words;
    }

    /** A policy with a mistake in it asks about everything: a misspelt {@code deny} must not vanish. */
    private PermissionConfig permission() {
        Object value = value("permission");
        if (value == null) {
            return PermissionConfig.EMPTY;
        }
        PermissionConfig.Parsed parsed = PermissionConfig.parse(value, this::location);
        for (PermissionProblem problem : parsed.problems()) {
            warnings.add(new LoadWarning.Field(
                    problem.location(),
                    "%s (%s); until then everything asks".formatted(problem.description(), problem.remedy())));
        }
        return parsed.config();
    }

    /** Values that mean something other than their author thinks: a limit that is dropped, a lock that is off (T64). */
    private void warnAboutValues() {
        for (String flag : FLAGS) {
            Object value = value(flag);
            if (value != null && !(value instanceof Boolean)) {
                boolean counts = flag.equals("enabled") || flag.equals("output_transcript");
                warnAbout(flag, "counts as %s (expected: true or false)".formatted(counts));
            }
        }
        for (String word : List.of("name", "description", "model", "thinking", "session_dir")) {
            if (value(word) != null && text(word) == null) {
                warnAbout(word, "is ignored (expected: a word)");
            }
        }
        Object turns = value("max_turns");
        if (turns != null && !(turns instanceof Number number && number.doubleValue() >= 0)) {
            warnAbout("max_turns", "is ignored, so that there is no limit (expected: a number >= 0)");
        }
        if (value("isolation") != null && isolation() == null) {
            warnAbout("isolation", "is ignored (expected: worktree or off)");
        }
        Object mode = value("prompt_mode");
        if (mode != null && !mode.equals("append") && !mode.equals("replace")) {
            warnAbout("prompt_mode", "counts as replace (expected: append or replace)");
        }
        List<String> denied = Scalars.items(value("disallowed_tools"));
        for (String tool : denied == null ? List.<String>of() : denied) {
            if (!BuiltinTools.NAMES.contains(tool)) {
                Nearest.to(tool, BuiltinTools.NAMES)
                        .ifPresent(nearest -> warnings.add(new LoadWarning.Field(
                                location("disallowed_tools"),
                                "disallowed_tools: `%s` denies no built-in tool (nearest: `%s`)"
                                        .formatted(shortened(tool), nearest))));
            }
        }
    }

    private void warnAbout(String field, String what) {
        warnings.add(new LoadWarning.Field(
                location(field), "%s: `%s` %s".formatted(field, shortened(Scalars.text(value(field))), what)));
    }

    private static String shortened(String text) {
        String line = VisibleText.line(text);
        return line.length() <= 80 ? line : line.substring(0, 80) + "…";
    }

    private void warnAboutUnknownKeys() {
        Set<?> keys = matter.value() instanceof Map<?, ?> members ? members.keySet() : Set.of();
        for (Object field : keys) {
            String key = (String) field;
            if (!KNOWN.contains(key)) {
                warnings.add(new LoadWarning.UnknownField(
                        location(key), key, Nearest.to(key, KNOWN).orElse(null)));
            }
        }
    }

    private String location(String key) {
        for (String at = key; ; at = at.substring(0, at.lastIndexOf('.'))) {
            Integer line = matter.lines().get(at);
            if (line != null) {
                return path + ":" + line;
            }
            if (!at.contains(".")) {
                return path;
            }
        }
    }

    private UnusableException unknown(String block, String key, List<String> known) {
        String hint = Nearest.to(key, known)
                .map("nearest: `%s`"::formatted)
                .orElseGet(() -> "expected: " + String.join(", ", known));
        return unusable(block + "." + key, "unknown key `%s` in %s (%s)".formatted(key, block, hint));
    }

    private UnusableException unusable(String key, String message) {
        return new UnusableException(location(key) + ": " + message);
    }
}
