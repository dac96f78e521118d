package dev.sallyport.agentfile;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Every definition by its key, user definitions over embedded ones, in order of first insertion (authority.md 4). */
public final class AgentRegistry {

    private final Map<String, AgentDefinition> byKey;
    private final List<Shadowed> shadowed;
    private final List<LoadWarning> warnings;
    private final Profiles profiles;
    private final @Nullable ProjectProfiles theirs;
    private final ProjectTrust trust;

    private AgentRegistry(
            Map<String, AgentDefinition> byKey,
            List<Shadowed> shadowed,
            List<LoadWarning> warnings,
            Profiles profiles,
            @Nullable ProjectProfiles theirs,
            ProjectTrust trust) {
        this.byKey = Collections.unmodifiableMap(byKey);
        this.shadowed = List.copyOf(shadowed);
        this.warnings = List.copyOf(warnings);
        this.profiles = profiles;
        this.theirs = theirs;
        this.trust = trust;
    }

    /**
     * A project's {@code subagents.json}.
     *
     * @param digest SHA-256 of the file, in lower-case hexadecimal
     * @param over the user's profiles with the project's over them
     */
    public record ProjectProfiles(String path, String digest, Profiles over) {}

    /** A definition that lost its key, and the one that has it now; paths, or {@code built in}. */
    public record Shadowed(String name, String path, String by) {}

    /** User definitions over the embedded ones; {@code losers} have the name of a later user definition. */
    public static AgentRegistry of(
            Collection<AgentDefinition> users,
            boolean withDefaults,
            List<AgentDefinition> losers,
            List<LoadWarning> warnings) {
        Map<String, AgentDefinition> byKey = new LinkedHashMap<>();
        if (withDefaults) {
            EmbeddedAgents.ALL.forEach(definition -> byKey.put(definition.name(), definition));
        }
        List<AgentDefinition> hidden = new ArrayList<>(losers);
        for (AgentDefinition definition : users) {
            AgentDefinition loser = byKey.put(definition.name(), definition);
            if (loser != null) {
                hidden.add(loser);
            }
        }
        List<Shadowed> shadowed = hidden.stream()
                .map(loser ->
                        new Shadowed(loser.name(), pathOf(loser), pathOf(byKey.getOrDefault(loser.name(), loser))))
                .toList();
        return new AgentRegistry(byKey, shadowed, warnings, Profiles.BUILT_IN, null, ProjectTrust.NONE);
    }

    public static AgentRegistry of(Collection<AgentDefinition> users) {
        return of(users, true, List.of(), List.of());
    }

    /** The agents of a user and a project, embedded ones included; see {@link AgentFiles}. */
    public static AgentRegistry load(Path agentDir, @Nullable Path cwd) {
        return new AgentFiles(AgentFiles.Leniency.NONE).load(agentDir, cwd, true);
    }

    /** The same with other profiles than those that are built in, and with what a project says that nobody trusts yet. */
    AgentRegistry with(Profiles others, @Nullable ProjectProfiles theirs, @Nullable Path project) {
        return new AgentRegistry(
                byKey, shadowed, warnings, others, theirs, new ProjectTrust(project, ProjectTrust.State.UNTRUSTED));
    }

    /** The same where a person has said this of the project's files. */
    public AgentRegistry trusting(ProjectTrust.State state) {
        return new AgentRegistry(byKey, shadowed, warnings, profiles, theirs, new ProjectTrust(trust.project(), state));
    }

    public ProjectTrust trust() {
        return trust;
    }

    /** Whether a child may be what this says: a project's only if the project is trusted (P6). */
    public boolean runs(AgentDefinition definition) {
        return definition.source() != AgentDefinition.Source.PROJECT || trust.granted();
    }

    /** Those of a project that is not trusted. Their names are theirs all the same: nothing that they hide runs instead. */
    public List<AgentDefinition> untrusted() {
        return byKey.values().stream().filter(definition -> !runs(definition)).toList();
    }

    /** Those that count now. */
    public Profiles profiles() {
        return theirs != null && trust.granted() ? theirs.over() : profiles;
    }

    /** Whether trusted or not. */
    public Optional<ProjectProfiles> projectProfiles() {
        return Optional.ofNullable(theirs);
    }

    static String pathOf(AgentDefinition definition) {
        return definition.path() == null ? "built in" : definition.path();
    }

    public List<AgentDefinition> definitions() {
        return List.copyOf(byKey.values());
    }

    public List<String> keys() {
        return List.copyOf(byKey.keySet());
    }

    /** Names that are offered; a hidden agent can be asked for by those who know it. */
    public List<String> available() {
        return byKey.entrySet().stream()
                .filter(entry -> entry.getValue().enabled() && !entry.getValue().hidden() && runs(entry.getValue()))
                .map(Map.Entry::getKey)
                .toList();
    }

    public Optional<AgentDefinition> get(String key) {
        return Optional.ofNullable(byKey.get(key));
    }

    public List<LoadWarning> warnings() {
        if (theirs == null || trust.granted()) {
            return warnings;
        }
        List<LoadWarning> all = new ArrayList<>(warnings);
        all.add(new LoadWarning.Field(theirs.path(), trust.notHonoured()));
        return all;
    }

    public List<Shadowed> shadowed() {
        return shadowed;
    }

    /** The exact key, else the first that is equal ignoring case: for showing, never for running. */
    public Optional<String> looseKey(String name) {
        if (byKey.containsKey(name)) {
            return Optional.of(name);
        }
        return byKey.keySet().stream()
                .filter(key -> equalIgnoringCase(key, name))
                .findFirst();
    }

    /** The exact key, else the only one that is equal ignoring case; a disabled twin counts. */
    public Optional<String> strictKey(String name) {
        if (byKey.containsKey(name)) {
            return Optional.of(name);
        }
        List<String> keys = byKey.keySet().stream()
                .filter(key -> equalIgnoringCase(key, name))
                .toList();
        return keys.size() == 1 ? Optional.of(keys.getFirst()) : Optional.empty();
    }

    /** The key that a request for this name reaches, fallbacks aside. */
    public Optional<String> enabledKey(@Nullable String requested) {
        if (requested == null || requested.isBlank()) {
            return Optional.empty();
        }
        return strictKey(requested.strip()).filter(this::isEnabled);
    }

    /**
     * From a requested name to the definition to run. Names are looked up among the keys; they never touch the file system.
     *
     * @param fallback the setting: null falls back to {@value EmbeddedAgents#GENERAL_PURPOSE}, {@code none} refuses
     */
    public Dispatch dispatch(@Nullable String requested, @Nullable String fallback) {
        Optional<String> hit = enabledKey(requested);
        if (hit.isPresent()) {
            return new Dispatch.To(hit.get(), null);
        }
        String name = requested == null ? "" : requested.strip();
        if (fallback == null) {
            return new Dispatch.To(EmbeddedAgents.GENERAL_PURPOSE, name);
        }
        Dispatch.Cause cause = name.isEmpty() ? Dispatch.Cause.NO_TYPE : Dispatch.Cause.UNKNOWN_OR_DISABLED;
        String substitute = fallback.strip();
        if (equalIgnoringCase(substitute, "none")) {
            return new Dispatch.Refused(cause, name, null, available());
        }
        return strictKey(substitute)
                .filter(this::isEnabled)
                .<Dispatch>map(key -> new Dispatch.To(key, name))
                .orElseGet(() -> new Dispatch.Refused(cause, name, substitute, available()));
    }

    /** The definition behind a key that {@link #dispatch} gave, which may be a fallback that is not there. */
    public AgentDefinition definition(String key) {
        AgentDefinition found = byKey.get(key);
        return found != null && found.enabled() ? found : EmbeddedAgents.LAST_RESORT;
    }

    /** What is shown for a name: its definition, else what stands in for it; never for running. */
    public AgentDefinition shown(String name) {
        return looseKey(name)
                .filter(this::isEnabled)
                .or(() -> Optional.of(EmbeddedAgents.GENERAL_PURPOSE))
                .map(this::definition)
                .orElse(EmbeddedAgents.LAST_RESORT);
    }

    private boolean isEnabled(String key) {
        AgentDefinition definition = byKey.get(key);
        return definition != null && definition.enabled();
    }

    private static boolean equalIgnoringCase(String a, String b) {
        return a.toLowerCase(Locale.ROOT).equals(b.toLowerCase(Locale.ROOT));
    }
}
