package dev.sallyport.gateway.catalogue;

import dev.sallyport.agentfile.AgentRegistry;
import dev.sallyport.model.ModelScope;
import dev.sallyport.permission.Narrowing;
import dev.sallyport.project.Project;
import dev.sallyport.project.ProjectPolicy;
import dev.sallyport.skill.Skills;
import dev.sallyport.toolscope.ExtensionFiles;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * What a user's directories and a project say at one moment, as far as it counts (S3, P6). Of a project that is not trusted
 * only what narrows does.
 *
 * @param extensions of the project
 * @param warnings of what does not count or cannot be used
 */
public record Snapshot(
        AgentRegistry registry,
        Skills skills,
        ExtensionFiles extensions,
        Optional<Project> project,
        @Nullable String userSettings,
        List<String> warnings) {

    public Snapshot {
        warnings = List.copyOf(warnings);
    }

    /** The repository's own policy: it can only narrow, trusted or not (S2). */
    public List<Narrowing.Layer> policy() {
        return project.flatMap(Project::policy).map(ProjectPolicy::layer).stream()
                .toList();
    }

    /**
     * The models that the user and the project say they work with (authority.md 5.7).
     *
     * @param replace whether a trusted project's word takes the place of the user's, and so may widen it
     */
    public ModelScope models(boolean replace) {
        return ModelScope.of(
                project.map(Project::settings).orElse(null),
                userSettings,
                replace && registry.trust().granted());
    }
}
