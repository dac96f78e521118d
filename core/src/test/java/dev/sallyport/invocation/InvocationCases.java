package dev.sallyport.invocation;

import dev.sallyport.agentfile.AgentDefinition;
import dev.sallyport.agentfile.Isolation;
import dev.sallyport.json.JsonObject;
import dev.sallyport.provenance.Layer;
import dev.sallyport.testing.CaseFiles.Case;
import java.util.LinkedHashMap;
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
                "invocation",
                c -> invocation(c.input()),
                "turns.normalize",
                c -> Turns.normalize(number(c.input(), "n")));
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
