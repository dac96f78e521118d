package dev.sallyport.runner.door;

import dev.sallyport.model.Thinking;
import dev.sallyport.toolscope.Extension;
import dev.sallyport.toolscope.ExtensionFilter;
import dev.sallyport.toolscope.Selectors;
import dev.sallyport.toolscope.ToolRules;
import java.time.Duration;
import java.time.format.DateTimeParseException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/**
 * What this child is to be. The task itself comes later, when the gateway has checked the mount (S5).
 *
 * @param nonce to be repeated when this runner says what is active in it
 * @param tools our own that are granted
 * @param rules what decides about tools for as long as the child runs
 * @param maxTurns may be a fraction (authority.md §5.1); null means unlimited
 * @param outputLimit bytes of one tool's output
 */
public record Assignment(
        String child,
        String nonce,
        Harness harness,
        Optional<Model> model,
        List<String> tools,
        ToolRules rules,
        List<Provider> providers,
        String systemPrompt,
        @Nullable Double maxTurns,
        double graceTurns,
        Workspace workspace,
        Optional<Memory> memory,
        List<String> command,
        Duration toolTimeout,
        int outputLimit) {

    /** The second is that of a child whose task brings a conversation with it. */
    private static final Set<Integer> VERSIONS = Set.of(3, 4);

    public enum Harness {
        BUILTIN,
        COMMAND
    }

    /**
     * The one model of this child.
     *
     * @param thinking null for the model's own default
     */
    public record Model(
            String provider,
            String id,
            Shape shape,
            @Nullable Thinking thinking) {

        public enum Shape {
            MESSAGES,
            CHAT
        }

        @Override
        public String toString() {
            return provider + "/" + id;
        }
    }

    /**
     * An extension whose files are here.
     *
     * @param command that starts it, in {@code directory}
     */
    public record Provider(String name, String directory, List<String> command) {

        public Provider {
            command = List.copyOf(command);
        }

        public Extension extension() {
            return new Extension(name, List.of(name.toLowerCase(Locale.ROOT)));
        }
    }

    /**
     * Where the child works.
     *
     * @param ownBranch empty unless it is a private clone
     */
    public record Workspace(String directory, Optional<Branch> ownBranch) {}

    /** Where the child finds what its agent remembers, and whether what it leaves there is kept. */
    public record Memory(String directory, boolean writes) {}

    /**
     * What a private clone begins and ends with.
     *
     * @param base the commit to start from
     */
    public record Branch(String name, String base) {}

    public Assignment {
        tools = List.copyOf(tools);
        providers = List.copyOf(providers);
        command = List.copyOf(command);
    }

    /**
     * Reads the first command of the control stream.
     *
     * @throws IllegalArgumentException if this runner does not understand it (P14)
     */
    public static Assignment of(JsonNode data) {
        if (!VERSIONS.contains(data.path("version").asInt(0))) {
            throw new IllegalArgumentException(
                    "assignment of version %s (expected: 3 or 4)".formatted(data.path("version")));
        }
        Harness harness = oneOf(Harness.values(), data, "harness");
        JsonNode model = data.path("model");
        JsonNode maxTurns = data.path("maxTurns");
        JsonNode workspace = data.path("workspace");
        JsonNode memory = data.path("memory");
        List<String> command = texts(data.path("command"));
        List<String> tools = texts(data.path("tools"));
        if (harness == Harness.COMMAND && command.isEmpty()) {
            throw new IllegalArgumentException("assignment without a command");
        }
        if (harness == Harness.BUILTIN && !model.isObject()) {
            throw new IllegalArgumentException("assignment without a model");
        }
        return new Assignment(
                text(data, "child"),
                text(data, "nonce"),
                harness,
                model.isObject()
                        ? Optional.of(new Model(
                                text(model, "provider"),
                                text(model, "id"),
                                oneOf(Model.Shape.values(), model, "shape"),
                                Thinking.parse(model.path("thinking").asString(""))
                                        .orElse(null)))
                        : Optional.empty(),
                tools,
                ToolRules.granted(
                        tools,
                        texts(data.path("deniedTools")),
                        rights(data.path("extensions")),
                        quirks(data.path("extensions").path("quirks"))),
                providers(data.path("providers")),
                data.path("systemPrompt").asString(""),
                maxTurns.isNumber() ? maxTurns.doubleValue() : null,
                data.path("graceTurns").asDouble(5),
                new Workspace(
                        text(workspace, "directory"),
                        "clone".equals(text(workspace, "mode"))
                                ? Optional.of(new Branch(text(workspace, "branch"), text(workspace, "base")))
                                : Optional.empty()),
                memory.isObject()
                        ? Optional.of(
                                new Memory(text(memory, "directory"), "read-write".equals(text(memory, "access"))))
                        : Optional.empty(),
                command,
                duration(data.path("toolTimeout").asString("PT2M")),
                data.path("outputLimit").asInt(50 * 1024));
    }

    /** A gateway of the version before names none. */
    private static Set<ToolRules.Quirk> quirks(JsonNode data) {
        return texts(data).stream().map(ToolRules.Quirk::parse).collect(Collectors.toSet());
    }

    private static ToolRules.Rights rights(JsonNode data) {
        // Whoever leaves the selectors out would select everything.
        if (!data.isObject() || !data.has("selectors")) {
            throw new IllegalArgumentException("assignment without extensions");
        }
        boolean all = data.path("all").asBoolean(false);
        List<String> names = texts(data.path("names"));
        JsonNode selectors = data.path("selectors");
        return new ToolRules.Rights(
                new ExtensionFilter(
                        all || !names.isEmpty(),
                        all,
                        Set.copyOf(names),
                        List.of(),
                        Set.copyOf(texts(data.path("excluded")))),
                selectors.isNull() ? Selectors.NONE : Selectors.parse(texts(selectors)));
    }

    private static List<Provider> providers(JsonNode list) {
        List<Provider> providers = new ArrayList<>();
        for (JsonNode one : list) {
            providers.add(new Provider(text(one, "name"), text(one, "directory"), texts(one.path("command"))));
        }
        return providers;
    }

    private static <E extends Enum<E>> E oneOf(E[] values, JsonNode data, String field) {
        String word = text(data, field);
        for (E value : values) {
            if (value.name().toLowerCase(Locale.ROOT).equals(word)) {
                return value;
            }
        }
        throw new IllegalArgumentException("assignment with %s `%s`".formatted(field, word));
    }

    private static String text(JsonNode data, String field) {
        JsonNode value = data.path(field);
        if (!value.isString()) {
            throw new IllegalArgumentException("assignment without %s".formatted(field));
        }
        return value.stringValue();
    }

    private static List<String> texts(JsonNode values) {
        List<String> texts = new ArrayList<>();
        for (JsonNode value : values) {
            texts.add(value.asString());
        }
        return texts;
    }

    private static Duration duration(String text) {
        try {
            return Duration.parse(text);
        } catch (DateTimeParseException e) {
            throw new IllegalArgumentException("assignment with toolTimeout `%s`".formatted(text));
        }
    }
}
