package dev.sallyport.permission;

import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/** The {@code permission} object of permission.md 1.3: surfaces in document order. */
public record PermissionConfig(Map<String, Surface> surfaces) {

    public static final PermissionConfig EMPTY = new PermissionConfig(Map.of());

    /** What a layer that cannot be read counts as: everything is asked about. */
    public static final PermissionConfig ASK_ALL =
            new PermissionConfig(Map.of("*", new Surface.Uniform(PermissionState.ASK)));

    private static final int MAX_REASON = 500;
    private static final String STATES = "use one of allow, ask, deny";

    public PermissionConfig {
        surfaces = Collections.unmodifiableMap(new LinkedHashMap<>(surfaces));
    }

    /** What one surface says. */
    public sealed interface Surface {

        record Uniform(PermissionState state) implements Surface {}

        /** By pattern, in document order: the last that matches decides. */
        record Patterns(Map<String, Entry> entries) implements Surface {

            public Patterns {
                entries = Collections.unmodifiableMap(new LinkedHashMap<>(entries));
            }
        }
    }

    /** What one pattern says; the reason, at most 500 characters, is told to whoever is denied. */
    public record Entry(PermissionState state, @Nullable String reason) {}

    /**
     * A policy, or all that is wrong with it.
     *
     * @param config {@link #ASK_ALL} if there is any problem: a misspelt {@code deny} must not vanish
     * @param wellFormed the entries without a problem, for showing; never for deciding
     */
    public record Parsed(PermissionConfig config, PermissionConfig wellFormed, List<PermissionProblem> problems) {

        public Parsed {
            problems = List.copyOf(problems);
        }
    }

    /** Reads a value as {@code StrictJson} or front matter give it; {@code location} of a problem is its dotted path. */
    public static Parsed parse(@Nullable Object value) {
        return parse(value, path -> path);
    }

    /** The same, with problems located by {@code locate}: from {@code permission.bash} to where that is written. */
    public static Parsed parse(@Nullable Object value, UnaryOperator<String> locate) {
        List<PermissionProblem> problems = new ArrayList<>();
        Map<String, Surface> surfaces = new LinkedHashMap<>();
        if (value instanceof Map<?, ?> members) {
            members.forEach((key, member) -> {
                String name = String.valueOf(key);
                String path = "permission." + name;
                if (name.isEmpty()) {
                    problems.add(new PermissionProblem(locate.apply(path), "a surface without a name", "name it"));
                }
                Surface surface = surface(path, member, locate, problems);
                if (surface != null) {
                    surfaces.put(name, surface);
                }
            });
        } else if (value != null) {
            problems.add(new PermissionProblem(
                    locate.apply("permission"), "not a map of surfaces", "write `permission: { bash: ask }`"));
        }
        PermissionConfig wellFormed = new PermissionConfig(surfaces);
        return new Parsed(problems.isEmpty() ? wellFormed : ASK_ALL, wellFormed, problems);
    }

    private static @Nullable Surface surface(
            String path, @Nullable Object value, UnaryOperator<String> locate, List<PermissionProblem> problems) {
        if (value instanceof String word) {
            return PermissionState.parse(word)
                    .<Surface>map(Surface.Uniform::new)
                    .orElseGet(() -> {
                        problems.add(unknownState(locate.apply(path), word));
                        return null;
                    });
        }
        if (!(value instanceof Map<?, ?> members)) {
            problems.add(new PermissionProblem(locate.apply(path), "neither a state nor a map of patterns", STATES));
            return null;
        }
        if (members.containsKey("action") && members.size() <= 2) {
            // Valid to the letter, and a trap: it would deny a command named `action` and nothing else.
            problems.add(new PermissionProblem(
                    locate.apply(path),
                    "`action` here is a pattern, not an order",
                    "write `%s: deny`, or a pattern with this object"
                            .formatted(path.substring("permission.".length()))));
            return null;
        }
        Map<String, Entry> entries = new LinkedHashMap<>();
        members.forEach((key, member) -> {
            String pattern = String.valueOf(key);
            String where = locate.apply(path + "." + pattern);
            if (pattern.isEmpty()) {
                problems.add(new PermissionProblem(where, "an empty pattern", "use `*` for everything"));
            }
            Entry entry = entry(where, member, problems);
            if (entry != null) {
                entries.put(pattern, entry);
            }
        });
        return new Surface.Patterns(entries);
    }

    private static @Nullable Entry entry(String where, @Nullable Object value, List<PermissionProblem> problems) {
        if (value instanceof String word) {
            return PermissionState.parse(word)
                    .map(state -> new Entry(state, null))
                    .orElseGet(() -> {
                        problems.add(unknownState(where, word));
                        return null;
                    });
        }
        if (!(value instanceof Map<?, ?> object)) {
            problems.add(new PermissionProblem(where, "neither a state nor a deny object", STATES));
            return null;
        }
        for (Object key : object.keySet()) {
            if (!"action".equals(key) && !"reason".equals(key)) {
                problems.add(new PermissionProblem(
                        where, "unknown key `%s`".formatted(key), "a deny object has action and reason only"));
                return null;
            }
        }
        if (!"deny".equals(object.get("action"))) {
            problems.add(new PermissionProblem(where, "an object that does not deny", "write `action: deny`"));
            return null;
        }
        Object reason = object.get("reason");
        if (reason != null && !(reason instanceof String text && text.length() <= MAX_REASON)) {
            problems.add(new PermissionProblem(where, "a reason that is no text", "write up to 500 characters"));
            return null;
        }
        return new Entry(PermissionState.DENY, (String) reason);
    }

    private static PermissionProblem unknownState(String where, String word) {
        return new PermissionProblem(where, "unknown state `%s`".formatted(word), STATES);
    }

    /** permission.md 1.4: {@code override} over this one, surface by surface. An overridden pattern keeps its place. */
    public PermissionConfig mergedWith(PermissionConfig override) {
        Map<String, Surface> merged = new LinkedHashMap<>(surfaces);
        override.surfaces.forEach((name, over) -> merged.merge(name, over, PermissionConfig::merged));
        return new PermissionConfig(merged);
    }

    private static Surface merged(Surface base, Surface over) {
        if (base instanceof Surface.Patterns(var below) && over instanceof Surface.Patterns(var above)) {
            Map<String, Entry> entries = new LinkedHashMap<>(below);
            entries.putAll(above);
            return new Surface.Patterns(entries);
        }
        return over;
    }

    public boolean isEmpty() {
        return surfaces.isEmpty();
    }

    /** The config as a JSON value, as {@link #parse(Object)} reads it. */
    public Map<String, Object> toJson() {
        Map<String, Object> json = new LinkedHashMap<>();
        surfaces.forEach((name, surface) -> json.put(
                name,
                switch (surface) {
                    case Surface.Uniform(PermissionState state) -> state.wire();
                    case Surface.Patterns(Map<String, Entry> entries) -> patterns(entries);
                }));
        return json;
    }

    private static Map<String, Object> patterns(Map<String, Entry> entries) {
        Map<String, Object> json = new LinkedHashMap<>();
        entries.forEach((pattern, entry) -> json.put(
                pattern, entry.reason() == null ? entry.state().wire() : reasoned(entry.state(), entry.reason())));
        return json;
    }

    private static Map<String, Object> reasoned(PermissionState state, String reason) {
        Map<String, Object> json = new LinkedHashMap<>();
        json.put("action", state.wire());
        json.put("reason", reason);
        return json;
    }

    /** The config as lists of pairs: for canonical JSON, which sorts objects and would lose the order that decides. */
    public List<Object> toOrderedJson() {
        List<Object> json = new ArrayList<>();
        surfaces.forEach((name, surface) -> json.add(List.of(
                name,
                switch (surface) {
                    case Surface.Uniform(PermissionState state) -> state.wire();
                    case Surface.Patterns(Map<String, Entry> entries) ->
                        patterns(entries).entrySet().stream()
                                .map(entry -> List.of(entry.getKey(), entry.getValue()))
                                .toList();
                })));
        return json;
    }

    /** Reads what {@link #toOrderedJson} wrote; refuses anything else. */
    public static PermissionConfig fromOrderedJson(List<?> json) {
        Map<String, @Nullable Object> members = new LinkedHashMap<>();
        for (Object pair : json) {
            Map.Entry<String, Object> surface = pair(pair);
            members.put(
                    surface.getKey(),
                    surface.getValue() instanceof List<?> patterns ? map(patterns) : surface.getValue());
        }
        Parsed parsed = parse(members);
        if (!parsed.problems().isEmpty()) {
            throw new IllegalArgumentException(parsed.problems().getFirst().toString());
        }
        return parsed.config();
    }

    private static Map<String, Object> map(List<?> pairs) {
        Map<String, Object> members = new LinkedHashMap<>();
        for (Object pair : pairs) {
            members.put(pair(pair).getKey(), pair(pair).getValue());
        }
        return members;
    }

    private static Map.Entry<String, Object> pair(@Nullable Object value) {
        if (value instanceof List<?> pair && pair.size() == 2 && pair.getFirst() instanceof String name) {
            return Map.entry(name, pair.getLast());
        }
        throw new IllegalArgumentException("permission (expected: pairs of name and value)");
    }
}
