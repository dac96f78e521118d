package dev.sallyport.authority;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sallyport.agentfile.AgentRegistry;
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
                List.of("w\nagent  root"));

        String table = explanation.render();

        assertThat(table.lines()).hasSize(5);
        assertThat(table.codePoints().filter(c -> (c != '\n' && c < 0x20) || (c >= 0x7f && c < 0xa0) || c == 0x202e))
                .isEmpty();
    }

    @Test
    void gradesEveryFieldOfAnAuthority() {
        Authority authority = Requests.ordinary().granted(dev.sallyport.invocation.SpawnCall.of(null));

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
                        "isolated runner",
                        "deniedTools runner",
                        "tools runner",
                        "extensions runner",
                        "skills runner",
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
                        "compatibility -");
    }
}
