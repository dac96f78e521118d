package dev.sallyport.gateway.child;

import dev.sallyport.gateway.door.Command;
import dev.sallyport.gateway.sandbox.SandboxId;
import java.time.Duration;
import java.util.List;
import java.util.stream.StreamSupport;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/** The runner of a sandbox that is none: it has exactly what its assignment says. */
public final class FakeRunner {

    private FakeRunner() {}

    /** Says so at once, without using one of the child's event numbers. */
    public static void start(Lives lives, SandboxId sandbox) {
        lives.find(sandbox.child()).ifPresent(live -> live.claim(honest(assignment(lives, sandbox))));
    }

    static JsonNode assignment(Lives lives, SandboxId sandbox) {
        try {
            return lives.live(sandbox.child(), sandbox.incarnation()).orElseThrow().commands(0, Duration.ZERO).stream()
                    .filter(command -> command.type() == Command.Type.ASSIGNMENT)
                    .map(Command::data)
                    .findFirst()
                    .orElseThrow();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    static Evidence honest(JsonNode assignment) {
        boolean builtin = assignment.path("harness").stringValue().equals("builtin");
        JsonNode model = assignment.path("model");
        return new Evidence(
                assignment.path("nonce").stringValue(),
                model.isObject() ? name(model) : null,
                builtin ? tools(assignment) : List.of(),
                assignment
                        .path("providers")
                        .valueStream()
                        .map(provider -> provider.path("name").stringValue())
                        .toList());
    }

    private static @Nullable String name(JsonNode model) {
        return model.path("provider").stringValue() + "/" + model.path("id").stringValue();
    }

    private static List<String> tools(JsonNode assignment) {
        return StreamSupport.stream(assignment.path("tools").spliterator(), false)
                .map(JsonNode::stringValue)
                .toList();
    }
}
