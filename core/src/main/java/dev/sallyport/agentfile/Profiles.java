package dev.sallyport.agentfile;

import dev.sallyport.json.StrictJson;
import dev.sallyport.permission.PermissionConfig;
import dev.sallyport.text.Nearest;
import dev.sallyport.text.VisibleText;
import dev.sallyport.toolscope.BuiltinTools;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The profiles that can be asked for, and the one for whoever says nothing about tools.
 *
 * @param custom by name, from {@code subagents.json} of the user and of a project
 * @param fallback null where there is no such file; agent files without {@code tools} have all of them then
 * @param fallbackOrigin where the fallback is written
 * @param problems what in the file cannot be used; as it may have been a restriction, nothing is started until it is mended
 */
public record Profiles(
        Map<String, Profile> custom, @Nullable Profile fallback, String fallbackOrigin, List<String> problems) {

    /** Without a file. */
    public static final Profiles BUILT_IN = new Profiles(Map.of(), null, "built in", List.of());

    private static final String PROFILES = "toolProfiles";
    private static final String DEFAULT = "defaultToolProfile";
    private static final List<String> KEYS = List.of(PROFILES, DEFAULT, "ui", "concurrency", "timeouts", "guardrails");
    private static final List<String> PROFILE_KEYS = List.of("tools", "permission");
    private static final int MAX_PROFILES = 100;
    private static final Pattern NAME = Pattern.compile("[a-z0-9][a-z0-9-]{0,62}");

    public Profiles {
        custom = Map.copyOf(custom);
        problems = List.copyOf(problems);
    }

    public Optional<Profile> find(String name) {
        Profile builtIn = Profile.BUILT_IN.get(name);
        return Optional.ofNullable(builtIn != null ? builtIn : custom.get(name));
    }

    /** The profile that is named in an agent file in place of tools: a single entry that is no tool. */
    public Optional<Profile> namedBy(AgentDefinition definition) {
        List<String> tools = definition.tools();
        return tools != null && tools.size() == 1 ? find(tools.getFirst()) : Optional.empty();
    }

    /** Of a file that is there and cannot be used. */
    static Profiles unusable(String problem) {
        return new Profiles(Map.of(), Profile.BUILT_IN.get("none"), "built in", List.of(problem));
    }

    /**
     * Reads the text of a {@code subagents.json}.
     *
     * @param below what counts where this says nothing else; its names mean here what this says
     */
    static Profiles parse(String path, String text, Profiles below) {
        Object root;
        try {
            root = StrictJson.parse(text);
        } catch (IllegalArgumentException e) {
            return unusable("%s: %s".formatted(path, e.getMessage()));
        }
        if (!(root instanceof Map<?, ?> file)) {
            return unusable(path + ": not an object");
        }
        List<String> problems = new ArrayList<>(below.problems());
        requireKnown(path, file, KEYS, problems);
        for (String unused : List.of("concurrency", "timeouts", "guardrails")) {
            if (file.containsKey(unused)) {
                problems.add("%s %s: not honoured (move it to sallyport.yaml)".formatted(path, unused));
            }
        }
        Map<String, Profile> custom = new LinkedHashMap<>(below.custom());
        custom.putAll(custom(path, file.get(PROFILES), problems));
        if (!file.containsKey(DEFAULT) && below.fallback() != null) {
            return new Profiles(custom, below.fallback(), below.fallbackOrigin(), problems);
        }
        Profiles read = new Profiles(custom, null, "", List.of());
        Object name = file.containsKey(DEFAULT) ? file.get(DEFAULT) : Profile.READ_ONLY;
        Profile fallback = name instanceof String word ? read.find(word).orElse(null) : null;
        if (fallback == null) {
            problems.add("%s %s: `%s` (expected: the name of a profile)".formatted(path, DEFAULT, shown(name)));
            fallback = Profile.BUILT_IN.get("none");
        }
        return new Profiles(custom, fallback, "%s %s".formatted(path, DEFAULT), problems);
    }

    private static Map<String, Profile> custom(String path, @Nullable Object value, List<String> problems) {
        Map<String, Profile> custom = new LinkedHashMap<>();
        if (value == null) {
            return custom;
        }
        if (!(value instanceof Map<?, ?> members) || members.size() > MAX_PROFILES) {
            problems.add("%s %s (expected: at most %d profiles by name)".formatted(path, PROFILES, MAX_PROFILES));
            return custom;
        }
        members.forEach((key, member) -> {
            String name = (String) key;
            String where = "%s %s.%s".formatted(path, PROFILES, shown(name));
            if (Profile.BUILT_IN.containsKey(name)) {
                problems.add(where + ": a reserved name (choose another)");
            } else if (!NAME.matcher(name).matches() || BuiltinTools.NAMES.contains(name) || name.equals("all")) {
                problems.add(where + " (expected: a-z 0-9 -, at most 63, not the name of a tool)");
            } else {
                profile(name, where, member, problems).ifPresent(profile -> custom.put(name, profile));
            }
        });
        return custom;
    }

    private static Optional<Profile> profile(String name, String where, @Nullable Object value, List<String> problems) {
        if (!(value instanceof Map<?, ?> members) || !(members.get("tools") instanceof List<?> tools)) {
            problems.add(where + " (expected: an object with tools, a list)");
            return Optional.empty();
        }
        requireKnown(where, members, PROFILE_KEYS, problems);
        List<String> names = new ArrayList<>();
        for (Object tool : tools) {
            if (tool instanceof String word && BuiltinTools.NAMES.contains(word)) {
                names.add(word);
            } else {
                problems.add("%s.tools: no tool `%s`".formatted(where, shown(tool)));
            }
        }
        PermissionConfig permission = PermissionConfig.EMPTY;
        if (members.containsKey("permission")) {
            PermissionConfig.Parsed parsed = PermissionConfig.parse(members.get("permission"), at -> where + "." + at);
            parsed.problems().forEach(problem -> problems.add(problem.toString()));
            permission = parsed.config();
        }
        return Optional.of(new Profile(name, names, null, permission, where));
    }

    private static void requireKnown(String where, Map<?, ?> members, List<String> known, List<String> problems) {
        for (Object key : members.keySet()) {
            if (!known.contains(key)) {
                String name = (String) key;
                problems.add("%s: unknown key `%s` (%s)"
                        .formatted(
                                where,
                                shown(name),
                                Nearest.to(name, known)
                                        .map("nearest: `%s`"::formatted)
                                        .orElse("expected: " + String.join(", ", known))));
            }
        }
    }

    private static String shown(@Nullable Object value) {
        return VisibleText.excerpt(String.valueOf(value), 80);
    }
}
