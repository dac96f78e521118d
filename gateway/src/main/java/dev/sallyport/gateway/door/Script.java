package dev.sallyport.gateway.door;

import static dev.sallyport.gateway.door.Form.OBJECT;
import static dev.sallyport.gateway.door.Form.TEXT;
import static dev.sallyport.gateway.door.Form.list;
import static dev.sallyport.gateway.door.Form.object;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.snakeyaml.engine.v2.api.Load;
import org.snakeyaml.engine.v2.api.LoadSettings;
import org.snakeyaml.engine.v2.api.lowlevel.Parse;
import org.snakeyaml.engine.v2.events.CollectionEndEvent;
import org.snakeyaml.engine.v2.events.CollectionStartEvent;
import org.snakeyaml.engine.v2.events.Event;
import org.snakeyaml.engine.v2.exceptions.YamlEngineException;
import org.snakeyaml.engine.v2.schema.CoreSchema;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * What a scripted model says, turn by turn. The same request always gets the same answer: the turn is the number of answers
 * that the request already holds, and nothing is remembered. docs/scripted-models.md is for those who write one.
 */
record Script(String name, List<Turn> turns) {

    private static final int DEPTH = 20;

    private static final Form FORM = object().must(
                    "turns",
                    list(object().may("expect", TEXT)
                            .may("text", TEXT)
                            .may("toolCalls", list(object().must("name", TEXT).may("arguments", OBJECT)))));

    private static final LoadSettings YAML = LoadSettings.builder()
            .setSchema(new CoreSchema())
            .setAllowDuplicateKeys(false)
            .setAllowRecursiveKeys(false)
            .setMaxAliasesForCollections(0)
            .build();

    Script {
        turns = List.copyOf(turns);
    }

    /**
     * One answer of the model.
     *
     * @param expect what the last message to the model must contain; null for anything
     */
    record Turn(@Nullable String expect, String text, List<Call> calls) {

        Turn {
            calls = List.copyOf(calls);
        }
    }

    record Call(String name, ObjectNode arguments) {}

    static Script parse(String name, String text) {
        JsonNode root;
        try {
            requireFlat(text);
            root = Json.MAPPER.valueToTree(new Load(YAML).loadFromString(text));
            FORM.check(root, "script");
        } catch (DoorProblem problem) {
            throw ScriptedModels.unusable(name, problem.detail());
        } catch (YamlEngineException | IllegalArgumentException e) {
            throw ScriptedModels.unusable(name, Names.shown(String.valueOf(e.getMessage())));
        }
        List<Turn> turns = new ArrayList<>();
        for (JsonNode turn : root.get("turns")) {
            List<Call> calls = new ArrayList<>();
            for (JsonNode call : turn.path("toolCalls")) {
                calls.add(new Call(
                        call.get("name").stringValue(),
                        call.get("arguments") instanceof ObjectNode arguments ? arguments : Json.object()));
            }
            JsonNode expect = turn.get("expect");
            turns.add(new Turn(
                    expect == null ? null : expect.stringValue(),
                    turn.path("text").asString(""),
                    calls));
        }
        return new Script(name, turns);
    }

    /** Before it is composed: the library recurses and has no limit of its own. */
    private static void requireFlat(String text) {
        int depth = 0;
        for (Event event : new Parse(YAML).parseString(text)) {
            depth += event instanceof CollectionStartEvent ? 1 : event instanceof CollectionEndEvent ? -1 : 0;
            if (depth > DEPTH) {
                throw new IllegalArgumentException("nested deeper than %d".formatted(DEPTH));
            }
        }
    }

    static int turnOf(ObjectNode request) {
        int answers = 0;
        for (JsonNode message : request.path("messages")) {
            answers += message.path("role").asString("").equals("assistant") ? 1 : 0;
        }
        return answers;
    }

    static DoorProblem exhausted(String name, int turns) {
        return new DoorProblem(
                409, "model_script_exhausted", "script `%s` has no turn after its %d".formatted(name, turns));
    }

    ScriptedAnswer play(int number, ObjectNode request) {
        Turn turn = turns.get(number);
        String expect = turn.expect();
        if (expect != null && !lastMessage(request).contains(expect)) {
            throw new DoorProblem(
                    409,
                    "model_script_expectation",
                    "script `%s` turn %d expects: %s".formatted(name, number + 1, Names.shown(expect)));
        }
        return ScriptedAnswer.of(this, number, turn, request);
    }

    /** The text of the last message, be it the user's or the results of tools. */
    private static String lastMessage(ObjectNode request) {
        JsonNode messages = request.path("messages");
        StringBuilder text = new StringBuilder();
        if (!messages.isEmpty()) {
            appendText(Objects.requireNonNull(messages.get(messages.size() - 1)).path("content"), text);
        }
        return text.toString();
    }

    private static void appendText(JsonNode content, StringBuilder text) {
        if (content.isString()) {
            text.append(content.stringValue()).append('\n');
        }
        for (JsonNode block : content) {
            appendText(block.has("text") ? block.path("text") : block.path("content"), text);
        }
    }
}
