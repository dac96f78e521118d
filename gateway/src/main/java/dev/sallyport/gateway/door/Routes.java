package dev.sallyport.gateway.door;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.sallyport.identity.CallId;
import dev.sallyport.json.StrictJson;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.http.HttpMethod;
import org.eclipse.jetty.io.Content;
import org.eclipse.jetty.server.Handler;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.util.Callback;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/** Every request of every child. There is nothing here but these routes (S10). */
final class Routes extends Handler.Wrapper {

    private static final Logger log = LoggerFactory.getLogger(Routes.class);

    private static final Duration BEAT = Duration.ofSeconds(1);
    private static final int EVENTS_PER_REQUEST = 1000;
    private static final Map<String, Report.Type> REPORT_TYPES =
            Stream.of(Report.Type.values()).collect(Collectors.toMap(Report.Type::wire, Function.identity()));

    private final Occupants occupants;
    private final Egress egress;
    private final ModelProxy models;
    private final DelegationRoutes delegation;
    private final DoorSettings settings;

    Routes(Occupants occupants, Egress egress, ModelProxy models, DoorSettings settings) {
        super(egress);
        this.occupants = occupants;
        this.egress = egress;
        this.models = models;
        this.delegation = new DelegationRoutes(settings);
        this.settings = settings;
    }

    /** Everything here waits. A wrapper of nothing would count as non-blocking and be run by the selector's thread. */
    @Override
    public InvocationType getInvocationType() {
        return InvocationType.BLOCKING;
    }

    @Override
    public boolean handle(Request request, Response response, Callback callback) throws Exception {
        Doorway doorway = DoorConnection.doorway(request);
        Occupant occupant =
                occupants.live(doorway.child(), doorway.incarnation()).orElse(null);
        if (occupant == null || doorway.isClosed()) {
            ProblemBody.write(response, callback, ended(), true);
            return true;
        }
        if (!doorway.enter()) {
            DoorProblem busy = new DoorProblem(
                    429,
                    "too-many-requests",
                    "more than %d requests at once".formatted(settings.requestsPerChild()),
                    null,
                    BEAT);
            ProblemBody.write(response, callback, busy, true);
            return true;
        }
        try {
            serve(doorway, occupant, request, response, callback);
        } catch (DoorProblem problem) {
            ProblemBody.write(response, callback, problem, HttpMethod.CONNECT.is(request.getMethod()));
        } catch (InterruptedException e) {
            // The door was closed.
            if (response.isCommitted()) {
                callback.succeeded();
            } else {
                ProblemBody.write(response, callback, ended(), true);
            }
        } catch (Exception e) {
            // Also a child that left in the middle of an answer, which is no news.
            if (response.isCommitted()) {
                log.debug("request of child {} broke off", doorway.child(), e);
            } else {
                log.error("request of child {} failed", doorway.child(), e);
            }
            callback.failed(e);
        } finally {
            doorway.leave();
        }
        return true;
    }

    private void serve(Doorway doorway, Occupant occupant, Request request, Response response, Callback callback)
            throws Exception {
        String target = DoorConnection.target(request);
        if (HttpMethod.CONNECT.is(request.getMethod())) {
            egress.connect(occupant, target, request, response, callback);
            return;
        }
        if (!target.startsWith("/")) {
            throw egress.absoluteForm(occupant, target);
        }
        // The whole target, undecoded, so that no second spelling of a path is a route.
        switch (request.getMethod() + " " + target) {
            case "GET /v1/control" -> control(doorway, occupant, request, response, callback);
            case "POST /v1/events" -> answer(response, callback, events(occupant, request));
            case "POST /v1/authorize" -> answer(response, callback, authorize(occupant, request));
            case "GET /v1/workspace" -> workspace(occupant, response, callback);
            case "PUT /v1/workspace" -> answer(response, callback, importWorkspace(occupant, request));
            case "GET /v1/memory" -> answer(response, callback, memory(occupant));
            case "PUT /v1/memory" -> answer(response, callback, keepMemory(occupant, request));
            default -> {
                if (DelegationRoutes.serves(target)) {
                    answer(response, callback, delegation.serve(occupant, target, request));
                    return;
                }
                if (!models.serves(request.getMethod(), target)) {
                    throw new DoorProblem(404, "not-found", "no such route at the door");
                }
                models.serve(occupant, target, request, response, callback);
            }
        }
    }

    private static DoorProblem ended() {
        return new DoorProblem(410, "child-ended", "this child has ended");
    }

    private void control(Doorway doorway, Occupant occupant, Request request, Response response, Callback callback)
            throws IOException, InterruptedException {
        long seen = lastEventId(request);
        doorway.listen();
        response.getHeaders().put(HttpHeader.CONTENT_TYPE, "text/event-stream");
        response.getHeaders().put(HttpHeader.CACHE_CONTROL, "no-store");
        // At once, so that the runner knows that it is heard.
        send(response, ":\n\n");
        while (doorway.isListening()) {
            List<Command> commands = occupant.commands(seen, BEAT);
            if (commands.isEmpty()) {
                // Only a write tells that the other side is gone.
                send(response, ":\n\n");
            }
            for (Command command : commands) {
                send(
                        response,
                        "id: %d\nevent: %s\ndata: %s\n\n"
                                .formatted(command.id(), command.type().wire(), command.data()));
                seen = command.id();
            }
        }
        callback.succeeded();
    }

    private static long lastEventId(Request request) {
        String id = request.getHeaders().get("Last-Event-ID");
        if (id == null || id.isEmpty()) {
            return 0;
        }
        if (!id.matches("[0-9]{1,18}")) {
            throw new DoorProblem(400, "request-refused", "Last-Event-ID: expected the id of an event");
        }
        return Long.parseLong(id);
    }

    private static void send(Response response, String event) throws IOException {
        Content.Sink.write(response, false, ByteBuffer.wrap(event.getBytes(UTF_8)));
    }

    private ObjectNode events(Occupant occupant, Request request) throws IOException {
        ObjectNode body = Json.read(request, settings.bodyLimit());
        Form.object()
                .must("events", Form.list(RunnerForms.EVENT, EVENTS_PER_REQUEST))
                .check(body, "body");
        List<Report> reports = new ArrayList<>();
        long last = 0;
        for (JsonNode event : body.get("events")) {
            long n = event.get("n").longValue();
            if (n <= last) {
                throw new DoorProblem(400, "request-refused", "events: expected ascending numbers");
            }
            last = n;
            Report.Type type = REPORT_TYPES.get(event.get("type").stringValue());
            if (type == null) {
                throw new DoorProblem(400, "request-refused", "events: unknown type");
            }
            ObjectNode data = (ObjectNode) event.get("data");
            RunnerForms.of(type).check(data, type.wire());
            reports.add(new Report(n, type, data));
        }
        if (reports.isEmpty()) {
            throw new DoorProblem(400, "request-refused", "events: expected at least one");
        }
        return Json.object().put("acknowledged", occupant.report(reports));
    }

    private ObjectNode authorize(Occupant occupant, Request request) throws IOException, InterruptedException {
        ObjectNode body = Json.read(request, settings.bodyLimit());
        RunnerForms.AUTHORIZE.check(body, "body");
        ObjectNode arguments = (ObjectNode) body.get("arguments");
        CallId callId;
        try {
            callId = new CallId(body.get("callId").stringValue());
            // What is approved must mean the same to whoever hashes, shows and runs it (S26).
            StrictJson.parse(arguments.toString());
        } catch (IllegalArgumentException e) {
            throw new DoorProblem(400, "request-refused", Names.shown(String.valueOf(e.getMessage())));
        }
        String tool = body.get("tool").stringValue();
        Verdict verdict;
        if (occupant.toolScope().contains(tool)) {
            verdict = occupant.authorize(
                    new ToolCall(callId, tool, arguments, body.get("directory").stringValue()),
                    settings.authorizeWait());
        } else {
            occupant.observed(new Observation.OutOfScope(callId, Names.shown(tool)));
            verdict = new Verdict(
                    Verdict.Decision.DENIED,
                    "tool `%s` is not in the scope of this child".formatted(Names.shown(tool)),
                    null);
        }
        ObjectNode answer = Json.object().put("decision", verdict.decision().wire());
        if (verdict.reason() != null) {
            answer.put("reason", verdict.reason());
        }
        if (verdict.askId() != null) {
            answer.put("askId", verdict.askId());
        }
        return answer;
    }

    private static void workspace(Occupant occupant, Response response, Callback callback) throws IOException {
        try (InputStream bundle = occupant.workspace()
                        .orElseThrow(() -> new DoorProblem(404, "no-workspace", "this child has no clone"));
                OutputStream out = Content.Sink.asOutputStream(response)) {
            response.getHeaders().put(HttpHeader.CONTENT_TYPE, "application/x-git-bundle");
            bundle.transferTo(out);
        }
        callback.succeeded();
    }

    private ObjectNode importWorkspace(Occupant occupant, Request request) throws IOException {
        if (request.getLength() > settings.workspaceLimit()) {
            throw CappedStream.tooLarge(settings.workspaceLimit());
        }
        ImportedBranch branch = occupant.importWorkspace(new CappedStream(body(request), settings.workspaceLimit()));
        return Json.object().put("branch", branch.branch()).put("tip", branch.tip());
    }

    private static ObjectNode memory(Occupant occupant) {
        ObjectNode answer = Json.object();
        ArrayNode files = answer.putArray("files");
        occupant.memory()
                .orElseThrow(() -> new DoorProblem(404, "no-memory", "this child has no memory"))
                .forEach((path, content) -> files.addObject().put("path", path).put("content", content));
        return answer;
    }

    private ObjectNode keepMemory(Occupant occupant, Request request) throws IOException {
        ObjectNode body;
        try {
            body = Json.read(request, settings.bodyLimit());
        } catch (DoorProblem problem) {
            occupant.observed(new Observation.MemoryRefused(problem.code(), problem.detail()));
            throw problem;
        }
        RunnerForms.MEMORY.check(body, "body");
        SortedMap<String, String> files = new TreeMap<>();
        for (JsonNode file : body.get("files")) {
            if (files.put(file.get("path").stringValue(), file.get("content").stringValue()) != null) {
                throw new DoorProblem(400, "request-refused", "files: one path twice");
            }
        }
        KeptMemory kept = occupant.keepMemory(files);
        return Json.object().put("version", kept.version()).put("outcome", kept.outcome());
    }

    private static InputStream body(Request request) {
        return Content.Source.asInputStream(request);
    }

    private static void answer(Response response, Callback callback, JsonNode body) {
        response.getHeaders().put(HttpHeader.CONTENT_TYPE, "application/json");
        response.write(true, ByteBuffer.wrap(Json.write(body)), callback);
    }
}
