package dev.sallyport.invocation;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * A key of a settings file and what it accepts (authority.md 12).
 *
 * @param expected for people
 * @param accept from what is written to what is used; null for what is not accepted
 */
record Setting(String key, String expected, Function<Object, @Nullable Object> accept) {

    static final Setting MAX_CONCURRENT = whole("maxConcurrent", 1, 1024);
    static final Setting DEFAULT_MAX_TURNS = whole("defaultMaxTurns", 0, 10_000);
    static final Setting GRACE_TURNS = whole("graceTurns", 1, 1000);
    static final Setting MAX_SUBAGENT_DEPTH = whole("maxSubagentDepth", 0, 16);
    static final Setting BACKGROUND_BY_DEFAULT = flag("backgroundByDefault");
    static final Setting SCOPE_MODELS = flag("scopeModels");
    static final Setting DISABLE_DEFAULT_AGENTS = flag("disableDefaultAgents");
    static final Setting OUTPUT_TRANSCRIPT = flag("outputTranscript");
    static final Setting WORKTREE_ISOLATION = flag("worktreeIsolation");
    static final Setting FALLBACK_SUBAGENT =
            new Setting("fallbackSubagent", "the name of an agent, or none", value -> switch (value) {
                case Boolean on -> on ? null : "none";
                case String name when !name.isBlank() -> name.strip();
                default -> null;
            });
    private static final Setting AGENT_MENTIONS =
            new Setting("agentMentions", "model, direct or off", value -> switch (value) {
                case Boolean on -> on ? "model" : "off";
                case String word when List.of("model", "direct", "off").contains(word) -> word;
                default -> null;
            });

    private static final Map<String, Setting> ALL = byKey(
            MAX_CONCURRENT,
            DEFAULT_MAX_TURNS,
            GRACE_TURNS,
            MAX_SUBAGENT_DEPTH,
            word("defaultJoinMode", "async", "group", "smart"),
            BACKGROUND_BY_DEFAULT,
            flag("schedulingEnabled"),
            SCOPE_MODELS,
            flag("strictAgentFiles"),
            DISABLE_DEFAULT_AGENTS,
            word("toolDescriptionMode", "full", "compact", "custom"),
            flag("fleetView"),
            AGENT_MENTIONS,
            flag("rememberAgents"),
            word("widgetMode", "all", "background", "off"),
            OUTPUT_TRANSCRIPT,
            WORKTREE_ISOLATION,
            FALLBACK_SUBAGENT,
            flag("reportUsage"),
            flag("showCost"));

    static Optional<Setting> of(String key) {
        return Optional.ofNullable(ALL.get(key));
    }

    static Set<String> keys() {
        return ALL.keySet();
    }

    /** The value as it is used; empty for one that this setting cannot have. */
    Optional<Object> value(@Nullable Object written) {
        return Optional.ofNullable(written).map(accept);
    }

    private static Map<String, Setting> byKey(Setting... settings) {
        Map<String, Setting> all = new LinkedHashMap<>();
        for (Setting setting : settings) {
            all.put(setting.key(), setting);
        }
        return all;
    }

    private static Setting flag(String key) {
        return new Setting(key, "true or false", value -> value instanceof Boolean ? value : null);
    }

    private static Setting whole(String key, int min, int max) {
        return new Setting(
                key,
                "a whole number from %d to %d".formatted(min, max),
                value -> value instanceof Number number
                                && number.doubleValue() == Math.rint(number.doubleValue())
                                && number.doubleValue() >= min
                                && number.doubleValue() <= max
                        ? (Object) number.intValue()
                        : null);
    }

    private static Setting word(String key, String... words) {
        List<String> known = List.of(words);
        return new Setting(
                key,
                String.join(", ", known),
                value -> value instanceof String word && known.contains(word) ? word : null);
    }
}
