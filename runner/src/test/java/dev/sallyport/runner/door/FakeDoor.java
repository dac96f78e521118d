package dev.sallyport.runner.door;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.BooleanSupplier;
import java.util.function.Function;
import tools.jackson.databind.JsonNode;

/** A gateway in memory. It can die and come back; what it knows survives, as a database would. */
public final class FakeDoor implements AutoCloseable {

    private static final Duration LONG = Duration.ofSeconds(20);

    /** A prepared answer of the model, or of anything else. */
    public record Prepared(int status, String json) {}

    private final Path socket;
    private DoorServer server;

    // guarded by this
    private final List<Command> commands = new ArrayList<>();
    private final Map<Long, JsonNode> events = new TreeMap<>();
    private final List<JsonNode> questions = new ArrayList<>();
    private final List<JsonNode> modelRequests = new ArrayList<>();
    private final List<String> modelPaths = new ArrayList<>();
    private final Deque<Prepared> modelAnswers = new ArrayDeque<>();
    private final List<String> lastEventIds = new ArrayList<>();
    private Function<JsonNode, String> authorize = _ -> "{\"decision\":\"allowed\"}";
    private Runnable onModelRequest = () -> {};
    private boolean deaf;
    private boolean mute;
    private boolean breaking;
    private boolean hangingUp;
    private Optional<Prepared> refusal = Optional.empty();
    private Optional<Prepared> noControl = Optional.empty();
    private final Deque<Prepared> noSource = new ArrayDeque<>();
    private int fetches;
    private int mostTaken = Integer.MAX_VALUE;
    private int eventPosts;
    private int largestPost;
    private byte[] source = new byte[0];
    private byte[] delivered = new byte[0];
    private Prepared delivery = new Prepared(200, "{}");
    private Runnable onDelivery = () -> {};
    private int deliveries;
    private String memory = "{\"files\":[]}";
    private final List<JsonNode> kept = new ArrayList<>();
    private Prepared keeping = new Prepared(200, "{}");

    public FakeDoor(Path directory) throws IOException {
        this.socket = directory.resolve("door.sock");
        this.server = DoorServer.open(socket, this::handle);
    }

    public Path socket() {
        return socket;
    }

    public void die() throws IOException {
        server.close();
    }

    public void comeBack() throws IOException {
        server = DoorServer.open(socket, this::handle);
    }

    @Override
    public void close() throws IOException {
        server.close();
    }

    public synchronized FakeDoor command(String type, String json) {
        commands.add(new Command(type, Json.read(json)));
        notifyAll();
        return this;
    }

    public synchronized FakeDoor model(String json) {
        modelAnswers.add(new Prepared(200, json));
        return this;
    }

    public synchronized FakeDoor modelFails(int status, String json) {
        modelAnswers.add(new Prepared(status, json));
        return this;
    }

    /** Happens while the model thinks. */
    public synchronized FakeDoor onModelRequest(Runnable action) {
        onModelRequest = action;
        return this;
    }

    /** Happens while a delivery waits for its answer. */
    public synchronized FakeDoor onDelivery(Runnable action) {
        onDelivery = action;
        return this;
    }

    /** Ends the control stream after the last command, and waits until the child has come back for more. */
    public synchronized void hangUp() throws InterruptedException {
        int streams = lastEventIds.size();
        hangingUp = true;
        notifyAll();
        await(() -> lastEventIds.size() > streams);
    }

    /** An answer of null closes the connection. */
    public synchronized FakeDoor authorize(Function<JsonNode, String> authorize) {
        this.authorize = authorize;
        return this;
    }

    /** How many events of one post are stored and acknowledged. */
    public synchronized void mostTaken(int events) {
        mostTaken = events;
    }

    /** The next clone breaks off shortly before its end. */
    public synchronized void breakSource() {
        breaking = true;
    }

    /** Takes events, and dies before it can say so. */
    public synchronized void mute(boolean mute) {
        this.mute = mute;
    }

    public synchronized void refuseEvents(int status, String json) {
        refusal = Optional.of(new Prepared(status, json));
    }

    public synchronized void refuseControl(int status, String json) {
        noControl = Optional.of(new Prepared(status, json));
    }

    /** The next clones are refused, one after the other. */
    public synchronized void refuseSource(int status, String json) {
        noSource.add(new Prepared(status, json));
    }

    public synchronized int fetches() {
        return fetches;
    }

    /** Takes no events. */
    public synchronized void deaf(boolean deaf) {
        this.deaf = deaf;
        notifyAll();
    }

    public synchronized void source(byte[] bundle) {
        source = bundle;
    }

    public synchronized void delivery(int status, String json) {
        delivery = new Prepared(status, json);
    }

    public synchronized byte[] delivered() {
        return delivered;
    }

    public synchronized int deliveries() {
        return deliveries;
    }

    public synchronized void memory(String json) {
        memory = json;
    }

    /** What it says to a memory that it is to keep. */
    public synchronized void keeping(int status, String json) {
        keeping = new Prepared(status, json);
    }

    /** Memories that it was to keep. */
    public synchronized List<JsonNode> kept() {
        return List.copyOf(kept);
    }

    public synchronized List<JsonNode> events() {
        return List.copyOf(events.values());
    }

    public synchronized List<JsonNode> events(String type) {
        return events.values().stream()
                .filter(event -> event.path("type").asString().equals(type))
                .map(event -> event.path("data"))
                .toList();
    }

    public synchronized int eventPosts() {
        return eventPosts;
    }

    /** Events of the largest request. */
    public synchronized int largestPost() {
        return largestPost;
    }

    public synchronized List<JsonNode> questions() {
        return List.copyOf(questions);
    }

    public synchronized List<JsonNode> modelRequests() {
        return List.copyOf(modelRequests);
    }

    public synchronized List<String> modelPaths() {
        return List.copyOf(modelPaths);
    }

    public synchronized List<String> lastEventIds() {
        return List.copyOf(lastEventIds);
    }

    /** Waits for something to become true of what is known here. */
    public synchronized void await(BooleanSupplier condition) throws InterruptedException {
        long end = System.nanoTime() + LONG.toNanos();
        while (!condition.getAsBoolean()) {
            long left = (end - System.nanoTime()) / 1_000_000;
            if (left <= 0) {
                throw new AssertionError("did not happen within " + LONG + "; events: " + events.values());
            }
            wait(left);
        }
    }

    private void handle(DoorServer.Request request, DoorServer.Responder answer)
            throws IOException, InterruptedException {
        switch (request.path()) {
            case "/v1/control" -> control(request, answer);
            case "/v1/events" -> events(Json.read(request.body().readAllBytes()), answer);
            case "/v1/authorize" -> authorize(Json.read(request.body().readAllBytes()), answer);
            case "/v1/workspace" -> workspace(request, answer);
            case "/v1/memory" -> memory(request, answer);
            default -> {
                if (request.path().startsWith("/model/")) {
                    model(request, answer);
                } else {
                    answer.json(404, "{}");
                }
            }
        }
    }

    private void control(DoorServer.Request request, DoorServer.Responder answer)
            throws IOException, InterruptedException {
        String last = request.headers().getOrDefault("last-event-id", "");
        int next = last.isEmpty() ? 0 : Integer.parseInt(last);
        Optional<Prepared> refused;
        synchronized (this) {
            lastEventIds.add(last);
            refused = noControl;
            notifyAll();
        }
        if (refused.isPresent()) {
            answer.json(refused.get().status(), refused.get().json());
            return;
        }
        answer.stream("text/event-stream");
        while (true) {
            Command command;
            synchronized (this) {
                while (next >= commands.size()) {
                    if (hangingUp) {
                        hangingUp = false;
                        return;
                    }
                    wait();
                }
                command = commands.get(next++);
            }
            answer.event(next, command.type(), command.data().toString());
        }
    }

    private synchronized void events(JsonNode body, DoorServer.Responder answer)
            throws IOException, InterruptedException {
        eventPosts++;
        largestPost = Math.max(largestPost, body.path("events").size());
        notifyAll();
        while (deaf) {
            wait();
        }
        if (refusal.isPresent()) {
            answer.json(refusal.get().status(), refusal.get().json());
            return;
        }
        long last = 0;
        int taken = 0;
        for (JsonNode event : body.path("events")) {
            if (taken++ == mostTaken) {
                break;
            }
            last = event.path("n").asLong();
            events.putIfAbsent(last, event);
        }
        notifyAll();
        if (mute) {
            throw new IOException("died");
        }
        answer.json(200, "{\"acknowledged\":%d}".formatted(last));
    }

    private void authorize(JsonNode question, DoorServer.Responder answer) throws IOException {
        String decision;
        synchronized (this) {
            questions.add(question);
            notifyAll();
            decision = authorize.apply(question);
        }
        if (decision == null) {
            throw new IOException("died");
        }
        boolean refusal = decision.contains("\"code\"");
        answer.json(refusal ? 409 : 200, decision);
    }

    private void model(DoorServer.Request request, DoorServer.Responder answer) throws IOException {
        JsonNode body = Json.read(request.body().readAllBytes());
        Prepared prepared;
        synchronized (this) {
            modelRequests.add(body);
            modelPaths.add(request.path());
            prepared = modelAnswers.poll();
            notifyAll();
            onModelRequest.run();
        }
        if (prepared == null) {
            answer.json(400, "{\"code\":\"script-ran-out\",\"detail\":\"no turn left\"}");
        } else if (prepared.status() == 0) {
            throw new IOException("died");
        } else {
            answer.json(prepared.status(), prepared.json());
        }
    }

    private void workspace(DoorServer.Request request, DoorServer.Responder answer) throws IOException {
        if (request.method().equals("GET")) {
            byte[] bundle;
            Prepared refused;
            synchronized (this) {
                fetches++;
                refused = noSource.poll();
                bundle = source;
                if (breaking) {
                    breaking = false;
                    OutputStream out = answer.stream("application/x-git-bundle");
                    out.write(bundle, 0, bundle.length - 30);
                    out.flush();
                    throw new IOException("died");
                }
            }
            if (refused == null) {
                answer.stream("application/x-git-bundle").write(bundle);
            } else {
                answer.json(refused.status(), refused.json());
            }
            return;
        }
        byte[] bundle = request.body().readAllBytes();
        Prepared prepared;
        synchronized (this) {
            delivered = bundle;
            deliveries++;
            prepared = delivery;
            notifyAll();
        }
        onDelivery.run();
        if (prepared.status() == 0) {
            throw new IOException("died");
        }
        answer.json(prepared.status(), prepared.json());
    }

    private synchronized void memory(DoorServer.Request request, DoorServer.Responder answer) throws IOException {
        if (request.method().equals("GET")) {
            answer.json(200, memory);
        } else {
            kept.add(Json.read(request.body().readAllBytes()));
            answer.json(keeping.status(), keeping.json());
        }
    }
}
