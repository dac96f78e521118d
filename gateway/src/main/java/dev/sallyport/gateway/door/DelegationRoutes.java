package dev.sallyport.gateway.door;

import static dev.sallyport.gateway.door.Form.FLAG;
import static dev.sallyport.gateway.door.Form.NUMBER;
import static dev.sallyport.gateway.door.Form.TEXT;
import static dev.sallyport.gateway.door.Form.list;
import static dev.sallyport.gateway.door.Form.object;

import dev.sallyport.identity.CallId;
import dev.sallyport.identity.ChildId;
import java.io.IOException;
import java.time.Duration;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.eclipse.jetty.server.Request;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/** Delegation: the child as a parent. A body has no field that says whose parent, how deep or in which session. */
final class DelegationRoutes {

    private static final String ALL = "/v1/children";
    private static final Pattern ONE =
            Pattern.compile("/v1/children/([a-z2-7]{16})(|/result|/cancel|/steer|/resume)(?:\\?wait=([0-9]{1,2})s)?");

    /** Longer, and the connection of one that waits could be taken for dead. */
    private static final Duration LONGEST_WAIT = Duration.ofSeconds(25);

    private static final Form SPAWN = object().may("agent", TEXT)
            .may("prompt", TEXT)
            .may("description", TEXT)
            .may("harness", TEXT)
            .may("command", list(TEXT))
            .may("directory", TEXT)
            .may("workspace", TEXT)
            .may("network", list(TEXT))
            .may(
                    "limits",
                    object().may("cpu", TEXT)
                            .may("memory", TEXT)
                            .may("pids", TEXT)
                            .may("wall", TEXT)
                            .may("disk", TEXT))
            .may(
                    "budgets",
                    object().may("turns", TEXT)
                            .may("tokens", TEXT)
                            .may("cost", TEXT)
                            .may("egress", TEXT)
                            .may("children", TEXT))
            .may("model", TEXT)
            .may("maxTurns", NUMBER)
            .may("inheritContext", FLAG)
            .may("runInBackground", FLAG)
            .may("isolated", FLAG)
            .may("isolation", TEXT)
            .may("profile", TEXT)
            .may("credentials", list(TEXT))
            .may("runtime", TEXT)
            .may("allowSharedWrites", FLAG);
    private static final Form CANCEL = object().may("reason", TEXT);
    private static final Form RESUME = object().must("prompt", TEXT).may("description", TEXT);
    private static final Form STEER = object().must("message", TEXT);

    private final DoorSettings settings;

    DelegationRoutes(DoorSettings settings) {
        this.settings = settings;
    }

    static boolean serves(String target) {
        return target.equals(ALL) || target.startsWith(ALL + "/");
    }

    JsonNode serve(Occupant occupant, String target, Request request) throws IOException, InterruptedException {
        Delegates delegates = occupant.delegates();
        return switch (request.getMethod() + " " + target) {
            case "GET " + ALL -> delegates.list();
            case "POST " + ALL -> delegates.spawn(body(request, SPAWN), call(request), settings.authorizeWait());
            default -> one(delegates, target, request);
        };
    }

    private JsonNode one(Delegates delegates, String target, Request request) throws IOException, InterruptedException {
        Matcher match = ONE.matcher(target);
        if (!match.matches()) {
            throw notFound();
        }
        ChildId child = new ChildId(match.group(1));
        String wait = match.group(3);
        String what = request.getMethod() + " " + match.group(2);
        if (wait != null && !what.equals("GET /result")) {
            throw notFound();
        }
        return switch (what) {
            case "GET " -> delegates.show(child);
            case "GET /result" -> delegates.result(child, wait(wait));
            case "POST /cancel" -> {
                JsonNode reason = body(request, CANCEL).get("reason");
                yield delegates.cancel(child, reason == null ? null : reason.stringValue());
            }
            case "POST /resume" ->
                delegates.resume(child, body(request, RESUME), call(request), settings.authorizeWait());
            case "POST /steer" ->
                delegates.steer(child, body(request, STEER).get("message").stringValue());
            default -> throw notFound();
        };
    }

    private static Duration wait(@Nullable String seconds) {
        Duration wait = Duration.ofSeconds(seconds == null ? 0 : Integer.parseInt(seconds));
        return wait.compareTo(LONGEST_WAIT) < 0 ? wait : LONGEST_WAIT;
    }

    private ObjectNode body(Request request, Form form) throws IOException {
        ObjectNode body = Json.read(request, settings.bodyLimit());
        form.check(body, "body");
        return body;
    }

    private static CallId call(Request request) {
        String key = request.getHeaders().get("Idempotency-Key");
        try {
            return new CallId(key == null ? "" : key);
        } catch (IllegalArgumentException e) {
            throw new DoorProblem(400, "request-refused", "Idempotency-Key (expected: the id of the call)");
        }
    }

    private static DoorProblem notFound() {
        return new DoorProblem(404, "not-found", "no such route at the door");
    }
}
