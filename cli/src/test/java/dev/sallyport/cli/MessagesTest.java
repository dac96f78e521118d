package dev.sallyport.cli;

import static dev.sallyport.cli.FakeSallyport.CHILD;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sallyport.cli.FakeSallyport.Run;
import dev.sallyport.testing.Golden;
import java.io.IOException;
import org.junit.jupiter.api.Test;

/** What the two services really send, read by the verbs that show it. */
class MessagesTest extends WithSallyport {

    private static Json message(String file) throws IOException {
        return Json.parse(Golden.message(file));
    }

    @Test
    void aChildAndItsResult() throws IOException {
        Json child = message("child.json");
        sallyport.get("/v1/children/" + CHILD, child);
        sallyport.get("/v1/children/" + CHILD + "/result", message("child-result.json"));

        assertThat(sallyport.run("inspect", CHILD).out())
                .contains("uncommittedFiles         2", "containment              memory applied 1g");
        assertThat(sallyport.run("inspect", CHILD, "-o", "json").json()).isEqualTo(child);
        assertThat(sallyport.run("result", CHILD))
                .isEqualTo(new Run(
                        0,
                        "One test was wrong.\n",
                        "sallyport: child " + CHILD + " completed (exited): it finished, exit 0, branch pi-agent-"
                                + CHILD
                                + ", 3 model calls (scripted), 1200 tokens in, 340 out, 4 allowed, 1 denied, 1 asked,"
                                + " 1 approved\n"));
    }

    @Test
    void anAskAndWhoAnsweredIt() throws IOException {
        sallyport.openLogin();
        sallyport.terminal = FakeTerminal.person();
        Json winner = message("ask-already-answered.json");
        sallyport.problem("POST /v1/asks/cccccccccccccccc/answer", 409, winner);

        assertThat(new Ask(message("ask-pending.json")).lines(FakeSallyport.NOW))
                .contains(
                        "ask cccccccccccccccc: fixer (child aaaaaaaaaaaaaaaa, session bbbbbbbbbbbbbbbb)",
                        "  | sh tests/run.sh",
                        "  rule       bind_mount `*` in contained",
                        "  note       runs code from the workspace, which may change");
        assertThat(sallyport.run("asks", "approve", "cccccccccccccccc").err())
                .isEqualTo("error: ask `cccccccccccccccc` was approved before by ada (api)\n");
    }

    @Test
    void showsSmallCostsAsPeopleWriteThem() {
        assertThat(Outcome.cost(Json.parse("{\"costUsd\":1E-7}"))).isEqualTo("$0.0000001");
        assertThat(Outcome.cost(Json.parse("{\"costUsd\":null}"))).isEmpty();
    }
}
