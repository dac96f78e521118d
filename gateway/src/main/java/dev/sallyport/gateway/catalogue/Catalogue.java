package dev.sallyport.gateway.catalogue;

import dev.sallyport.agentfile.AgentFiles;
import dev.sallyport.agentfile.AgentRegistry;
import dev.sallyport.gateway.error.GatewayException.InvalidRequest;
import dev.sallyport.gateway.error.GatewayException.WorkspaceRefused;
import dev.sallyport.model.ModelScope;
import dev.sallyport.skill.SkillFiles;
import dev.sallyport.skill.Skills;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The agents and skills of the user whose gateway this is and, under a configured root, those of a project. Looked for anew at
 * each use; an agent file is read again when it has changed.
 */
public final class Catalogue {

    private static final int LARGEST_SETTINGS = 65_536;

    private final Path home;
    private final Path agentDirectory;
    private final List<Path> roots;
    private final AgentFiles files;

    /**
     * A catalogue.
     *
     * @param home of the user, where other programs keep skills too
     * @param roots the only places whose files are looked at for a caller
     * @param leniency which agent files are used at all
     * @param clock tells which files have not been changed for long enough to be remembered
     */
    public Catalogue(
            Path home, Path agentDirectory, List<Path> roots, AgentFiles.Leniency leniency, InstantSource clock) {
        this.home = home;
        this.agentDirectory = agentDirectory;
        this.roots = List.copyOf(roots);
        this.files = new AgentFiles(leniency, clock);
    }

    public AgentRegistry registry(@Nullable Path project) {
        return files.load(agentDirectory, project, true);
    }

    /** Where the user's extensions lie. Those of a project are not read: nobody has said that it may run programs (P6). */
    public Path extensions() {
        return agentDirectory.resolve("extensions");
    }

    public Skills skills(@Nullable Path project) {
        return SkillFiles.of(project, agentDirectory, home, false);
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

    /**
     * The models that the user and a project say they work with (authority.md 5.7).
     *
     * @param replace whether the project's word takes the place of the user's, and so may widen it
     */
    public ModelScope modelScope(@Nullable Path project, boolean replace) {
        return ModelScope.of(
                project == null ? null : settings(project.resolve(".pi"), project),
                settings(agentDirectory, agentDirectory),
                replace);
    }

    /** Text of a settings file; null if it is none, is elsewhere in truth or is too large to be one. */
    private static @Nullable String settings(Path directory, Path within) {
        Path file = directory.resolve("settings.json");
        Optional<Path> real = real(file);
        if (real.isEmpty() || !real(within).filter(real.get()::startsWith).isPresent() || !Files.isRegularFile(file)) {
            return null;
        }
        try (InputStream in = Files.newInputStream(file)) {
            byte[] bytes = in.readNBytes(LARGEST_SETTINGS + 1);
            return bytes.length > LARGEST_SETTINGS ? null : new String(bytes, StandardCharsets.UTF_8);
        } catch (IOException e) {
            return null;
        }
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
