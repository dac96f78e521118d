package dev.sallyport.runner;

import dev.sallyport.runner.door.Answer;
import dev.sallyport.runner.door.Assignment;
import dev.sallyport.runner.door.Door;
import dev.sallyport.runner.door.Event;
import dev.sallyport.runner.door.Outbox;
import dev.sallyport.runner.door.Pump;
import dev.sallyport.runner.extension.ExtensionHost;
import dev.sallyport.runner.harness.BuiltinHarness;
import dev.sallyport.runner.harness.CommandHarness;
import dev.sallyport.runner.harness.Harness;
import dev.sallyport.runner.harness.Orders;
import dev.sallyport.runner.harness.Surroundings;
import dev.sallyport.runner.harness.Task;
import dev.sallyport.runner.tool.OutputLimit;
import dev.sallyport.runner.tool.Toolbox;
import dev.sallyport.runner.tool.Workspace;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;

/** The life of one child, from its assignment to its last event. Everything in here is courtesy: the container binds it (S1). */
final class Runner {

    /** The runner itself could not do its part. */
    static final int COULD_NOT = 125;

    private static final int STOPPED = 128 + 15;

    /** Characters of events that wait for the gateway. */
    private static final int OUTBOX = 2 << 20;

    private static final Duration MODEL_PAUSE = Duration.ofSeconds(1);

    private final Path socket;
    private final int port;
    private final Duration patience;
    private final Orders orders = new Orders();

    /** Cleared once there is no more to deliver. */
    private Optional<CloneWorkspace> clone = Optional.empty();

    private Optional<MemoryCopy> memory = Optional.empty();

    private String title = "";

    /**
     * @param port on the loopback address, 0 for any
     * @param patience how long the gateway may be away
     */
    Runner(Path socket, int port, Duration patience) {
        this.socket = socket;
        this.port = port;
        this.patience = patience;
    }

    /** Lives that life and returns the exit code. */
    int run() throws IOException, InterruptedException {
        Door door = new Door(socket, patience);
        try (Pump pump = Pump.open(port, socket);
                Outbox outbox = new Outbox(door, OUTBOX)) {
            Thread control = Thread.ofVirtual().name("control").start(() -> listen(door));
            try {
                int code = live(door, outbox, pump.port());
                return outbox.flush() ? code : COULD_NOT;
            } finally {
                control.interrupt();
            }
        }
    }

    private void listen(Door door) {
        try {
            door.listen(orders);
        } catch (IOException e) {
            orders.doorLost(e);
        } catch (InterruptedException e) {
            // the child has ended
        }
    }

    private int live(Door door, Outbox outbox, int pumpPort) throws IOException, InterruptedException {
        int code;
        try {
            code = interruptibly(door, outbox, pumpPort);
        } catch (InterruptedException e) {
            outbox.emit(Event.error("cancelled", orders.cancelled().orElse("interrupted")));
            code = STOPPED;
        } catch (IllegalArgumentException e) {
            outbox.emit(Event.error("version-skew", String.valueOf(e.getMessage())));
            return COULD_NOT;
        } catch (IOException | GitException e) {
            outbox.emit(Event.error("runner-failed", String.valueOf(e.getMessage())));
            code = COULD_NOT;
        }
        keep(door, outbox);
        return deliver(door, outbox) || code != 0 ? code : COULD_NOT;
    }

    /** Only the work can be cancelled; what comes after it is said and delivered. */
    private int interruptibly(Door door, Outbox outbox, int pumpPort)
            throws GitException, IOException, InterruptedException {
        orders.interruptible();
        try {
            return work(door, outbox, pumpPort);
        } finally {
            orders.uninterruptible();
        }
    }

    private int work(Door door, Outbox outbox, int pumpPort) throws GitException, IOException, InterruptedException {
        Assignment assignment = orders.awaitAssignment();
        Path directory = Path.of(assignment.workspace().directory());
        title = String.join(" ", assignment.command());
        Optional<String> head = Optional.empty();
        Optional<Assignment.Branch> branch = assignment.workspace().ownBranch();
        if (branch.isPresent()) {
            CloneWorkspace fresh = new CloneWorkspace(directory, branch.get(), assignment.child());
            head = Optional.of(fresh.prepare(door));
            clone = Optional.of(fresh);
        }
        if (assignment.memory().isPresent()) {
            MemoryCopy copy = new MemoryCopy(assignment.memory().get());
            copy.prepare(door);
            memory = Optional.of(copy);
        }
        Harness harness = harness(assignment, door, outbox, directory, Surroundings.of(pumpPort));
        outbox.emit(started(assignment, harness));
        if (head.isPresent()) {
            outbox.emit(Event.workspaceReady(head.get()));
        }
        Task task = orders.awaitTask();
        title = task.prompt().isBlank() ? title : task.prompt();
        if (assignment.harness() == Assignment.Harness.COMMAND
                && !task.history().isEmpty()) {
            throw new IllegalArgumentException("a conversation for a program, which cannot go on with one");
        }
        return harness.run(task);
    }

    private Harness harness(
            Assignment assignment, Door door, Outbox outbox, Path directory, Map<String, String> environment)
            throws InterruptedException {
        return switch (assignment.harness()) {
            case BUILTIN -> {
                Workspace workspace = new Workspace(directory, home());
                Toolbox toolbox = new Toolbox(
                        door,
                        workspace,
                        new OutputLimit(assignment.outputLimit()),
                        assignment.toolTimeout(),
                        environment);
                ExtensionHost extensions = ExtensionHost.start(assignment, outbox, environment);
                yield new BuiltinHarness(door, outbox, orders, assignment, toolbox, extensions, MODEL_PAUSE);
            }
            case COMMAND -> new CommandHarness(outbox, assignment.command(), directory, environment);
        };
    }

    /** The JDK asks the password file, which knows none of our users. */
    private static Path home() {
        return Path.of(System.getenv().getOrDefault("HOME", "/home/agent"));
    }

    /** Also what a child that failed has learned. The work is what counts: nothing here fails it. */
    private void keep(Door door, Outbox outbox) throws InterruptedException {
        if (memory.isEmpty()) {
            return;
        }
        try {
            Optional<Answer> answer = memory.get().deliver(door);
            if (answer.isPresent() && !answer.get().ok()) {
                outbox.emit(Event.error(answer.get().code(), answer.get().detail()));
            }
        } catch (IOException e) {
            outbox.emit(Event.error("memory-not-kept", String.valueOf(e.getMessage())));
        }
    }

    /** Also what a child that failed has done is worth keeping. */
    private boolean deliver(Door door, Outbox outbox) throws InterruptedException {
        if (clone.isEmpty()) {
            return true;
        }
        try {
            Optional<Answer> answer = clone.get().deliver(door, title);
            if (answer.isEmpty() || answer.get().ok()) {
                return true;
            }
            String code = answer.get().code();
            outbox.emit(Event.error(
                    code.isEmpty() ? "workspace-refused" : code, answer.get().detail()));
        } catch (IOException | GitException e) {
            outbox.emit(Event.error("workspace-not-delivered", String.valueOf(e.getMessage())));
        }
        return false;
    }

    private static Event started(Assignment assignment, Harness harness) throws IOException {
        return Event.started(
                assignment.nonce(),
                harness.tools(),
                harness.extensions(),
                assignment.model().map(Assignment.Model::toString).orElse(null),
                Files.readString(Path.of("/proc/1/comm")).strip(),
                (int) Files.getAttribute(Path.of("/proc/self"), "unix:uid"));
    }
}
