package dev.sallyport.invocation;

import dev.sallyport.provenance.Origin;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** What an operator, a user and a project have set for every spawn (authority.md 12). */
public final class Settings {

    /** Nobody has set anything. */
    public static final Settings DEFAULT = new Settings(Map.of(), List.of());

    private final Map<String, Value> values;
    private final List<SettingsFile.Problem> problems;

    private record Value(Object value, Origin origin) {}

    private Settings(Map<String, Value> values, List<SettingsFile.Problem> problems) {
        this.values = Collections.unmodifiableMap(values);
        this.problems = List.copyOf(problems);
    }

    /** The same with a file over it: key by key the file counts where it says something usable. */
    public Settings overlaidBy(SettingsFile file) {
        Map<String, Value> merged = new LinkedHashMap<>(values);
        file.values()
                .forEach((key, value) -> merged.put(key, new Value(value, Origin.setting(file.path() + " " + key))));
        List<SettingsFile.Problem> all = new ArrayList<>(problems);
        all.addAll(file.problems());
        return new Settings(merged, all);
    }

    /**
     * The same with one value set from elsewhere; null leaves it as it is.
     *
     * @throws IllegalArgumentException if there is no such key, or it cannot have that value
     */
    public Settings with(String key, @Nullable Object written) {
        if (written == null) {
            return this;
        }
        Setting setting =
                Setting.of(key).orElseThrow(() -> new IllegalArgumentException("unknown setting: %s".formatted(key)));
        Object value = setting.value(written)
                .orElseThrow(() -> new IllegalArgumentException(
                        "%s: %s (expected: %s)".formatted(key, written, setting.expected())));
        Map<String, Value> changed = new LinkedHashMap<>(values);
        changed.put(key, new Value(value, Origin.setting(key)));
        return new Settings(changed, problems);
    }

    /** By key, what somebody has set. */
    public Map<String, Object> values() {
        Map<String, Object> set = new LinkedHashMap<>();
        values.forEach((key, value) -> set.put(key, value.value()));
        return set;
    }

    /** What of the files could not be used. */
    public List<SettingsFile.Problem> problems() {
        return problems;
    }

    /** Where a setting is written: a file and the key, or the key alone. */
    public Origin origin(String key) {
        Value value = values.get(key);
        return value == null ? Origin.setting(key) : value.origin();
    }

    /** Null falls back to general-purpose, {@code none} refuses unknown agents. */
    public @Nullable String fallbackSubagent() {
        return set(Setting.FALLBACK_SUBAGENT, String.class).orElse(null);
    }

    public boolean backgroundByDefault() {
        return set(Setting.BACKGROUND_BY_DEFAULT, Boolean.class).orElse(true);
    }

    public boolean worktreeIsolation() {
        return set(Setting.WORKTREE_ISOLATION, Boolean.class).orElse(true);
    }

    /** Null or 0 is no limit. */
    public @Nullable Double defaultMaxTurns() {
        return set(Setting.DEFAULT_MAX_TURNS, Integer.class)
                .map(Integer::doubleValue)
                .orElse(null);
    }

    /** Turns between the order to wrap up and the end, at least 1. */
    public int graceTurns() {
        return set(Setting.GRACE_TURNS, Integer.class).orElse(5);
    }

    /** Children of one session that run at a time, at least 1. */
    public int maxConcurrent() {
        return set(Setting.MAX_CONCURRENT, Integer.class).orElse(10);
    }

    /** The deepest that a child may be; 0 and 1 let no child have children. */
    public int maxSubagentDepth() {
        return set(Setting.MAX_SUBAGENT_DEPTH, Integer.class).orElse(2);
    }

    /** Whether only the models that the user enabled may be asked for. */
    public boolean scopeModels() {
        return set(Setting.SCOPE_MODELS, Boolean.class).orElse(false);
    }

    public boolean disableDefaultAgents() {
        return set(Setting.DISABLE_DEFAULT_AGENTS, Boolean.class).orElse(false);
    }

    public boolean outputTranscript() {
        return set(Setting.OUTPUT_TRANSCRIPT, Boolean.class).orElse(true);
    }

    /**
     * Whether a conversation is kept.
     *
     * @param definition what an agent file says, which decides; null if it says nothing
     */
    public boolean outputTranscript(@Nullable Boolean definition) {
        return definition == null ? outputTranscript() : definition;
    }

    private <T> Optional<T> set(Setting setting, Class<T> type) {
        return Optional.ofNullable(values.get(setting.key())).map(Value::value).map(type::cast);
    }
}
