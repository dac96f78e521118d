package dev.sallyport.authority;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sallyport.agentfile.AgentDefinition;
import dev.sallyport.agentfile.AgentRegistry;
import dev.sallyport.agentfile.SandboxBlock;
import dev.sallyport.containment.CredentialScope;
import dev.sallyport.containment.Limits;
import dev.sallyport.containment.NetworkPolicy;
import dev.sallyport.containment.WorkspaceAccess;
import dev.sallyport.invocation.SpawnCall;
import dev.sallyport.provenance.Grade;
import dev.sallyport.provenance.Layer;
import dev.sallyport.provenance.Origin;
import java.util.List;
import org.junit.jupiter.api.Test;

class ExplanationTest {

    // T80: an agent file is whatever a repository says it is.
    @Test
    void letsNothingInAnAgentFileForgeARowOrHideOne() {
        Origin evil = new Origin(Layer.AGENT_FILE, "/p/\u001b[2K\nnetwork  public.md:1");
        Explanation explanation = new Explanation(
                List.of(new Field(
                        "model",
                        "x\nnetwork  any  kernel  operator",
                        Grade.DOOR,
                        evil,
                        List.of(new Field.Loser(evil, "\u202ey", "a\rb")))),
                List.of(new AgentRegistry.Shadowed("a\nb", "c\u0007", "d\u009b")),
                List.of(new Explanation.Untrusted("a\nb", "c\u0007", "d\u009b\u202e")),
                List.of(),
                List.of(new Explanation.Exposure("e\nf", "g\u001b[2J")),
                List.of("w\nagent  root"));

        String table = explanation.render();

        assertThat(table.lines()).hasSize(7);
        assertThat(table.codePoints().filter(c -> (c != '\n' && c < 0x20) || (c >= 0x7f && c < 0xa0) || c == 0x202e))
                .isEmpty();
    }

    @Test
    void gradesEveryFieldOfAnAuthority() {
        Authority authority = Requests.ordinary().granted(SpawnCall.of(null));

        assertThat(authority.fields())
                .extracting(field -> field.name() + " " + field.grade().wire())
                .containsExactly(
                        "agent -",
                        "harness -",
                        "model door",
                        "thinking runner",
                        "maxTurns runner",
                        "inheritContext -",
                        "runInBackground -",
                        "outputTranscript -",
                        "isolated runner",
                        "deniedTools runner",
                        "tools runner",
                        "extensions kernel",
                        "extensions.tools runner",
                        "skills.allowed runner",
                        "permission runner",
                        "prompt -",
                        "workspace kernel",
                        "network kernel",
                        "credentials door",
                        "limits.cpu kernel",
                        "limits.memory kernel",
                        "limits.pids kernel",
                        "limits.wall door",
                        "limits.disk kernel",
                        "runtime kernel",
                        "delegation door",
                        "delegation.depth door",
                        "delegation.maxActivePerSession door",
                        "delegation.allowSharedWriters door",
                        "budgets.turns door",
                        "budgets.tokens door",
                        "budgets.cost door",
                        "budgets.egress door",
                        "budgets.children door",
                        "memory -",
                        "compatibility -");
    }

    @Test
    void saysWhatAnAgentRemembers() {
        AgentDefinition keeper =
                AgentDefinition.named("keeper").memory("project").build();
        Requests requests = Requests.ordinary().registry(AgentRegistry.of(List.of(keeper)));

        Outcome there =
                requests.resolve(SpawnCall.builder("keeper").hasDirectory(true).build());
        Outcome nowhere = requests.resolve(SpawnCall.of("keeper"));

        assertThat(memory(there)).startsWith("memory project, read-write door []");
        assertThat(there.explanation().exposures())
                .extracting(Explanation.Exposure::what)
                .containsExactly("its prompt holds what earlier runs of `keeper` wrote");
        assertThat(memory(nowhere)).startsWith("memory none - [Loser[").contains("no directory whose memory it is");
        assertThat(nowhere.explanation().exposures()).isEmpty();
    }

    private static String memory(Outcome outcome) {
        return outcome.explanation().fields().stream()
                .filter(field -> field.name().equals("memory"))
                .map(field -> "%s %s %s %s"
                        .formatted(field.name(), field.value(), field.grade().wire(), field.losers()))
                .findFirst()
                .orElseThrow();
    }

    @Test
    void pointsAtWhatReachesFurther() {
        AgentDefinition open = AgentDefinition.named("open")
                .sandbox(new SandboxBlock(
                        WorkspaceAccess.READ_WRITE,
                        NetworkPolicy.parse(List.of("a.test")),
                        CredentialScope.of(List.of("npm")),
                        Limits.Partial.NOTHING,
                        null,
                        null))
                .build();
        Outcome outcome = Requests.ordinary()
                .registry(AgentRegistry.of(List.of(open)))
                .operator(Requests.policy()
                        .compatibility(Compatibility.parse(List.of("follow-links")))
                        .build())
                .resolve(SpawnCall.builder("open").hasDirectory(true).build());

        assertThat(outcome.explanation().exposures())
                .extracting(Explanation.Exposure::field)
                .containsExactly("workspace", "network", "credentials", "compatibility");
        assertThat(Requests.ordinary().resolve(SpawnCall.of(null)).explanation().exposures())
                .isEmpty();
    }

    @Test
    void twoAuthoritiesDifferWhereTheirValuesDo() {
        Requests requests = Requests.ordinary();
        List<Field> plan = requests.granted(SpawnCall.of("Plan")).fields();
        List<Field> isolated = requests.granted(
                        SpawnCall.builder("Plan").isolated(true).build())
                .fields();

        List<AuthorityDifference> differences = AuthorityDifference.between(plan, isolated);

        assertThat(differences)
                .extracting(difference -> difference.field() + ": " + difference.left() + " or " + difference.right())
                .containsExactly(
                        "isolated: no or yes",
                        "extensions: all or none",
                        "extensions.tools: all or none",
                        "skills.allowed: all or none");
        assertThat(AuthorityDifference.between(plan, plan)).isEmpty();
        assertThat(AuthorityDifference.render("a\nb", "c", differences).lines()).hasSize(5);
        assertThat(AuthorityDifference.between(plan, List.of())).hasSameSizeAs(plan);
    }
}
