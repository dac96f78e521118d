package dev.sallyport.model;

import dev.sallyport.json.CanonicalJson;
import dev.sallyport.json.JsonObject;
import dev.sallyport.model.ModelCatalogue.Entry;
import dev.sallyport.testing.CaseFiles.Case;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Which model a name means, and which models are in use. */
public final class ModelCases {

    private ModelCases() {}

    public static Map<String, Function<Case, @Nullable Object>> areas() {
        return Map.of(
                "model.resolve", c -> resolve(c.input()),
                "model.default", c -> exact(c.input()),
                "model.scope", c -> scope(c.input()),
                "model.enabledModels", c -> enabledModels(c.input()));
    }

    private static Object resolve(JsonObject input) {
        ModelCatalogue catalogue = catalogue(input);
        return catalogue
                .resolve(input.text("query"))
                .<Object>map(ModelCases::json)
                .orElseGet(() -> Map.of("error", true, "listed", catalogue.names()));
    }

    private static @Nullable Object exact(JsonObject input) {
        return Optional.ofNullable(input.optionalText("configModel"))
                .flatMap(catalogue(input)::exact)
                .or(() -> model(input, "parent"))
                .map(ModelCases::json)
                .orElse(null);
    }

    private static Object scope(JsonObject input) {
        ModelScope scope = input.flag("scopeModels") && input.optional("enabledModels") instanceof List<?>
                ? new ModelScope(List.of(input.texts("enabledModels")))
                : ModelScope.NONE;
        ModelScope.Verdict verdict = scope.judge(
                catalogue(input),
                model(input, "model").orElse(null),
                input.optionalText("modelInput"),
                input.flag("callerSupplied"));
        return switch (verdict) {
            case ModelScope.Verdict.Inside _ -> Map.of("kind", "ok");
            case ModelScope.Verdict.Refused(List<String> allowed) -> Map.of("kind", "error", "allowed", allowed);
            case ModelScope.Verdict.Warned(String label) -> Map.of("kind", "warn", "modelLabel", label);
        };
    }

    private static @Nullable Object enabledModels(JsonObject input) {
        return ModelScope.of(text(input.optional("project")), text(input.optional("global")), true).lists().stream()
                .findFirst()
                .orElse(null);
    }

    /** A settings file as the case has it: its value, or its text where that is no JSON. */
    private static @Nullable String text(@Nullable Object settings) {
        return settings == null || settings instanceof String ? (String) settings : CanonicalJson.write(settings);
    }

    private static ModelCatalogue catalogue(JsonObject input) {
        List<Entry> available = input.optional("available") == null ? null : entries(input, "available");
        return ModelCatalogue.of(entries(input, "models"), available);
    }

    private static List<Entry> entries(JsonObject input, String name) {
        return input.objects(name).stream()
                .map(entry -> new Entry(
                        new Model(entry.text("provider"), entry.text("id")),
                        Objects.requireNonNullElse(entry.optionalText("name"), entry.text("id"))))
                .toList();
    }

    private static Optional<Model> model(JsonObject input, String name) {
        if (input.optional(name) == null) {
            return Optional.empty();
        }
        JsonObject model = input.object(name);
        return Optional.of(new Model(model.text("provider"), model.text("id")));
    }

    private static Map<String, Object> json(Model model) {
        return Map.of("provider", model.provider(), "id", model.id());
    }
}
