package dev.sallyport.runner.tool;

import dev.sallyport.runner.door.Answer;
import dev.sallyport.runner.door.Decision;
import dev.sallyport.runner.door.Door;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

/** What a model that may delegate can do about other agents (authority.md 7.4, 11.8). All of it is decided at the door. */
final class SubagentTools {

    private static final String CHILDREN = "/v1/children";
    private static final int FINISHED = 200;
    private static final int NOT_YET = 409;

    private final Door door;
    private final AtomicInteger spawned = new AtomicInteger();

    private SubagentTools(Door door) {
        this.door = door;
    }

    static List<Tool> through(Door door) {
        SubagentTools tools = new SubagentTools(door);
        return List.of(
                new AtDoor(
                        "Agent",
                        "Give a task to another agent and wait for its answer, or with run_in_background get its id."
                                + " With resume, an agent that you started and that has ended goes on: then only prompt"
                                + " and description count.",
                        """
                        {"type":"object","properties":{
                        "subagent_type":{"type":"string","description":"name of the agent"},
                        "prompt":{"type":"string","description":"the whole task: the agent knows nothing else"},
                        "description":{"type":"string","description":"the task in a few words"},
                        "model":{"type":"string"},
                        "max_turns":{"type":"integer"},
                        "run_in_background":{"type":"boolean"},
                        "inherit_context":{"type":"boolean"},
                        "isolated":{"type":"boolean"},
                        "isolation":{"type":"string","enum":["worktree"]},
                        "resume":{"type":"string","description":"the id of an agent that has ended"},
                        "workspace":{"type":"string","enum":["none","read-only","read-write","clone"]},
                        "directory":{"type":"string","description":"inside the workspace"}},
                        "required":["prompt","description"],"additionalProperties":false}""",
                        tools::spawn),
                new AtDoor("get_subagent_result", "What came of an agent that you started.", """
                        {"type":"object","properties":{
                        "agent_id":{"type":"string"},
                        "wait":{"type":"boolean","description":"until it has ended"}},
                        "required":["agent_id"],"additionalProperties":false}""", tools::result),
                new AtDoor(
                        "steer_subagent",
                        "Send a message to an agent that you started and that is running.",
                        """
                        {"type":"object","properties":{
                        "agent_id":{"type":"string"},
                        "message":{"type":"string"}},
                        "required":["agent_id","message"],"additionalProperties":false}""",
                        tools::steer),
                new AtDoor(
                        "list_subagents",
                        "The agents that you started: all that run and the last that have ended.",
                        """
                        {"type":"object","properties":{},"additionalProperties":false}""",
                        tools::list),
                new AtDoor("cancel_subagent", "End an agent that you started.", """
                        {"type":"object","properties":{
                        "agent_id":{"type":"string"},
                        "reason":{"type":"string"}},
                        "required":["agent_id"],"additionalProperties":false}""", tools::cancel));
    }

    @FunctionalInterface
    private interface Preparation {

        Tool.Call of(Arguments arguments) throws ToolException;
    }

    private record AtDoor(String name, String description, String parameters, Preparation preparation) implements Tool {

        @Override
        public boolean decidedAtDoor() {
            return true;
        }

        @Override
        public Call prepare(JsonNode json) throws ToolException {
            return preparation.of(new Arguments(json));
        }
    }

    private Tool.Call spawn(Arguments arguments) throws ToolException {
        ObjectNode request = JsonNodeFactory.instance.objectNode();
        request.put("prompt", arguments.text("prompt"));
        request.put("description", arguments.text("description"));
        if (arguments.has("resume")) {
            String id = id(arguments, "resume");
            // A resumed agent stays who it was (authority.md 4).
            arguments.optionalText("subagent_type");
            arguments.nothingElse();
            String call = "resume/%d".formatted(spawned.incrementAndGet());
            return () -> spawn(CHILDREN + "/" + id + "/resume", request, call);
        }
        put(request, "agent", arguments, "subagent_type");
        put(request, "model", arguments, "model");
        put(request, "isolation", arguments, "isolation");
        put(request, "workspace", arguments, "workspace");
        put(request, "directory", arguments, "directory");
        int turns = arguments.number("max_turns", -1, 0, Integer.MAX_VALUE);
        if (turns >= 0) {
            request.put("maxTurns", turns);
        }
        // Absent and false differ: what is not said is the agent file's to say.
        for (String[] names : new String[][] {
            {"runInBackground", "run_in_background"}, {"inheritContext", "inherit_context"}, {"isolated", "isolated"}
        }) {
            if (arguments.has(names[1])) {
                request.put(names[0], arguments.flag(names[1]));
            }
        }
        arguments.nothingElse();
        String call = "spawn/%d".formatted(spawned.incrementAndGet());
        return () -> spawn(CHILDREN, request, call);
    }

    private static void put(ObjectNode request, String field, Arguments arguments, String name) throws ToolException {
        arguments.optionalText(name).ifPresent(text -> request.put(field, text));
    }

    private ToolResult spawn(String path, ObjectNode request, String call) throws IOException, InterruptedException {
        Answer answer = door.spawn(path, request, call);
        if (!answer.ok()) {
            return refused(answer);
        }
        Decision decision = Decision.of(answer.body());
        if (decision.outcome() != Decision.Outcome.ALLOWED) {
            return ToolResult.refused("%s: %s".formatted(decision.outcome(), decision.reason()));
        }
        JsonNode child = answer.body().path("child");
        String id = child.path("id").asString();
        return child.path("runInBackground").asBoolean(false)
                ? ToolResult.ok("agent %s runs in the background".formatted(id))
                : result(id, true);
    }

    private Tool.Call result(Arguments arguments) throws ToolException {
        String id = id(arguments);
        boolean wait = arguments.flag("wait");
        arguments.nothingElse();
        return () -> result(id, wait);
    }

    private ToolResult result(String id, boolean wait) throws IOException, InterruptedException {
        while (true) {
            Answer answer = door.get(CHILDREN + "/" + id + "/result?wait=" + (wait ? 20 : 0) + "s");
            if (answer.status() == FINISHED) {
                return finished(answer.body());
            }
            if (answer.status() != NOT_YET) {
                return refused(answer);
            }
            if (!wait) {
                return ToolResult.ok(answer.detail());
            }
            // A door that does not hold the question is not asked in a loop.
            Thread.sleep(Duration.ofMillis(50));
        }
    }

    private static ToolResult finished(JsonNode result) {
        String outcome = result.path("outcome").asString();
        String output = result.path("output").asString("");
        String branch = result.path("branch").asString("");
        String saved = branch.isEmpty()
                ? ""
                : "\n\n---\nChanges saved to branch `%s`. Merge with: `git merge %s`".formatted(branch, branch);
        return outcome.equals("completed")
                ? ToolResult.ok(output + saved)
                : ToolResult.error("%s (%s): %s%s%s"
                        .formatted(
                                outcome,
                                result.path("reason").asString(""),
                                result.path("message").asString(""),
                                output.isEmpty() ? "" : "\n\nUntil then it had said:\n" + output,
                                saved));
    }

    private Tool.Call steer(Arguments arguments) throws ToolException {
        String id = id(arguments);
        ObjectNode body = JsonNodeFactory.instance.objectNode().put("message", arguments.text("message"));
        arguments.nothingElse();
        return () -> {
            Answer answer = door.post(CHILDREN + "/" + id + "/steer", body);
            return answer.ok() ? ToolResult.ok("sent") : refused(answer);
        };
    }

    private Tool.Call list(Arguments arguments) throws ToolException {
        arguments.nothingElse();
        return () -> {
            Answer answer = door.get(CHILDREN);
            if (!answer.ok()) {
                return refused(answer);
            }
            StringBuilder lines = new StringBuilder();
            for (JsonNode child : answer.body().path("children")) {
                lines.append("%s %s %s: %s%n"
                        .formatted(
                                child.path("id").asString(),
                                child.path("state").asString(),
                                child.path("agent").asString(),
                                child.path("description").asString()));
            }
            return ToolResult.ok(lines.isEmpty() ? "none" : lines.toString().strip());
        };
    }

    private Tool.Call cancel(Arguments arguments) throws ToolException {
        String id = id(arguments);
        ObjectNode body = JsonNodeFactory.instance.objectNode();
        put(body, "reason", arguments, "reason");
        arguments.nothingElse();
        return () -> {
            Answer answer = door.post(CHILDREN + "/" + id + "/cancel", body);
            return answer.ok() ? ToolResult.ok("cancelled") : refused(answer);
        };
    }

    /** Only what is an id becomes part of a path. */
    private static String id(Arguments arguments) throws ToolException {
        return id(arguments, "agent_id");
    }

    private static String id(Arguments arguments, String name) throws ToolException {
        String id = arguments.text(name);
        if (!id.matches("[a-z2-7]{16}")) {
            throw new ToolException("%s: `%s` (expected: the id of an agent that you started)".formatted(name, id));
        }
        return id;
    }

    private static ToolResult refused(Answer answer) {
        return ToolResult.refused("%s: %s".formatted(answer.code(), answer.detail()));
    }
}
