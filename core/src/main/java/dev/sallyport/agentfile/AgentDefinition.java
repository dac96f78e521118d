package dev.sallyport.agentfile;

import dev.sallyport.containment.Budgets;
import dev.sallyport.permission.PermissionConfig;
import dev.sallyport.prompt.PromptMode;
import dev.sallyport.provenance.Layer;
import dev.sallyport.provenance.Origin;
import dev.sallyport.toolscope.BuiltinTools;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What one agent file says (authority.md 2.3). Null means that it says nothing; {@code false}, 0 and the empty text say
 * something.
 */
public final class AgentDefinition {

    /** Who wrote a definition. */
    public enum Source {
        EMBEDDED,
        GLOBAL,
        PROJECT
    }

    private final Builder values;

    private AgentDefinition(Builder values) {
        this.values = values;
    }

    public static Builder named(String name) {
        return new Builder(name);
    }

    public String name() {
        return values.name;
    }

    public @Nullable String displayName() {
        return values.displayName;
    }

    public String description() {
        return values.description == null ? values.name : values.description;
    }

    public @Nullable String color() {
        return values.color;
    }

    /** Names as written, unknown ones too; null is all built-ins. */
    public @Nullable List<String> tools() {
        return values.tools;
    }

    /** The same with all built-ins by name. */
    public List<String> toolNames() {
        return values.tools == null ? BuiltinTools.NAMES : values.tools;
    }

    /** {@code ext:} entries of {@code tools}, as written; never empty. */
    public @Nullable List<String> extSelectors() {
        return values.extSelectors;
    }

    public @Nullable List<String> disallowedTools() {
        return values.disallowedTools;
    }

    public Inclusion extensions() {
        return values.extensions;
    }

    public @Nullable List<String> excludeExtensions() {
        return values.excludeExtensions;
    }

    public Inclusion skills() {
        return values.skills;
    }

    public @Nullable String model() {
        return values.model;
    }

    public @Nullable String thinking() {
        return values.thinking;
    }

    /** At least 0, perhaps fractional or infinite; 0 is no limit. */
    public @Nullable Double maxTurns() {
        return values.maxTurns;
    }

    public @Nullable Boolean persistSession() {
        return values.persistSession;
    }

    public @Nullable Boolean outputTranscript() {
        return values.outputTranscript;
    }

    public @Nullable String sessionDir() {
        return values.sessionDir;
    }

    public @Nullable SubagentPermission allowedSubagents() {
        return values.allowedSubagents;
    }

    public PromptMode promptMode() {
        return values.promptMode;
    }

    public @Nullable Boolean inheritContext() {
        return values.inheritContext;
    }

    public @Nullable Boolean runInBackground() {
        return values.runInBackground;
    }

    public @Nullable Boolean isolated() {
        return values.isolated;
    }

    /** {@code user}, {@code project} or {@code local}. */
    public @Nullable String memory() {
        return values.memory;
    }

    public @Nullable Isolation isolation() {
        return values.isolation;
    }

    public boolean enabled() {
        return values.enabled;
    }

    /** Whether it is left out where agents are listed. */
    public boolean hidden() {
        return values.hidden;
    }

    /** Whether anybody wrote which tools it has. */
    public boolean saysTools() {
        return values.tools != null && (values.path == null || values.lines.containsKey("tools"));
    }

    public String systemPrompt() {
        return values.systemPrompt;
    }

    public SandboxBlock sandbox() {
        return values.sandbox;
    }

    /** For this agent and all below it. */
    public Budgets budgets() {
        return values.budgets;
    }

    /** Can only narrow (S2). */
    public PermissionConfig permission() {
        return values.permission;
    }

    public Source source() {
        return values.source;
    }

    /** The path of the file, null for an embedded definition. */
    public @Nullable String path() {
        return values.path;
    }

    /** SHA-256 of the file as read, in lower-case hexadecimal. */
    public String digest() {
        return values.digest;
    }

    /** Where a field is written: {@code tools}, {@code sandbox.network}, {@code permission}; else the file as a whole. */
    public Origin origin(String field) {
        String file = values.path;
        if (file == null) {
            return Origin.DEFAULT;
        }
        Integer line = values.lines.get(field);
        return new Origin(Layer.AGENT_FILE, line == null ? file : file + ":" + line);
    }

    /** Collects the fields of a definition; used once. */
    public static final class Builder {

        private final String name;
        private final Map<String, Integer> lines = new LinkedHashMap<>();
        private @Nullable String displayName;
        private @Nullable String description;
        private @Nullable String color;
        private @Nullable List<String> tools;
        private @Nullable List<String> extSelectors;
        private @Nullable List<String> disallowedTools;
        private Inclusion extensions = new Inclusion.All();
        private @Nullable List<String> excludeExtensions;
        private Inclusion skills = new Inclusion.All();
        private @Nullable String model;
        private @Nullable String thinking;
        private @Nullable Double maxTurns;
        private @Nullable Boolean persistSession;
        private @Nullable Boolean outputTranscript;
        private @Nullable String sessionDir;
        private @Nullable SubagentPermission allowedSubagents;
        private PromptMode promptMode = PromptMode.REPLACE;
        private @Nullable Boolean inheritContext;
        private @Nullable Boolean runInBackground;
        private @Nullable Boolean isolated;
        private @Nullable String memory;
        private @Nullable Isolation isolation;
        private boolean enabled = true;
        private boolean hidden;
        private String systemPrompt = "";
        private SandboxBlock sandbox = SandboxBlock.EMPTY;
        private Budgets budgets = Budgets.UNLIMITED;
        private PermissionConfig permission = PermissionConfig.EMPTY;
        private Source source = Source.EMBEDDED;
        private @Nullable String path;
        private String digest = "";

        private Builder(String name) {
            this.name = name;
        }

        public AgentDefinition build() {
            return new AgentDefinition(this);
        }

        public Builder displayName(@Nullable String displayName) {
            this.displayName = displayName;
            return this;
        }

        public Builder description(@Nullable String description) {
            this.description = description;
            return this;
        }

        public Builder color(@Nullable String color) {
            this.color = color;
            return this;
        }

        public Builder tools(@Nullable List<String> tools) {
            this.tools = copy(tools);
            return this;
        }

        public Builder extSelectors(@Nullable List<String> extSelectors) {
            this.extSelectors = copy(extSelectors);
            return this;
        }

        public Builder disallowedTools(@Nullable List<String> disallowedTools) {
            this.disallowedTools = copy(disallowedTools);
            return this;
        }

        public Builder extensions(Inclusion extensions) {
            this.extensions = extensions;
            return this;
        }

        public Builder excludeExtensions(@Nullable List<String> excludeExtensions) {
            this.excludeExtensions = copy(excludeExtensions);
            return this;
        }

        public Builder skills(Inclusion skills) {
            this.skills = skills;
            return this;
        }

        public Builder model(@Nullable String model) {
            this.model = model;
            return this;
        }

        public Builder thinking(@Nullable String thinking) {
            this.thinking = thinking;
            return this;
        }

        public Builder maxTurns(@Nullable Double maxTurns) {
            this.maxTurns = maxTurns;
            return this;
        }

        public Builder persistSession(@Nullable Boolean persistSession) {
            this.persistSession = persistSession;
            return this;
        }

        public Builder outputTranscript(@Nullable Boolean outputTranscript) {
            this.outputTranscript = outputTranscript;
            return this;
        }

        public Builder sessionDir(@Nullable String sessionDir) {
            this.sessionDir = sessionDir;
            return this;
        }

        public Builder allowedSubagents(@Nullable SubagentPermission allowedSubagents) {
            this.allowedSubagents = allowedSubagents;
            return this;
        }

        public Builder promptMode(PromptMode promptMode) {
            this.promptMode = promptMode;
            return this;
        }

        public Builder inheritContext(@Nullable Boolean inheritContext) {
            this.inheritContext = inheritContext;
            return this;
        }

        public Builder runInBackground(@Nullable Boolean runInBackground) {
            this.runInBackground = runInBackground;
            return this;
        }

        public Builder isolated(@Nullable Boolean isolated) {
            this.isolated = isolated;
            return this;
        }

        public Builder memory(@Nullable String memory) {
            this.memory = memory;
            return this;
        }

        public Builder isolation(@Nullable Isolation isolation) {
            this.isolation = isolation;
            return this;
        }

        public Builder enabled(boolean enabled) {
            this.enabled = enabled;
            return this;
        }

        public Builder hidden(boolean hidden) {
            this.hidden = hidden;
            return this;
        }

        public Builder systemPrompt(String systemPrompt) {
            this.systemPrompt = systemPrompt;
            return this;
        }

        public Builder sandbox(SandboxBlock sandbox) {
            this.sandbox = sandbox;
            return this;
        }

        public Builder budgets(Budgets budgets) {
            this.budgets = budgets;
            return this;
        }

        public Builder permission(PermissionConfig permission) {
            this.permission = permission;
            return this;
        }

        Builder digest(String digest) {
            this.digest = digest;
            return this;
        }

        /** Where the definition was read; {@code lines} by field as {@link AgentDefinition#origin} names them. */
        public Builder readFrom(Source source, String path, String digest, Map<String, Integer> lines) {
            this.source = source;
            this.path = path;
            this.digest = digest;
            this.lines.putAll(lines);
            return this;
        }

        private static @Nullable List<String> copy(@Nullable List<String> list) {
            return list == null ? null : List.copyOf(list);
        }
    }
}
