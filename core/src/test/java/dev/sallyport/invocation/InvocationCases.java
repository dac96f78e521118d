package dev.sallyport.invocation;

import dev.sallyport.agentfile.AgentDefinition;
import dev.sallyport.agentfile.Isolation;
import dev.sallyport.json.CanonicalJson;
import dev.sallyport.json.JsonObject;
import dev.sallyport.provenance.Layer;
import dev.sallyport.testing.CaseFiles.Case;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Who decides each field of a call, and turn limits. */
public final class InvocationCases {

    private InvocationCases() {}

    public static Map<String, Function<Case, @Nullable Object>> areas() {
        return Map.of(
                "settings.field",
                c -> settings(c.input()).values(),
                "settings.merge",
                c -> merged(settings(c.input())),
                "turns.effective",
                c -> Turns.effective(
                        number(c.input(), "explicit"),
                        number(c.input(), "agentMaxTurns"),
                        number(c.input(), "defaultMaxTurns")),
                "turns.grace",
                c -> Turns.of(null, c.input().number("set")).grace(),
                "turns.run",
                c -> run(c.input()),
                "invocation",
                c -> invocation(c.input()),
                "turns.normalize",
                c -> Turns.normalize(number(c.input(), "n")));
    }

    private static Settings settings(JsonObject input) {
        Settings settings = Settings.DEFAULT;
        for (String scope : List.of("global", "project")) {
            Object file = input.optional(scope);
            if (file != null) {
                settings = settings.overlaidBy(
                        SettingsFile.parse(scope, file instanceof String text ? text : CanonicalJson.write(file)));
            }
        }
        return settings;
    }

    private static Map<String, Object> merged(Settings settings) {
        return Map.of(
                "settings",
                settings.values(),
                "warned",
                settings.problems().stream()
                        .filter(problem -> problem.kind() == SettingsFile.Kind.UNREADABLE)
                        .count());
    }

    private static Map<String, Object> run(JsonObject input) {
        Turns turns = Turns.of(number(input, "maxTurns"), input.number("graceTurns"));
        List<Integer> steers = new ArrayList<>();
        List<Integer> aborts = new ArrayList<>();
        while (turns.ended() < input.integer("turns")) {
            turns = turns.turnEnded();
            switch (turns.verdict()) {
                case GO_ON -> {}
                case WRAP_UP -> steers.add(turns.ended());
                case STOP -> aborts.add(turns.ended());
            }
        }
        return Map.of(
                "steerAtTurns",
                steers,
                "abortAtTurns",
                aborts,
                "steered",
                !steers.isEmpty(),
                "aborted",
                !aborts.isEmpty());
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
        Settings settings = Settings.DEFAULT
                .with("backgroundByDefault", opts.flag("defaultRunInBackground"))
                .with("worktreeIsolation", opts.flag("worktreeAllowed"));

        Invocation invocation = InvocationResolver.resolve(definition, call, settings, false);

        Map<String, Object> json = new LinkedHashMap<>();
        json.put("modelInput", value(invocation.model()));
        json.put(
                "modelFromParams",
                invocation.model() != null && invocation.model().origin().layer() == Layer.CALL);
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
}
