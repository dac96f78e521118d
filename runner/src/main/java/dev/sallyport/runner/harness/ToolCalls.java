package dev.sallyport.runner.harness;

import dev.sallyport.identity.CallId;
import dev.sallyport.runner.door.Decision;
import dev.sallyport.runner.door.Door;
import dev.sallyport.runner.door.Event;
import dev.sallyport.runner.door.Outbox;
import dev.sallyport.runner.extension.ExtensionHost;
import dev.sallyport.runner.tool.Tool;
import dev.sallyport.runner.tool.ToolException;
import dev.sallyport.runner.tool.ToolResult;
import dev.sallyport.runner.tool.Toolbox;
import java.io.IOException;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Runs what the model asks for, after the door has said yes to exactly that. */
final class ToolCalls {

    private final Door door;
    private final Outbox outbox;
    private final Orders orders;
    private final Toolbox toolbox;
    private final ExtensionHost extensions;
    private final String directory;

    ToolCalls(Door door, Outbox outbox, Orders orders, Toolbox toolbox, ExtensionHost extensions, String directory) {
        this.door = door;
        this.outbox = outbox;
        this.orders = orders;
        this.toolbox = toolbox;
        this.extensions = extensions;
        this.directory = directory;
    }

    /** What the model is shown before a turn. */
    List<Tool> visible() {
        return names().flatMap(name -> tool(name).stream()).toList();
    }

    /** @param turn and {@code index} make the call's id unique in this incarnation, whatever id the model gives */
    ToolResult run(int turn, int index, ToolRequest request) throws IOException, InterruptedException {
        CallId id = id(turn, index, request.id());
        String tool = request.tool().substring(0, Math.min(128, request.tool().length()));
        outbox.emit(Event.toolCall(id, tool, request.arguments()));
        ToolResult result = decideAndRun(id, tool, request);
        outbox.emit(Event.toolResult(id, tool, result.outcome().wire(), result.output(), result.exitCode()));
        return result;
    }

    private ToolResult decideAndRun(CallId id, String name, ToolRequest request)
            throws IOException, InterruptedException {
        Optional<Tool> tool = tool(name).filter(_ -> inScope(name));
        if (!request.arguments().isObject()) {
            return ToolResult.error("arguments (expected: a JSON object)");
        }
        Optional<Tool.Call> call = Optional.empty();
        if (tool.isPresent()) {
            try {
                call = Optional.of(tool.get().prepare(request.arguments()));
            } catch (ToolException e) {
                return ToolResult.error(String.valueOf(e.getMessage()));
            }
        }
        if (call.isPresent() && tool.get().decidedAtDoor()) {
            // A child of this one may inherit what was said, and from nobody but the gateway (P7).
            outbox.flush();
            return Toolbox.run(call.get());
        }
        // Asked even for what is out of scope: the answer is known, but the attempt belongs on record.
        Decision decision = door.authorize(id, name, request.arguments(), directory);
        if (call.isEmpty() || !inScope(name)) {
            // The scope may have become smaller while people were asked.
            return ToolResult.refused("tool `%s` is not available to this child (available: %s)"
                    .formatted(name, names().collect(Collectors.joining(", "))));
        }
        return switch (decision.outcome()) {
            case ALLOWED -> Toolbox.run(call.get());
            case DENIED -> ToolResult.refused("denied: " + reason(decision, "no reason was given"));
            case UNAVAILABLE -> ToolResult.refused("approval unavailable: " + reason(decision, "nobody can be asked"));
            case EXPIRED -> ToolResult.refused("approval expired: " + reason(decision, "nobody answered in time"));
            case CANCELLED -> ToolResult.refused("cancelled: " + reason(decision, "the question was withdrawn"));
        };
    }

    /** A turn is over: what the model is shown is worked out again. */
    void turnEnded() {
        extensions.scope().turnEnded();
    }

    private Stream<String> names() {
        return extensions.scope().visible().stream().filter(orders::allow);
    }

    /** The veto: asked again at every call, so that nothing depends on what the model was shown (S1). */
    private boolean inScope(String name) {
        return extensions.scope().permits(name) && orders.allow(name);
    }

    private Optional<Tool> tool(String name) {
        return extensions.scope().provider(name).isPresent() ? extensions.tool(name) : toolbox.named(name);
    }

    private static String reason(Decision decision, String otherwise) {
        return decision.reason().isEmpty() ? otherwise : decision.reason();
    }

    private static CallId id(int turn, int index, String model) {
        String cleaned = model.replaceAll("[^A-Za-z0-9._-]", "");
        String cut = cleaned.substring(0, Math.min(96, cleaned.length()));
        return new CallId("%d.%d%s".formatted(turn, index, cut.isEmpty() ? "" : ":" + cut));
    }
}
