package dev.sallyport.runner.harness;

import dev.sallyport.invocation.Turns;
import dev.sallyport.runner.door.Assignment;
import dev.sallyport.runner.door.Door;
import dev.sallyport.runner.door.Event;
import dev.sallyport.runner.door.Json;
import dev.sallyport.runner.door.Outbox;
import dev.sallyport.runner.extension.ExtensionHost;
import dev.sallyport.runner.tool.Tool;
import dev.sallyport.runner.tool.ToolResult;
import dev.sallyport.runner.tool.Toolbox;
import java.io.IOException;
import java.time.Duration;
import java.util.List;

/** Our own agent loop: a turn is one answer of the model and the tool calls that it asks for, until it asks for none. */
public final class BuiltinHarness implements Harness {

    private static final String WRAP_UP =
            "[turn limit reached] Finish now: use no more tools than you must and give your final answer.";

    private final Outbox outbox;
    private final ExtensionHost extensions;
    private final Orders orders;
    private final ModelCalls model;
    private final ToolCalls calls;
    private final Dialogue dialogue;
    private Turns turns;
    private final String route;
    private String lastText = "";

    /**
     * Ready to run once.
     *
     * @param modelPause after the first failure of a model call
     */
    public BuiltinHarness(
            Door door,
            Outbox outbox,
            Orders orders,
            Assignment assignment,
            Toolbox toolbox,
            ExtensionHost extensions,
            Duration modelPause) {
        Assignment.Model assigned =
                assignment.model().orElseThrow(() -> new IllegalArgumentException("the builtin harness needs a model"));
        this.outbox = outbox;
        this.extensions = extensions;
        this.orders = orders;
        this.model = new ModelCalls(door, outbox, modelPause);
        this.calls = new ToolCalls(
                door,
                outbox,
                orders,
                toolbox,
                extensions,
                assignment.workspace().directory());
        this.dialogue = Dialogue.with(assigned, assignment.systemPrompt());
        this.turns = Turns.of(assignment.maxTurns(), assignment.graceTurns());
        this.route = "/model/" + assigned.provider() + dialogue.route();
    }

    @Override
    public List<String> tools() {
        return calls.visible().stream().map(Tool::name).toList();
    }

    @Override
    public List<String> extensions() {
        return extensions.active();
    }

    @Override
    public int run(Task task) throws IOException, InterruptedException {
        for (Task.Said said : task.history()) {
            if (said.own()) {
                dialogue.assistant(said.text());
            } else {
                dialogue.user(said.text());
            }
        }
        dialogue.user(task.prompt());
        try {
            return turns();
        } catch (ModelException e) {
            return failed(e.code(), String.valueOf(e.getMessage()));
        }
    }

    private int turns() throws ModelException, IOException, InterruptedException {
        while (true) {
            orders.takeSteers().forEach(dialogue::user);
            int turn = turns.ended() + 1;
            outbox.emit(Event.turn(turn));
            Reply reply = dialogue.answer(model.call(route, () -> Json.bytes(dialogue.request(calls.visible()))));
            if (!reply.text().isEmpty()) {
                lastText = reply.text();
                outbox.emit(Event.assistant(reply.text()));
            }
            if (reply.stop() == Reply.Stop.DECLINED) {
                return failed("model-declined", "the model declined to answer");
            }
            runTools(turn, reply);
            calls.turnEnded();
            turns = turns.turnEnded();
            List<String> steers = orders.takeSteers();
            if (reply.requests().isEmpty() && steers.isEmpty()) {
                return finished(reply);
            }
            steers.forEach(dialogue::user);
            switch (turns.verdict()) {
                case GO_ON -> {}
                case WRAP_UP -> dialogue.user(WRAP_UP);
                case STOP -> {
                    return failed("turn-limit", "stopped after %d turns".formatted(turn));
                }
            }
        }
    }

    private void runTools(int turn, Reply reply) throws IOException, InterruptedException {
        int index = 0;
        for (ToolRequest request : reply.requests()) {
            index++;
            dialogue.toolResult(
                    request,
                    reply.stop() == Reply.Stop.CUT_OFF
                            ? ToolResult.error("not run: the answer was cut off, so the arguments may be incomplete")
                            : calls.run(turn, index, request));
        }
    }

    /** authority.md §11.4: an answer that was cut off before its first word is a failure; one with text is not. */
    private int finished(Reply reply) throws InterruptedException {
        if (reply.stop() == Reply.Stop.CUT_OFF && reply.text().isEmpty()) {
            return failed("model-cut-off", "the model's answer was cut off before its first word");
        }
        outbox.emit(Event.result(lastText));
        return 0;
    }

    /** What was said until then is still the result. */
    private int failed(String code, String message) throws InterruptedException {
        if (!lastText.isEmpty()) {
            outbox.emit(Event.result(lastText));
        }
        outbox.emit(Event.error(code, message));
        return 1;
    }
}
