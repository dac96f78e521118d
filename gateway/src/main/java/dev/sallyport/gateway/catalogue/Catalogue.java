package dev.sallyport.gateway.catalogue;

import dev.sallyport.agentfile.AgentFiles;
import dev.sallyport.agentfile.AgentRegistry;
import dev.sallyport.agentfile.ProjectTrust;
import dev.sallyport.gateway.catalogue.Trusts.Trust;
import dev.sallyport.gateway.error.GatewayException.InvalidRequest;
import dev.sallyport.gateway.error.GatewayException.WorkspaceRefused;
import dev.sallyport.project.Project;
import dev.sallyport.skill.SkillFiles;
import dev.sallyport.skill.Skills;
import dev.sallyport.toolscope.ExtensionFiles;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The agents and skills of the user whose gateway this is and, under a configured root, those of a project. Looked for anew at
 * each use; an agent file is read again when it has changed.
 */
public final class Catalogue {

    private final Path home;
    private final Path agentDirectory;
    private final List<Path> roots;
    private final Trusts trusts;
    private final AgentFiles files;

    /**
     * A catalogue.
     *
     * @param home of the user, where other programs keep skills too
     * @param roots the only places whose files are looked at for a caller
     * @param leniency which agent files are used at all
     * @param trusts whose files of a project may do more than narrow
     * @param clock tells which files have not been changed for long enough to be remembered
     */
    public Catalogue(
            Path home,
            Path agentDirectory,
            List<Path> roots,
            AgentFiles.Leniency leniency,
            Trusts trusts,
            InstantSource clock) {
        this.home = home;
        this.agentDirectory = agentDirectory;
        this.roots = List.copyOf(roots);
        this.trusts = trusts;
        this.files = new AgentFiles(leniency, clock);
    }

    /** Of a user and, unless the directory is null, of the project in it. */
    public Snapshot snapshot(Trusts.User user, @Nullable Path directory) {
        AgentRegistry registry = files.load(agentDirectory, directory, true);
        Skills skills = SkillFiles.of(null, agentDirectory, home, false);
        String settings = Project.settings(agentDirectory.resolve("settings.json"), agentDirectory);
        if (directory == null) {
            return new Snapshot(registry, skills, ExtensionFiles.NONE, Optional.empty(), settings, List.of());
        }
        Project project = Project.look(directory, registry);
        List<String> warnings = new ArrayList<>();
        project.policy().ifPresent(policy -> warnings.addAll(policy.warnings()));
        Optional<Trust> trust = trusts.of(user, directory);
        Project.Whole whole = trust.isPresent() ? whole(project, warnings) : null;
        if (whole != null && whole.digest().equals(trust.get().digest())) {
            Project trusted = project.trusting(ProjectTrust.State.TRUSTED);
            return new Snapshot(
                    trusted.registry(),
                    whole.skillsOver(skills),
                    whole.extensions(),
                    Optional.of(trusted),
                    settings,
                    warnings);
        }
        Project untrusted =
                project.trusting(trust.isPresent() ? ProjectTrust.State.CHANGED : ProjectTrust.State.UNTRUSTED);
        warnings.addAll(untrusted.notHonoured());
        return new Snapshot(
                untrusted.registry(), skills, ExtensionFiles.NONE, Optional.of(untrusted), settings, warnings);
    }

    private static Project.@Nullable Whole whole(Project project, List<String> warnings) {
        try {
            return project.whole();
        } catch (IOException e) {
            warnings.add("project `%s` can not be trusted: %s".formatted(project.directory(), e.getMessage()));
            return null;
        }
    }

    /** A project for somebody who is about to trust it, in the state in which it is for them. */
    Project look(Trusts.User user, Path directory) {
        return snapshot(user, directory).project().orElseThrow();
    }

    /** Where the user's extensions lie. */
    public Path extensions() {
        return agentDirectory.resolve("extensions");
    }

    /**
     * Where a caller's {@code directory} really is.
     *
     * @return empty for null
     * @throws WorkspaceRefused if it is not below a root; whether it exists is not said then
     */
    public Optional<Path> directory(@Nullable String text) {
        if (text == null) {
            return Optional.empty();
        }
        Path path;
        try {
            path = Path.of(text);
        } catch (InvalidPathException e) {
            throw new InvalidRequest("directory: `%s` (expected: a path)".formatted(text));
        }
        if (!path.isAbsolute()) {
            throw new InvalidRequest("directory: `%s` (expected: an absolute path)".formatted(text));
        }
        return Optional.of(real(path)
                .filter(this::isBelowRoot)
                .orElseThrow(() -> new WorkspaceRefused(
                        "outside-roots",
                        "directory `%s` is not below a configured workspace root".formatted(text),
                        "name one below a root, or let the operator add to sallyport.gateway.workspace-roots")));
    }

    /**
     * What tells one project from another: the top of its work tree, as cloning finds it, or the directory itself.
     *
     * @param directory as {@link #directory} found it
     */
    public Path project(Path directory) {
        for (Path top = directory; top != null && isBelowRoot(top); top = top.getParent()) {
            if (Files.exists(top.resolve(".git"), LinkOption.NOFOLLOW_LINKS)) {
                return top;
            }
        }
        return directory;
    }

    private boolean isBelowRoot(Path directory) {
        return roots.stream().flatMap(root -> real(root).stream()).anyMatch(directory::startsWith);
    }

    private static Optional<Path> real(Path path) {
        try {
            return Optional.of(path.toRealPath());
        } catch (IOException e) {
            return Optional.empty();
        }
    }
}
