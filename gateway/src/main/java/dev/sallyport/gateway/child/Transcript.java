package dev.sallyport.gateway.child;

import dev.sallyport.prompt.ParentContext;
import dev.sallyport.prompt.ParentContext.Entry;
import dev.sallyport.prompt.ParentConversation;
import dev.sallyport.text.VisibleText;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.stream.Collectors;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;

/**
 * The conversation of a child as the gateway stored it: what the child was told is the gateway's own, what it said and did is
 * its report (S4). Read by people of the session; what a child hands on to its children is taken from here, never from
 * the child (P7).
 */
final class Transcript {

    private static final int PAGE = 500;
    private static final int LONGEST_NAME = 128;

    /** Characters of a conversation that a child is told of. */
    private static final int LONGEST_CONTEXT = 1 << 18;

    private final Timeline timeline;
    private final JsonMapper json;

    Transcript(Timeline timeline, JsonMapper json) {
        this.timeline = timeline;
        this.json = json;
    }

    /** One JSON object a line (authority.md 11.12). */
    void write(Child child, OutputStream out) throws IOException {
        if (!child.terms().prompt().isEmpty()) {
            Instant begin = child.startedAt() == null ? child.createdAt() : child.startedAt();
            out.write(line(child, begin, message("user", text(child.terms().prompt()))));
        }
        for (List<Event> page = timeline.conversation(child.id(), 0, PAGE);
                !page.isEmpty();
                page = timeline.conversation(child.id(), page.getLast().seq(), PAGE)) {
            for (Event event : page) {
                out.write(line(child, event.at(), message(event)));
            }
        }
    }

    private byte[] line(Child child, Instant at, ObjectNode message) {
        ObjectNode line = json.createObjectNode()
                .put("isSidechain", true)
                .put("agentId", child.id().value())
                .put("type", message.path("role").asString());
        line.set("message", message);
        line.put("timestamp", at.toString())
                .put("cwd", Assignment.directory(child.terms().workspace()));
        return (json.writeValueAsString(line) + "\n").getBytes(StandardCharsets.UTF_8);
    }

    private ObjectNode message(Event event) {
        JsonNode data = json.readTree(event.data());
        return switch (event.type()) {
            case "steer" -> message("user", text(data.path("message").asString("")));
            case "tool-call" -> message("assistant", called(data));
            case "tool-result" -> returned(data);
            default -> message("assistant", said(data, "text"));
        };
    }

    private ObjectNode message(String role, ObjectNode block) {
        ObjectNode message = json.createObjectNode().put("role", role);
        message.set("content", json.createArrayNode().add(block));
        return message;
    }

    private ObjectNode text(String text) {
        return json.createObjectNode().put("type", "text").put("text", text);
    }

    /** The beginning, and a note, of what was too long to keep. */
    private ObjectNode said(JsonNode data, String field) {
        return data.path("truncated").asBoolean(false)
                ? text(data.path("head").asString("")).put("truncated", true)
                : text(data.path(field).asString(""));
    }

    private ObjectNode called(JsonNode data) {
        if (data.path("truncated").asBoolean(false)) {
            return said(data, "arguments");
        }
        ObjectNode call = json.createObjectNode()
                .put("type", "toolCall")
                .put("id", data.path("callId").asString(""))
                .put("name", data.path("tool").asString(""));
        call.set("arguments", data.path("arguments"));
        return call;
    }

    private ObjectNode returned(JsonNode data) {
        return message("toolResult", said(data, "output"))
                .put("toolCallId", data.path("callId").asString(""))
                .put("toolName", data.path("tool").asString(""))
                .put("isError", !data.path("outcome").asString("").equals("ok"));
    }

    /**
     * Part of a conversation as one that goes on with it is told. Calls and what came of them are told as texts: another
     * provider's ids, thoughts that are not kept and tools that are gone would make them unusable as calls. INVARIANT: of what
     * the child reported, only what it said as the model stands in a text unquoted, so that nothing of it can pass for the
     * words of a person.
     *
     * @param role {@code user}, {@code assistant}, or {@code tool} for whatever neither of them said
     */
    record Said(String role, String text) {

        /** What a part costs beside its text. */
        private static final int FRAME = 32;

        private int length() {
            return text.length() + FRAME;
        }
    }

    /**
     * The last part of all that was said in a child, and in those that it went on with.
     *
     * @param before what it was told itself, as JSON
     */
    List<Said> history(Child over, String before) {
        Deque<Said> said = new ArrayDeque<>(List.of(json.readValue(before, Said[].class)));
        said.add(new Said("user", over.terms().prompt()));
        boolean cut = shorten(said);
        for (List<Event> page = timeline.conversation(over.id(), 0, PAGE);
                !page.isEmpty();
                page = timeline.conversation(over.id(), page.getLast().seq(), PAGE)) {
            for (Event event : page) {
                Said part = said(event);
                if (!part.text().isBlank()) {
                    said.add(part);
                }
            }
            cut |= shorten(said);
        }
        if (cut) {
            said.addFirst(new Said("tool", "[what was said before this is left out]"));
        }
        String end = over.ending() == null ? "" : over.ending().message();
        said.add(new Said(
                "tool",
                "[here you stopped: %s. You go on in a new sandbox; of the old one only what is in the workspace is left]"
                        .formatted(end)));
        return List.copyOf(said);
    }

    private static boolean shorten(Deque<Said> said) {
        int length = said.stream().mapToInt(Said::length).sum();
        boolean cut = false;
        while (length > LONGEST_CONTEXT) {
            length -= said.removeFirst().length();
            cut = true;
        }
        return cut;
    }

    private Said said(Event event) {
        JsonNode data = json.readTree(event.data());
        ObjectNode message = message(event);
        JsonNode block = message.path("content").path(0);
        String text = block.path("text").asString("");
        return switch (event.type()) {
            case "steer" ->
                new Said(
                        "user",
                        "[message from %s]\n%s".formatted(data.path("author").asString(""), text));
            case "tool-call" -> new Said("tool", "[you called %s %s]".formatted(name(data), arguments(block)));
            case "tool-result" ->
                new Said(
                        "tool",
                        "[%s: %s]%s"
                                .formatted(
                                        name(data),
                                        message.path("isError").asBoolean() ? "failed" : "ok",
                                        quoted(text)));
            default -> new Said("assistant", text);
        };
    }

    private static String name(JsonNode data) {
        return VisibleText.excerpt(data.path("tool").asString(""), LONGEST_NAME);
    }

    /** JSON has no line break of its own, whole or cut. */
    private static String arguments(JsonNode block) {
        JsonNode arguments = block.path("arguments");
        return arguments.isMissingNode() ? VisibleText.line(block.path("text").asString("")) : arguments.toString();
    }

    private static String quoted(String text) {
        return text.lines().map(line -> "\n| " + line).collect(Collectors.joining());
    }

    /** What a child of this child may inherit: its prompt, and the last part of what was said. */
    ParentConversation conversation(Child parent) {
        Deque<Entry.Message> entries = new ArrayDeque<>();
        entries.add(Entry.Message.of("user", parent.terms().prompt()));
        int length = parent.terms().prompt().length();
        for (List<Event> page = timeline.heard(parent.id(), 0, PAGE);
                !page.isEmpty();
                page = timeline.heard(parent.id(), page.getLast().seq(), PAGE)) {
            for (Event event : page) {
                Entry.Message heard = heard(message(event));
                entries.add(heard);
                length += length(heard);
            }
            while (length > LONGEST_CONTEXT) {
                length -= length(entries.removeFirst());
            }
        }
        return new ParentConversation(parent.terms().systemPrompt(), new ParentContext(List.copyOf(entries)), false);
    }

    private static Entry.Message heard(ObjectNode message) {
        return Entry.Message.of(
                message.path("role").asString(),
                message.path("content").path(0).path("text").asString(""));
    }

    private static int length(Entry.Message message) {
        return String.valueOf(message.content().getFirst().text()).length();
    }
}
