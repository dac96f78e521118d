package dev.sallyport.authority;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sallyport.agentfile.AgentRegistry;
import dev.sallyport.agentfile.ProjectTrust;
import dev.sallyport.containment.WorkspaceAccess;
import dev.sallyport.invocation.SpawnCall;
import dev.sallyport.prompt.PromptMode;
import dev.sallyport.testing.Golden;
import dev.sallyport.toolscope.Extension;
import dev.sallyport.toolscope.ToolRules;
import dev.sallyport.toolscope.ToolScope;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The exercise that ends the first seed: if the agent file, the call, the settings and a live extension disagree, which one
 * controls the child?
 */
class ResolutionExerciseTest {

    private static final String REVIEWER = """
            ---
            name: reviewer
            model: acme/file-model
            thinking: high
            max_turns: 8
            inherit_context: false
            run_in_background: false
            isolated: false
            isolation: off
            prompt_mode: append
            tools: read, grep, ext:alpha/search
            disallowed_tools: grep
            extensions: alpha, beta
            exclude_extensions: beta
            ---
            Review only the authorization boundary.
            """;

    @TempDir
    private Path root;

    private Outcome.Granted outcome;

    @BeforeEach
    void spawnReviewer() throws IOException {
        write("home/agents/reviewer.md", "---\nname: reviewer\nmodel: acme/global-model\n---\nGlobal.");
        write("project/.agents/agents/reviewer.md", "---\nname: reviewer\nthinking: low\n---\nWorkspace.");
        write("project/.pi/agents/project.md", REVIEWER);
        AgentRegistry registry = AgentRegistry.load(root.resolve("home"), root.resolve("project"))
                .trusting(ProjectTrust.State.TRUSTED);
        SpawnCall call = SpawnCall.builder("reviewer")
                .hasDirectory(true)
                .model("acme/call-model")
                .thinking("minimal")
                .maxTurns(2.0)
                .inheritContext(true)
                .runInBackground(true)
                .isolated(true)
                .isolation("worktree")
                .build();

        outcome = (Outcome.Granted) Requests.ordinary().registry(registry).resolve(call);
    }

    @Test
    void theAgentFileOfTheProjectControlsTheChild() {
        Authority child = outcome.authority();

        assertThat(child.definition())
                .isEqualTo(root.resolve("project/.pi/agents/project.md").toString());
        assertThat(child.model()).hasToString("acme/file-model");
        assertThat(child.thinking()).isEqualTo("high");
        assertThat(child.maxTurns()).isEqualTo(8);
        assertThat(child.inheritContext()).isFalse();
        assertThat(child.runInBackground()).isFalse();
        assertThat(child.isolated()).isFalse();
        assertThat(child.prompt().mode()).isEqualTo(PromptMode.APPEND);
        assertThat(child.prompt().body()).isEqualTo("Review only the authorization boundary.");
        assertThat(child.tools()).containsExactly("read");
        // No worktree, and since nothing can write, no write access either.
        assertThat(child.containment().workspace()).isEqualTo(WorkspaceAccess.READ_ONLY);
    }

    @Test
    void theTableNamesWhoWonAndWhoLost() throws IOException {
        String table = outcome.explanation().render().replace(root.toString(), "…");

        Golden.assertMatches(getClass(), "resolution-exercise.txt", table);
    }

    /** By the rules that the runner makes of the authority. */
    @Test
    void alphaIsLoadedForOneOfItsToolsAndBetaIsNot() {
        Authority child = outcome.authority();
        ToolScope scope = new ToolScope(ToolRules.granted(
                child.tools(), child.deniedTools(), child.extensions().rights(), Set.of()));

        assertThat(scope.load(new Extension("/x/alpha.ts", List.of("alpha")), List.of("search", "write_remote")))
                .isTrue();
        assertThat(scope.load(new Extension("/x/beta.ts", List.of("beta")), List.of("lint")))
                .isFalse();

        assertThat(scope.visible()).containsExactly("read", "search");
        assertThat(List.of("read", "search", "grep", "write_remote", "lint"))
                .filteredOn(scope::permits)
                .containsExactly("read", "search");
    }

    private void write(String path, String content) throws IOException {
        Path file = root.resolve(path);
        Files.createDirectories(file.getParent());
        Files.writeString(file, content);
    }
}
