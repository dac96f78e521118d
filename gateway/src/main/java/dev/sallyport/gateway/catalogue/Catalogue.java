package dev.sallyport.gateway.catalogue;

import dev.sallyport.agentfile.AgentFiles;
import dev.sallyport.agentfile.AgentRegistry;
import dev.sallyport.gateway.error.GatewayException.InvalidRequest;
import dev.sallyport.gateway.error.GatewayException.WorkspaceRefused;
import dev.sallyport.skill.SkillFiles;
import dev.sallyport.skill.Skills;
import java.io.IOException;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** The agents and skills of the user whose gateway this is and, under a configured root, those of a project. Read anew at each use. */
public final class Catalogue {

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
     */
    public Catalogue(Path home, Path agentDirectory, List<Path> roots, AgentFiles.Leniency leniency) {
        this.home = home;
        this.agentDirectory = agentDirectory;
        this.roots = List.copyOf(roots);
        this.files = new AgentFiles(leniency);
    }

    public AgentRegistry registry(@Nullable Path project) {
        return files.load(agentDirectory, project, true);
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
