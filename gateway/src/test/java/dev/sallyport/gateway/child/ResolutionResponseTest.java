package dev.sallyport.gateway.child;

import dev.sallyport.agentfile.AgentFiles;
import dev.sallyport.agentfile.ProjectTrust;
import dev.sallyport.authority.AuthorityRequest;
import dev.sallyport.authority.AuthorityResolver;
import dev.sallyport.authority.OperatorPolicy;
import dev.sallyport.authority.OperatorPolicyFile;
import dev.sallyport.authority.Outcome;
import dev.sallyport.containment.WorkspaceAccess;
import dev.sallyport.invocation.Settings;
import dev.sallyport.invocation.SpawnCall;
import dev.sallyport.testing.Golden;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.SerializationFeature;
import tools.jackson.databind.json.JsonMapper;

/** What a page that explains an authority is made of: nothing in it has to be taken apart again. */
class ResolutionResponseTest {

    private static final JsonMapper JSON = JsonMapper.builder()
            .enable(SerializationFeature.INDENT_OUTPUT)
            .enable(SerializationFeature.ORDER_MAP_ENTRIES_BY_KEYS)
            .build();

    @TempDir
    private Path root;

    @Test
    void namesEveryPartOfAnExplanation() throws Exception {
        agent("user/agents", "model: scripted/old");
        agent(
                "project/.pi/agents",
                "model: scripted/demo\ntools: read, bash, edit\ndisalowed_tools: bash\nsandbox:\n  workspace: read-write\n"
                        + "  network: [a.example]\n  limits: {memory: 4g}");
        OperatorPolicy operator = OperatorPolicyFile.parse("/etc/sallyport.yaml", """
                version: 1
                ceilings:
                  limits: { memory: 1g }
                  hosts: [a.example]
                locks:
                  tools: [edit]
                """);

        Outcome outcome = AuthorityResolver.resolve(new AuthorityRequest(
                new AgentFiles(AgentFiles.Leniency.NONE)
                        .load(root.resolve("user"), root.resolve("project"), true)
                        .trusting(ProjectTrust.State.TRUSTED),
                SpawnCall.builder("rev")
                        .hasDirectory(true)
                        .workspace(WorkspaceAccess.READ_WRITE)
                        .model("scripted/other")
                        .build(),
                Settings.DEFAULT,
                operator,
                null));

        String json = JSON.writeValueAsString(ResolutionResponse.of(outcome, JSON));
        Golden.assertMatches(
                ResolutionResponseTest.class,
                "resolution.json",
                // Of the files only where they are differs from run to run, and what is hashed over it.
                json.replace(root.toString(), "/files").replaceAll("\"[0-9a-f]{64}\"", "\"digest\""));
    }

    private void agent(String directory, String fields) throws Exception {
        Path agents = Files.createDirectories(root.resolve(directory));
        Files.writeString(agents.resolve("rev.md"), "---\n" + fields + "\n---\nYou review.\n");
    }
}
