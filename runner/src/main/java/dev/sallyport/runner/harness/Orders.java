package dev.sallyport.runner.harness;

import dev.sallyport.runner.door.Assignment;
import dev.sallyport.runner.door.Command;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/** What the gateway has told this child so far. Filled by the control stream, read by the thread that works. */
public final class Orders implements Consumer<Command> {

    // all guarded by this
    private @Nullable JsonNode assignment;
    private @Nullable Task task;
    private @Nullable Set<String> scope;
    private final Deque<String> steers = new ArrayDeque<>();
    private @Nullable String cancelled;
    private @Nullable IOException lost;
    private @Nullable Thread worker;

    @Override
    public synchronized void accept(Command command) {
        JsonNode data = command.data();
        switch (command.type()) {
            case "assignment" -> assignment = data;
            case "task" -> task = Task.of(data);
            case "steer" ->
                steers.add("[message from %s]\n%s"
                        .formatted(
                                data.path("author").asString("unknown"),
                                data.path("message").asString("")));
            case "scope" -> {
                Set<String> tools = new LinkedHashSet<>();
                data.path("tools").forEach(tool -> tools.add(tool.asString()));
                scope = tools;
            }
            case "cancel" -> {
                cancelled = data.path("reason").asString("cancelled");
                if (worker != null) {
                    worker.interrupt();
                }
            }
            default -> {
                // A newer gateway may know more (P14).
            }
        }
        notifyAll();
    }

    /** Nothing more will come. */
    public synchronized void doorLost(IOException failure) {
        lost = failure;
        notifyAll();
    }

    /**
     * What this child is to be.
     *
     * @throws IllegalArgumentException if this runner does not understand it
     */
    public synchronized Assignment awaitAssignment() throws IOException, InterruptedException {
        while (assignment == null) {
            requireDoor();
            wait();
        }
        return Assignment.of(assignment);
    }

    /** What to do. */
    public synchronized Task awaitTask() throws IOException, InterruptedException {
        while (task == null) {
            requireDoor();
            wait();
        }
        return task;
    }

    /** From now on a cancellation interrupts this thread, at once if it has come already. */
    public synchronized void interruptible() {
        worker = Thread.currentThread();
        if (cancelled != null) {
            worker.interrupt();
        }
    }

    /** What follows is not interrupted any more. */
    public synchronized void uninterruptible() {
        worker = null;
        // Clears what may have come in the last moment.
        Thread.interrupted();
    }

    public synchronized Optional<String> cancelled() {
        return Optional.ofNullable(cancelled);
    }

    /** Messages for the model in the order in which they came; each is returned once. */
    synchronized List<String> takeSteers() {
        List<String> taken = new ArrayList<>(steers);
        steers.clear();
        return taken;
    }

    /** A scope from the gateway can only take away. */
    synchronized boolean allow(String tool) {
        return scope == null || scope.contains(tool);
    }

    private void requireDoor() throws IOException {
        if (lost != null) {
            throw lost;
        }
    }
}
