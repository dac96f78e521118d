package dev.sallyport.runner.door;

import dev.sallyport.identity.CallId;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.Consumer;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * The gateway as this child sees it. Everything that may be said twice is repeated while the gateway is away; what is not
 * answered for {@code patience} ends in {@link DoorLostException}.
 */
public final class Door {

    /** Bytes of one answer that are taken into memory. */
    private static final int LARGEST_ANSWER = 8 << 20;

    private final Path socket;
    private final Duration patience;

    /** As many as were ever used at a time: whoever works, and the outbox. */
    private final Deque<Connection> idle = new ArrayDeque<>();

    /** Reads a stream to its end. Its IOExceptions are the connection's, so that it is called again after them. */
    @FunctionalInterface
    public interface Source<E extends Exception> {

        void readFrom(InputStream in) throws E, IOException, InterruptedException;
    }

    /** Writes a stream to its end. Its IOExceptions are the connection's, so that it is called again after them. */
    @FunctionalInterface
    public interface Sink<E extends Exception> {

        void writeTo(OutputStream out) throws E, IOException, InterruptedException;
    }

    public Door(Path socket, Duration patience) {
        this.socket = socket;
        this.patience = patience;
    }

    /** Asks whether one call may run, for as long as it takes people to answer. Repeating the question is safe (S26). */
    public Decision authorize(CallId call, String tool, JsonNode arguments, String directory)
            throws IOException, InterruptedException {
        ObjectNode question = Json.object().put("callId", call.value()).put("tool", tool);
        question.set("arguments", arguments);
        byte[] body = Json.bytes(question.put("directory", directory));
        while (true) {
            Answer answer = persist("/v1/authorize", body);
            if (!answer.ok()) {
                return new Decision(Decision.Outcome.DENIED, answer.detail());
            }
            if (!Decision.pending(answer.body())) {
                return Decision.of(answer.body());
            }
            // The door holds the question itself; this is for one that does not.
            Thread.sleep(Duration.ofMillis(50));
        }
    }

    /**
     * Asks for a child of this child, for as long as it takes people to answer.
     *
     * @param path of the route that makes one
     * @param call the same again finds the same child
     */
    public Answer spawn(String path, JsonNode request, String call) throws IOException, InterruptedException {
        byte[] body = Json.bytes(request);
        while (true) {
            Answer answer = persist(connection -> connection.post(path, body, Map.of("Idempotency-Key", call)));
            if (!answer.ok() || !Decision.pending(answer.body())) {
                return answer;
            }
            Thread.sleep(Duration.ofMillis(50));
        }
    }

    public Answer get(String path) throws IOException, InterruptedException {
        return persist(connection -> connection.get(path, Map.of()));
    }

    public Answer post(String path, JsonNode body) throws IOException, InterruptedException {
        return persist(path, Json.bytes(body));
    }

    /** Returns when the gateway has stored the events, or has refused them for good. */
    void report(List<ObjectNode> events) throws IOException, InterruptedException {
        List<ObjectNode> unsaid = events;
        while (!unsaid.isEmpty()) {
            Answer answer = persist("/v1/events", Outbox.json(unsaid));
            if (!answer.ok()) {
                return;
            }
            long acknowledged = answer.body().path("acknowledged").asLong(0);
            List<ObjectNode> rest = unsaid.stream()
                    .filter(event -> event.path("n").asLong() > acknowledged)
                    .toList();
            if (rest.size() == unsaid.size()) {
                throw new IOException("the door acknowledges nothing");
            }
            unsaid = rest;
        }
    }

    /**
     * One model call. Waits for a gateway that is away, but never repeats a call by itself: it may have cost something.
     *
     * @throws IOException if the answer broke off
     */
    public Answer model(String path, byte[] body) throws IOException, InterruptedException {
        try (Connection connection = connect()) {
            return Answer.of(connection.post(path, body), LARGEST_ANSWER);
        } catch (IOException e) {
            throw interruptedOr(e);
        }
    }

    /**
     * Hands over the bundle of the source, from its start again if it breaks off.
     *
     * @throws IOException if the gateway refuses
     */
    public <E extends Exception> void fetchWorkspace(Source<E> source) throws E, IOException, InterruptedException {
        Patience left = new Patience(patience);
        while (true) {
            try (Connection connection = connect()) {
                Reply reply = connection.get("/v1/workspace", Map.of());
                if (reply.status() == 200) {
                    source.readFrom(reply.body());
                    return;
                }
                Answer answer = Answer.of(reply, LARGEST_ANSWER);
                if (!answer.temporary()) {
                    throw new RefusedException(answer);
                }
                left.failed(new IOException(answer.detail()));
            } catch (RefusedException | DoorLostException e) {
                throw e;
            } catch (IOException e) {
                left.failed(interruptedOr(e));
            }
        }
    }

    /** Delivers the bundle of the result. */
    public <E extends Exception> Answer deliverWorkspace(Sink<E> sink) throws E, IOException, InterruptedException {
        Patience left = new Patience(patience);
        boolean unsure = false;
        while (true) {
            try (Connection connection = connect()) {
                Answer answer =
                        Answer.of(connection.put("/v1/workspace", "application/x-git-bundle", sink), LARGEST_ANSWER);
                if (unsure && answer.code().equals("branch-exists")) {
                    // It was taken before; only the answer to that had been lost.
                    return new Answer(200, answer.body(), answer.retryAfter());
                }
                if (!answer.temporary()) {
                    return answer;
                }
                left.failed(new IOException(answer.detail()));
            } catch (DoorLostException e) {
                throw e;
            } catch (IOException e) {
                unsure = true;
                left.failed(interruptedOr(e));
            }
        }
    }

    /**
     * The files of this child's memory.
     *
     * @throws IOException if the gateway refuses
     */
    public SortedMap<String, String> fetchMemory() throws IOException, InterruptedException {
        Answer answer = get("/v1/memory");
        if (!answer.ok()) {
            throw new RefusedException(answer);
        }
        SortedMap<String, String> files = new TreeMap<>();
        for (JsonNode file : answer.body().path("files")) {
            files.put(file.path("path").asString(""), file.path("content").asString(""));
        }
        return files;
    }

    /** Leaves these files to later runs of this agent. Saying it twice is safe. */
    public Answer keepMemory(SortedMap<String, String> files) throws IOException, InterruptedException {
        ObjectNode body = Json.object();
        ArrayNode list = body.putArray("files");
        files.forEach((path, content) -> list.addObject().put("path", path).put("content", content));
        byte[] bytes = Json.bytes(body);
        return persist(connection -> connection.put("/v1/memory", bytes));
    }

    /** Follows the control stream until interrupted; a gateway that restarts is asked for what came after the last command. */
    public void listen(Consumer<Command> commands) throws IOException, InterruptedException {
        ControlStream stream = new ControlStream(commands);
        Patience left = new Patience(patience);
        while (true) {
            try (Connection connection = Connection.open(socket)) {
                Reply reply = connection.get("/v1/control", stream.headers());
                if (reply.status() == 200) {
                    try {
                        stream.follow(reply.body());
                    } finally {
                        left.succeeded();
                    }
                }
                left.failed(new IOException("control stream ended with status %d".formatted(reply.status())));
            } catch (DoorLostException e) {
                throw e;
            } catch (IOException e) {
                left.failed(interruptedOr(e));
            }
        }
    }

    @FunctionalInterface
    private interface Request {

        Reply over(Connection connection) throws IOException;
    }

    private Answer persist(String path, byte[] body) throws IOException, InterruptedException {
        return persist(connection -> connection.post(path, body));
    }

    private Answer persist(Request request) throws IOException, InterruptedException {
        Patience left = new Patience(patience);
        while (true) {
            try {
                Answer answer = exchange(request);
                // No amount of waiting makes room for more events.
                if (!answer.temporary() || answer.code().equals("events-limit")) {
                    return answer;
                }
                left.failed(new IOException(answer.detail()));
            } catch (DoorLostException e) {
                throw e;
            } catch (IOException e) {
                left.failed(interruptedOr(e));
            }
        }
    }

    private Answer exchange(Request request) throws IOException {
        Connection connection = idle();
        try {
            Reply reply = request.over(connection);
            Answer answer = Answer.of(reply, LARGEST_ANSWER);
            if (reply.keepAlive()) {
                release(connection);
            } else {
                connection.close();
            }
            return answer;
        } catch (IOException e) {
            connection.close();
            throw e;
        }
    }

    private Connection connect() throws IOException, InterruptedException {
        Patience left = new Patience(patience);
        while (true) {
            try {
                return Connection.open(socket);
            } catch (IOException e) {
                left.failed(interruptedOr(e));
            }
        }
    }

    private Connection idle() throws IOException {
        Connection connection;
        synchronized (idle) {
            connection = idle.poll();
        }
        return connection == null ? Connection.open(socket) : connection;
    }

    private void release(Connection connection) {
        synchronized (idle) {
            idle.push(connection);
        }
    }

    /** Channels answer an interrupt by closing; callers want to know which it was. */
    private static IOException interruptedOr(IOException e) throws InterruptedException {
        if (Thread.interrupted()) {
            throw new InterruptedException();
        }
        return e;
    }

    /** The door understood and will not. */
    public static final class RefusedException extends IOException {

        private static final long serialVersionUID = 1L;

        RefusedException(Answer answer) {
            super(answer.detail());
        }
    }
}
