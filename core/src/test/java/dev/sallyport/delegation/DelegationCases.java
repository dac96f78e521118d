package dev.sallyport.delegation;

import dev.sallyport.agentfile.AgentDefinition;
import dev.sallyport.agentfile.AgentFiles;
import dev.sallyport.agentfile.AgentRegistry;
import dev.sallyport.agentfile.ProjectTrust;
import dev.sallyport.agentfile.SubagentPermission;
import dev.sallyport.authority.Delegation;
import dev.sallyport.invocation.Invocation;
import dev.sallyport.invocation.InvocationResolver;
import dev.sallyport.invocation.Resolved;
import dev.sallyport.invocation.Settings;
import dev.sallyport.invocation.SpawnCall;
import dev.sallyport.json.JsonObject;
import dev.sallyport.model.Model;
import dev.sallyport.model.ModelCatalogue;
import dev.sallyport.provenance.Layer;
import dev.sallyport.testing.CaseFiles.Case;
import dev.sallyport.testing.Scratch;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Who may delegate what, joins, schedules, and the crew of a session. */
public final class DelegationCases {

    private DelegationCases() {}

    public static Map<String, Function<Case, @Nullable Object>> areas() {
        return Map.of(
                "invocation.joinMode",
                c -> JoinMode.of(
                                JoinMode.parse(c.input().text("defaultJoinMode")),
                                Boolean.TRUE.equals(c.input().optional("runInBackground")))
                        .map(JoinMode::wire)
                        .orElse(null),
                "nested.depthClamp",
                c -> Nesting.clamp(c.input().number("set")),
                "nested",
                c -> Scratch.with(scratch -> nested(c.input(), scratch)),
                "groupJoin",
                c -> groupJoin(c.input()),
                "schedule.detect",
                c -> schedule(c.input().text("schedule")),
                "manager",
                c -> new CrewScript(c.input()).play());
    }

    private static List<Object> groupJoin(JsonObject input) {
        GroupJoin group = GroupJoin.of(
                new LinkedHashSet<>(input.texts("ids")), Duration.ofMillis(input.integer("groupTimeoutMs")));
        Instant now = Instant.EPOCH;
        List<Object> told = new ArrayList<>();
        for (Object event : input.list("events")) {
            List<?> words = (List<?>) event;
            if (words.get(0).equals("tick")) {
                now = now.plusMillis((Long) words.get(1));
                GroupJoin.Step step = group.timer(now);
                step.delivery().ifPresent(delivery -> told.add(delivery(delivery)));
                group = step.next();
            } else {
                GroupJoin.Step step = group.done((String) words.get(1), now);
                step.delivery().ifPresent(delivery -> told.add(delivery(delivery)));
                told.add(Map.of(
                        "done", words.get(1), "returned", step.answer().name().toLowerCase(Locale.ROOT)));
                group = step.next();
            }
        }
        return told;
    }

    private static Map<String, Object> delivery(GroupJoin.Delivery delivery) {
        return Map.of("deliver", delivery.agents(), "partial", delivery.partial());
    }

    private static Map<String, Object> schedule(String text) {
        Instant now = Instant.parse("2026-06-01T12:00:00Z");
        Map<String, Object> json = new LinkedHashMap<>();
        try {
            switch (Schedule.parse(text, now, ZoneOffset.UTC)) {
                case Schedule.Once(Instant at) -> {
                    json.put("type", "once");
                    // The cases were recorded at another time.
                    json.put("normalized", text.strip().startsWith("+") ? "(now+delta ISO)" : iso(at));
                }
                case Schedule.Every(Duration interval, String normalized) -> {
                    json.put("type", "interval");
                    json.put("intervalMs", interval.toMillis());
                    json.put("normalized", normalized);
                }
                case Schedule.Cron(String expression) -> {
                    json.put("type", "cron");
                    json.put("normalized", expression);
                }
            }
        } catch (Schedule.MalformedException e) {
            json.put("throws", true);
            json.put("past", e.isPast());
        }
        return json;
    }

    private static String iso(Instant at) {
        return DateTimeFormatter.ofPattern("uuuu-MM-dd'T'HH:mm:ss.SSS'Z'", Locale.ROOT)
                .withZone(ZoneOffset.UTC)
                .format(at);
    }

    private static Map<String, Object> nested(JsonObject input, Scratch scratch) throws IOException {
        JsonObject params = input.object("params");
        String resumed = params.optionalText("resume");
        if (!input.text("tool").equals("Agent")) {
            return owned(input, params.text("agent_id"));
        }
        if (resumed != null) {
            return owned(input, resumed);
        }
        for (var file : ((Map<?, ?>) input.required("agentFiles")).entrySet()) {
            scratch.write((String) file.getKey(), (String) file.getValue());
        }
        AgentRegistry registry = new AgentFiles(AgentFiles.Leniency.ALL)
                .load(scratch.path("${AGENT_DIR}"), scratch.path("${CWD}"), true)
                .trusting(ProjectTrust.State.TRUSTED);
        Delegation rights = new Delegation(
                permission(input.optional("allowedSubagents")),
                (int) input.integer("depth"),
                (int) input.integer("maxSubagentDepth"),
                Delegation.DEFAULT_MAX_ACTIVE,
                false);
        return switch (Nesting.permit(rights, registry, params.optionalText("subagent_type"))) {
            case Nesting.Permit.Granted granted -> spawn(granted, registry.definition(granted.agent()), params, input);
            case Nesting.Permit.NoDelegation _ -> Map.of("isError", true, "kind", "depth-blocked");
            case Nesting.Permit.UnknownAgent(List<String> permitted) ->
                Map.of("isError", true, "kind", "unknown-type", "listed", listed(permitted));
            case Nesting.Permit.NotAllowed refused ->
                Map.of("isError", true, "kind", "not-allowed", "listed", listed(refused.permitted()));
        };
    }

    private static SubagentPermission permission(@Nullable Object allowed) {
        return switch (allowed) {
            case null -> SubagentPermission.none();
            case List<?> names ->
                new SubagentPermission.Only(
                        names.stream().map(String.class::cast).toList());
            default -> SubagentPermission.all();
        };
    }

    private static String listed(List<String> names) {
        return names.isEmpty() ? "none" : String.join(", ", names);
    }

    private static Map<String, Object> spawn(
            Nesting.Permit.Granted granted, AgentDefinition definition, JsonObject params, JsonObject input) {
        SpawnCall call = SpawnCall.builder(granted.agent())
                .model(params.optionalText("model"))
                .thinking(params.optionalText("thinking"))
                .maxTurns(params.optional("max_turns") instanceof Number turns ? (Double) turns.doubleValue() : null)
                .inheritContext((Boolean) params.optional("inherit_context"))
                .runInBackground((Boolean) params.optional("run_in_background"))
                .isolated((Boolean) params.optional("isolated"))
                .isolation(params.optionalText("isolation"))
                .build();
        Invocation invocation = InvocationResolver.resolve(definition, call, Settings.DEFAULT, true);
        Model model = Model.parse("p/parent");
        Resolved<String> asked = invocation.model();
        if (asked != null && !asked.value().isEmpty()) {
            Optional<Model> found =
                    ModelCatalogue.of(List.of(Model.parse("a/m1"))).resolve(asked.value());
            if (found.isEmpty() && asked.origin().layer() == Layer.CALL) {
                return Map.of("isError", true, "kind", "model-not-found");
            }
            model = found.orElse(model);
        }
        boolean background = invocation.runInBackground().value();
        Map<String, Object> spawn = new LinkedHashMap<>();
        spawn.put("type", granted.agent());
        spawn.put("isBackground", background);
        spawn.put("depth", granted.depth());
        spawn.put("parentAgentId", input.text("parent"));
        spawn.put("maxSubagentDepth", input.integer("maxSubagentDepth"));
        spawn.put("model", model.toString());
        spawn.put(
                "maxTurns",
                invocation.maxTurns() == null ? null : invocation.maxTurns().value());
        spawn.put("isolated", invocation.isolated().value());
        spawn.put("inheritContext", invocation.inheritContext().value());
        spawn.put(
                "thinking",
                invocation.thinking() == null ? null : invocation.thinking().value());
        spawn.put("isolation", invocation.worktree().value() ? "worktree" : null);
        Map<String, Object> json = new LinkedHashMap<>();
        json.put("isError", false);
        json.put("kind", background ? "background" : "result");
        json.put("resultText", background ? null : "OK");
        json.put("spawn", spawn);
        return json;
    }

    private static Map<String, Object> owned(JsonObject input, String agent) {
        JsonObject record = input.objects("records").stream()
                .filter(one -> one.text("id").equals(agent))
                .filter(one -> Nesting.owns(input.text("parent"), one.optionalText("parentAgentId")))
                .findFirst()
                .orElse(null);
        if (record == null) {
            return Map.of("isError", true, "kind", "not-owned");
        }
        return switch (input.text("tool")) {
            case "Agent" -> Map.of("isError", false, "kind", "result", "resultText", "RESUMED");
            case "steer_subagent" -> steered(record);
            default -> result(record);
        };
    }

    private static Map<String, Object> steered(JsonObject record) {
        if (!record.text("status").equals("running")) {
            return Map.of("isError", true, "kind", "not-running");
        }
        return Map.of("isError", false, "kind", record.flag("hasSession") ? "steer-sent" : "steer-queued");
    }

    private static Map<String, Object> result(JsonObject record) {
        Status status = Status.valueOf(record.text("status").toUpperCase(Locale.ROOT));
        Map<String, Object> json = new LinkedHashMap<>();
        json.put("isError", false);
        json.put("kind", status.isLive() ? status.wire() : "result");
        json.put("resultText", status.isLive() ? null : record.optional("result"));
        return json;
    }
}
