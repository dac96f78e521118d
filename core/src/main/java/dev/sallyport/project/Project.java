package dev.sallyport.project;

import dev.sallyport.agentfile.AgentDefinition;
import dev.sallyport.agentfile.AgentRegistry;
import dev.sallyport.agentfile.AgentRegistry.ProjectProfiles;
import dev.sallyport.agentfile.Inclusion;
import dev.sallyport.agentfile.ProjectTrust;
import dev.sallyport.agentfile.SandboxBlock;
import dev.sallyport.agentfile.SubagentPermission;
import dev.sallyport.json.Digests;
import dev.sallyport.skill.Skill;
import dev.sallyport.skill.SkillFiles;
import dev.sallyport.skill.Skills;
import dev.sallyport.toolscope.ExtensionFiles;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * What a project says to its agents, read once. INVARIANT: what its digest is over is what counts of it, and nothing of it is
 * read again, so that there is no moment between comparing and using (P6).
 *
 * @param registry agents and profiles of the user and of this project
 * @param settings text of its settings file; null if it has none that can be used
 */
public record Project(
        Path directory,
        AgentRegistry registry,
        Optional<ProjectPolicy> policy,
        @Nullable String settings) {

    private static final int LARGEST_SETTINGS = 65_536;
    private static final String SETTINGS = ".pi/settings.json";
    private static final String EXTENSIONS = ".pi/extensions";
    private static final List<String> SKILLS = List.of(".pi/skills", ".agents/skills");

    /** What kind of thing a file is to agents. */
    public enum Kind {
        AGENT,
        PROFILES,
        SETTINGS,
        POLICY,
        SKILL,
        EXTENSION;

        public String wire() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    /**
     * Something of a project that counts.
     *
     * @param path below the project; of an extension its directory
     * @param digest SHA-256 of what was read, in lower-case hexadecimal
     * @param says what it does once it is trusted, for people
     */
    public record Entry(String path, Kind kind, String digest, String says) {}

    /**
     * All of it.
     *
     * @param entries by path
     * @param digest over all of them
     * @param skills by name
     * @param extensions each pinned to the files that the digest is over
     */
    public record Whole(List<Entry> entries, String digest, Map<String, Skill> skills, ExtensionFiles extensions) {

        public Whole {
            entries = List.copyOf(entries);
            skills = Map.copyOf(skills);
        }

        /** Its skills, and another's where it has none of the name. */
        public Skills skillsOver(Skills others) {
            return name -> {
                Skill own = skills.get(name);
                return own == null ? others.find(name) : own;
            };
        }
    }

    /** What counts of it whether it is trusted or not; cheap, however much else is there. */
    public static Project look(Path directory, AgentRegistry registry) {
        return new Project(
                directory, registry, ProjectPolicy.of(directory), settings(directory.resolve(SETTINGS), directory));
    }

    /** The same, read as it was, where a person has said this of it. */
    public Project trusting(ProjectTrust.State state) {
        return new Project(directory, registry.trusting(state), policy, settings);
    }

    /** Text of a settings file; null if it is none, is elsewhere in truth or is too large to be one. */
    public static @Nullable String settings(Path file, Path within) {
        try {
            if (!file.toRealPath().startsWith(within.toRealPath()) || !Files.isRegularFile(file)) {
                return null;
            }
            try (InputStream in = Files.newInputStream(file)) {
                byte[] bytes = in.readNBytes(LARGEST_SETTINGS + 1);
                return bytes.length > LARGEST_SETTINGS ? null : new String(bytes, StandardCharsets.UTF_8);
            }
        } catch (IOException e) {
            return null;
        }
    }

    /**
     * Reads what only counts if it is trusted, too.
     *
     * @throws IOException if it is more than a person could trust, or cannot be read
     */
    public Whole whole() throws IOException {
        List<Entry> entries = new ArrayList<>();
        for (AgentDefinition agent : agents()) {
            entries.add(new Entry(relative(agent.path()), Kind.AGENT, agent.digest(), says(agent)));
        }
        registry.projectProfiles().ifPresent(theirs -> entries.add(profiles(theirs)));
        if (settings != null) {
            String digest = Digests.sha256(settings.getBytes(StandardCharsets.UTF_8));
            entries.add(new Entry(SETTINGS, Kind.SETTINGS, digest, "may only narrow which models are worked with"));
        }
        policy.ifPresent(own -> entries.add(new Entry(
                ProjectPolicy.FILE,
                Kind.POLICY,
                own.digest() == null ? "" : own.digest(),
                "may only narrow what is allowed, trusted or not")));
        Map<String, Skill> skills = SkillFiles.ofProject(directory, false);
        skills.forEach((name, skill) -> {
            if (skill.status() == Skill.Status.FOUND) {
                String says = "skill `%s`: goes into the prompt of agents that name it".formatted(name);
                entries.add(new Entry(relative(skill.path()), Kind.SKILL, skill.digest(), says));
            }
        });
        ExtensionFiles extensions = extensions().pinned();
        extensions.found().forEach(found -> entries.add(extension(found)));
        entries.sort(Comparator.comparing(Entry::path));
        return new Whole(entries, digest(entries), skills, extensions);
    }

    private static String digest(List<Entry> entries) {
        Digests digests = Digests.of("sallyport-project-v1").field(entries.size());
        entries.forEach(
                entry -> digests.field(entry.path()).field(entry.kind().wire()).field(entry.digest()));
        return digests.hex();
    }

    /** What of it does not count while it is not trusted, agents apart, for people. */
    public List<String> notHonoured() {
        List<String> not = new ArrayList<>();
        SKILLS.stream()
                .map(directory::resolve)
                .filter(skills -> Files.exists(skills, LinkOption.NOFOLLOW_LINKS))
                .forEach(skills ->
                        not.add("%s: %s".formatted(skills, registry.trust().notHonoured())));
        extensions()
                .found()
                .forEach(found -> not.add(
                        "%s: %s".formatted(found.directory(), registry.trust().notHonoured())));
        return not;
    }

    private List<AgentDefinition> agents() {
        return registry.definitions().stream()
                .filter(agent -> agent.source() == AgentDefinition.Source.PROJECT)
                .toList();
    }

    /** A link that leads out of the project is not followed. */
    private ExtensionFiles extensions() {
        Path top = directory.resolve(EXTENSIONS);
        try {
            return top.toRealPath().startsWith(directory.toRealPath()) ? ExtensionFiles.in(top) : ExtensionFiles.NONE;
        } catch (IOException e) {
            return ExtensionFiles.NONE;
        }
    }

    private String relative(@Nullable String path) {
        return path == null ? "" : directory.relativize(Path.of(path)).toString();
    }

    private Entry profiles(ProjectProfiles theirs) {
        String fallback = theirs.over().fallback() == null
                ? ""
                : "; default profile " + theirs.over().fallback().name();
        String says = theirs.over().problems().isEmpty()
                ? "profiles %s%s"
                        .formatted(
                                String.join(
                                        ", ",
                                        theirs.over().custom().keySet().stream()
                                                .sorted()
                                                .toList()),
                                fallback)
                : "can not be used: " + theirs.over().problems().getFirst();
        return new Entry(relative(theirs.path()), Kind.PROFILES, theirs.digest(), says);
    }

    private Entry extension(ExtensionFiles.Found found) {
        // The manifest was read before the files were: both are what a person sees, and what is started.
        String digest = Digests.of("sallyport-project-extension-v1")
                .field(found.pinned())
                .fields(found.command())
                .hex();
        String says =
                "extension `%s`: runs `%s` in children".formatted(found.name(), String.join(" ", found.command()));
        return new Entry(relative(found.directory().toString()), Kind.EXTENSION, digest, says);
    }

    private String says(AgentDefinition agent) {
        List<String> says = new ArrayList<>();
        SandboxBlock sandbox = agent.sandbox();
        says.add("agent `%s`".formatted(agent.name()));
        says.add("tools " + words(agent.toolNames()));
        if (sandbox.workspace() != null) {
            says.add("workspace " + sandbox.workspace().wire());
        }
        if (sandbox.network() != null) {
            says.add("network " + words(sandbox.network().words()));
        }
        if (sandbox.credentials() != null) {
            says.add("credentials " + words(sandbox.credentials().names()));
        }
        SubagentPermission starts = agent.allowedSubagents();
        if (starts != null && !starts.isNone()) {
            says.add("starts " + starts.shown());
        }
        if (!(agent.extensions() instanceof Inclusion.None)) {
            says.add("extensions " + agent.extensions().shown());
        }
        registry.shadowed().stream()
                .filter(hidden -> hidden.by().equals(agent.path()))
                .forEach(hidden -> says.add("hides that of " + hidden.path()));
        return String.join("; ", says);
    }

    private static String words(List<String> names) {
        return names.isEmpty() ? "none" : String.join(", ", names);
    }
}
