package dev.sallyport.gateway.child;

import dev.sallyport.authority.ExtensionRights;
import dev.sallyport.containment.Harness;
import dev.sallyport.containment.WorkspaceAccess;
import dev.sallyport.gateway.sandbox.SandboxSpec;
import dev.sallyport.gateway.workspace.Workspaces;
import dev.sallyport.toolscope.ToolRules;
import java.util.List;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;

/**
 * The first message on a child's control feed: all that its runner needs to get ready, but not yet what to do.
 *
 * @param version of this message; a runner that does not know it ends (P14)
 * @param nonce of this start; the runner repeats it when it says what is active
 * @param tools our own, those for delegation included
 * @param deniedTools locked, whoever has them
 * @param toolTimeout ISO-8601
 * @param outputLimit in bytes
 */
record Assignment(
        int version,
        String child,
        int incarnation,
        String nonce,
        String harness,
        @Nullable Model model,
        List<String> tools,
        List<String> deniedTools,
        Extensions extensions,
        List<Provider> providers,
        String systemPrompt,
        @Nullable Integer maxTurns,
        int graceTurns,
        Workspace workspace,
        @Nullable Memory memory,
        @Nullable List<String> command,
        String toolTimeout,
        int outputLimit) {

    private static final int VERSION = 3;

    /** Of a child that goes on with a conversation: a runner that does not know how would begin anew without a word. */
    private static final int VERSION_RESUMED = 4;

    /** Where in the sandbox the workspace is. */
    static final String TOP = "/workspace";

    record Model(
            String provider,
            String id,
            String shape,
            boolean scripted,
            @Nullable String thinking) {}

    /**
     * Which extensions count, and which of their tools.
     *
     * @param selectors {@code ext:NAME} or {@code ext:NAME/TOOL}, null for all
     * @param quirks old behaviours, by the names that the operator knows them by
     */
    record Extensions(
            boolean all,
            List<String> names,
            List<String> excluded,
            @Nullable List<String> selectors,
            List<String> quirks) {

        static Extensions of(Terms.Extensions terms) {
            ExtensionRights rights = terms.rights();
            return new Extensions(
                    rights.all(),
                    rights.names(),
                    rights.excluded(),
                    rights.selectors(),
                    terms.quirks().stream().map(ToolRules.Quirk::wire).sorted().toList());
        }
    }

    /** An extension whose files are in the sandbox. */
    record Provider(String name, String directory, List<String> command) {

        static Provider of(Terms.Given given) {
            return new Provider(given.name(), SandboxSpec.EXTENSIONS + "/" + given.name(), given.command());
        }
    }

    record Workspace(
            String mode,
            String directory,
            @Nullable String branch,
            @Nullable String base) {}

    /** @param access `read-write` or `read-only` */
    record Memory(String directory, String access) {}

    /** @param base commit of the clone, null if there is none */
    static ObjectNode of(Child child, String nonce, @Nullable String base, LifeSettings settings, JsonMapper json) {
        Terms terms = child.terms();
        Terms.Model model = terms.model();
        boolean clone = terms.workspace().access() == WorkspaceAccess.CLONE;
        var assignment = new Assignment(
                child.resumes() == null ? VERSION : VERSION_RESUMED,
                child.id().value(),
                child.incarnation(),
                nonce,
                terms.harness().wire(),
                model == null
                        ? null
                        : new Model(model.provider(), model.id(), model.shape(), model.scripted(), model.thinking()),
                terms.tools(),
                terms.extensions().denied(),
                Extensions.of(terms.extensions()),
                terms.extensions().given().stream().map(Provider::of).toList(),
                terms.systemPrompt(),
                terms.maxTurns(),
                terms.graceTurns(),
                new Workspace(
                        terms.workspace().access().wire(),
                        directory(terms.workspace()),
                        clone ? Workspaces.branch(child.id()) : null,
                        base),
                terms.memory() == null
                        ? null
                        : new Memory(
                                Remembering.DIRECTORY, terms.memory().access().wire()),
                terms.harness() == Harness.COMMAND ? terms.command() : null,
                settings.toolTimeout().toString(),
                settings.outputLimit());
        return json.valueToTree(assignment);
    }

    /** Where in the sandbox the child's tools start. */
    static String directory(Terms.Workspace workspace) {
        return workspace.subdirectory().isEmpty() ? TOP : TOP + "/" + workspace.subdirectory();
    }
}
