package dev.sallyport.delegation;

import dev.sallyport.delegation.Crew.Effect;
import dev.sallyport.delegation.Crew.Step;
import dev.sallyport.json.JsonObject;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Plays the operations of a case on a crew, as a runner that does nothing by itself would. */
final class CrewScript {

    private final JsonObject input;
    private final List<Object> events = new ArrayList<>();
    private final Set<String> spawned = new LinkedHashSet<>();
    private Crew crew;
    private Instant now = Instant.EPOCH;
    private Instant swept = Instant.EPOCH;

    CrewScript(JsonObject input) {
        this.input = input;
        this.crew = Crew.of((int) input.integer("maxConcurrent"));
    }

    Map<String, Object> play() {
        List<Object> steps = new ArrayList<>();
        for (Object operation : input.list("ops")) {
            Map<String, Object> step = new LinkedHashMap<>();
            step.put("op", operation);
            step.put("returned", returned((List<?>) operation));
            Map<String, Object> states = new LinkedHashMap<>();
            spawned.forEach(id -> states.put(
                    id, crew.member(id).map(one -> one.status().wire()).orElse("(gone)")));
            step.put("states", states);
            steps.add(step);
        }
        return Map.of("steps", steps, "events", events);
    }

    private @Nullable Object returned(List<?> operation) {
        String id = operation.size() > 1 && operation.get(1) instanceof String text ? text : "";
        JsonObject options = JsonObject.of(
                "options", operation.size() > 2 && operation.get(2) instanceof Map<?, ?> map ? map : Map.of());
        return switch ((String) operation.getFirst()) {
            case "spawn" -> spawn(id, options, options.optional("isBackground"));
            case "spawnAndWait" -> {
                spawn(id, options, false);
                yield Map.of("status", member(id).status().wire());
            }
            case "finish" -> {
                take(crew.finish(id, run(options, "out"), now));
                yield member(id).status().wire();
            }
            case "fail" -> {
                take(crew.fail(id, (String) operation.get(2), now));
                yield Map.of("status", member(id).status().wire(), "error", operation.get(2));
            }
            case "abort" -> take(crew.abort(id, now)).done();
            case "abortAll" -> {
                long live = crew.members().values().stream()
                        .filter(one -> one.status().isLive())
                        .count();
                take(crew.abortAll(now));
                yield live;
            }
            case "parentSignal" -> {
                take(crew.signalled(now));
                yield null;
            }
            case "steer" -> take(crew.steer(id, (String) operation.get(2))).done();
            case "session" -> {
                take(crew.session(id, options.optionalText("file")));
                yield null;
            }
            case "resumeBg" ->
                take(crew.resume(id)).done() ? member(id).status().wire() : null;
            case "resumeEnd" -> {
                take(crew.finish(id, run(options, "again-out"), now));
                Map<String, Object> json = new LinkedHashMap<>();
                json.put("status", member(id).status().wire());
                json.put("result", member(id).result());
                json.put("error", member(id).error());
                yield json;
            }
            case "setMax" ->
                take(crew.resize(((Long) operation.get(1)).intValue())).crew().slots();
            case "advance" -> {
                advance((Long) operation.get(1));
                yield null;
            }
            case "mention" -> crew.named(id).map(CrewScript::found).orElse(null);
            case "clearCompleted" -> {
                take(crew.clear((Boolean) operation.get(1)));
                yield null;
            }
            default -> throw new IllegalArgumentException("operation " + operation);
        };
    }

    private Map<String, Object> spawn(String id, JsonObject options, @Nullable Object background) {
        String parent = options.optionalText("parent");
        String type = options.optionalText("type");
        spawned.add(id);
        take(crew.spawn(new Member.Order(
                id,
                type == null ? "Explore" : type,
                options.optionalText("name"),
                (Boolean) background,
                parent == null ? 1 : 2,
                parent,
                Boolean.TRUE.equals(options.optional("bypassQueue")),
                Boolean.TRUE.equals(options.optional("signal")))));
        Member member = member(id);
        Map<String, Object> json = new LinkedHashMap<>();
        json.put("status", member.status().wire());
        json.put("handle", member.handle());
        json.put("alias", member.alias());
        json.put("depth", member.depth());
        json.put("isBackground", member.background());
        return json;
    }

    private static Run run(JsonObject options, String text) {
        return new Run(
                text,
                Boolean.TRUE.equals(options.optional("aborted")),
                Boolean.TRUE.equals(options.optional("steered")),
                options.optionalText("failure"));
    }

    /** Whoever sweeps does it once a minute. */
    private void advance(long millis) {
        now = now.plusMillis(millis);
        for (Instant sweep = swept.plus(Crew.SWEEPS); !sweep.isAfter(now); sweep = sweep.plus(Crew.SWEEPS)) {
            take(crew.evict(sweep));
            swept = sweep;
        }
    }

    private static Map<String, Object> found(Crew.Found found) {
        return switch (found) {
            case Crew.Found.Live(String id) -> Map.of("live", id);
            case Crew.Found.Buried(Crew.Grave grave) -> Map.of("tombstone", grave.handle());
        };
    }

    private Member member(String id) {
        return crew.member(id).orElseThrow();
    }

    private Step take(Step step) {
        crew = step.crew();
        for (Effect effect : step.effects()) {
            switch (effect) {
                case Effect.Start(String agent) -> events.add(List.of("start", agent));
                case Effect.Steer(String agent, String message) -> events.add(List.of("steer", agent, message));
                case Effect.Complete(String agent, Status status) ->
                    events.add(List.of("complete", agent, status.wire()));
                case Effect.Dispose(String agent) -> events.add(List.of("dispose", agent));
                case Effect.Stop _ -> {
                    // The run of a stopped agent comes back when the case says so.
                }
            }
        }
        return step;
    }
}
