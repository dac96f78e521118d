package dev.sallyport.permissions.decision;

import static dev.sallyport.service.IllegalValueException.parse;

import dev.sallyport.containment.HostPort;
import dev.sallyport.identity.CallId;
import dev.sallyport.identity.ChildId;
import dev.sallyport.identity.SessionId;
import dev.sallyport.identity.Tenant;
import dev.sallyport.json.CanonicalJson;
import dev.sallyport.json.StrictJson;
import dev.sallyport.permissions.Durations;
import dev.sallyport.permissions.ask.DeciderView;
import java.time.Duration;
import java.util.Map;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.springframework.security.access.prepost.PreAuthorize;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;
import tools.jackson.databind.node.ObjectNode;

/** For the gateway alone, which asks for its children. */
@RestController
class DecisionController {

    private final Decisions decisions;

    DecisionController(Decisions decisions) {
        this.decisions = decisions;
    }

    record DecideRequest(
            String tenant,
            String session,
            String child,
            Integer incarnation,
            String callId,
            String kind,
            @Nullable String tool,
            @Nullable String toolDefinitionDigest,
            @Nullable ObjectNode arguments,
            @Nullable String directory,
            @Nullable String host,
            @Nullable Integer port) {

        private static final Pattern TOOL = Pattern.compile("[A-Za-z0-9._:/-]{1,128}");
        private static final int MAX_ARGUMENTS = 1 << 20;
        private static final int MAX_DIRECTORY = 4096;

        DecideRequest {
            required("tenant", tenant);
            required("session", session);
            required("child", child);
            required("incarnation", incarnation);
            required("callId", callId);
            required("kind", kind);
        }

        private static void required(String field, @Nullable Object value) {
            if (value == null) {
                throw new IllegalArgumentException("%s (expected: a value)".formatted(field));
            }
        }

        Decisions.Request parsed() {
            return new Decisions.Request(
                    parse(tenant, Tenant::new),
                    parse(session, SessionId::new),
                    parse(child, ChildId::new),
                    incarnation,
                    parse(callId, CallId::new),
                    parse(kind, this::action));
        }

        private Action action(String kind) {
            return switch (kind) {
                case "tool" -> {
                    if (tool == null || arguments == null || directory == null || host != null || port != null) {
                        throw new IllegalArgumentException(
                                "kind tool (expected: tool, arguments and directory, neither host nor port)");
                    }
                    yield tool(tool, arguments, directory);
                }
                case "network" -> {
                    if (host == null
                            || port == null
                            || tool != null
                            || toolDefinitionDigest != null
                            || arguments != null
                            || directory != null) {
                        throw new IllegalArgumentException("kind network (expected: host and port, nothing of a tool)");
                    }
                    yield new Action.Network(new HostPort(host, port));
                }
                default -> throw new IllegalArgumentException("kind: `%s` (expected: tool or network)".formatted(kind));
            };
        }

        private Action tool(String tool, ObjectNode arguments, String directory) {
            if (!TOOL.matcher(tool).matches()) {
                throw new IllegalArgumentException("tool (expected: 1 to 128 of A-Z a-z 0-9 . _ : / -)");
            }
            if (!directory.startsWith("/") || directory.length() > MAX_DIRECTORY || directory.indexOf('\0') >= 0) {
                throw new IllegalArgumentException("directory (expected: an absolute path of up to 4096 characters)");
            }
            Object fields = StrictJson.parse(arguments.toString());
            String canonical = CanonicalJson.write(fields);
            if (canonical.length() > MAX_ARGUMENTS) {
                throw new IllegalArgumentException(
                        "arguments: %d characters (expected: up to %d)".formatted(canonical.length(), MAX_ARGUMENTS));
            }
            return new Action.Tool(
                    tool, toolDefinitionDigest, canonical, fields instanceof Map<?, ?> map ? map : Map.of(), directory);
        }
    }

    record DecideResponse(
            String decision,
            @Nullable String askId,
            @Nullable String reason,
            @Nullable DeciderView decider) {}

    /** Held until the decision is final or {@code wait} is over; then {@code pending}, and the same may be sent again. */
    @PostMapping("/v1/decisions")
    @PreAuthorize("hasRole('SERVICE')")
    DecideResponse decide(@RequestParam(defaultValue = "0s") String wait, @RequestBody DecideRequest body) {
        Duration longest = parse(wait, Durations::parseWait);
        Decisions.Decision decision = decisions.decide(body.parsed(), longest);
        return new DecideResponse(
                decision.outcome(),
                decision.askId(),
                decision.reason(),
                decision.decider() == null ? null : DeciderView.of(decision.decider()));
    }
}
