package dev.sallyport.cli;

import static dev.sallyport.cli.FakeSallyport.child;
import static dev.sallyport.cli.FakeSallyport.result;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sallyport.cli.FakeSallyport.Run;
import java.io.IOException;
import java.nio.file.Files;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class BatchTest extends WithSallyport {

    private static final String FIRST = "aaaaaaaaaaaaaaaa";
    private static final String THIRD = "cccccccccccccccc";

    @BeforeEach
    void threeLines() throws IOException {
        Files.writeString(sallyport.directory.resolve("batch"), """
                # a comment, and a blank line

                {"agent": "one", "prompt": "first"}
                {agent: two, prompt: second, workspace: none}
                agent: three
                """);
        sallyport.post("/v1/children", child("queued").with("id", FIRST));
        sallyport.problem("POST /v1/children", 403, Json.object("code", "authority-refused", "detail", "not two"));
        sallyport.post("/v1/children", child("queued").with("id", THIRD));
        sallyport.get("/v1/children/" + FIRST + "/result?wait=30s", result("completed", 0));
        sallyport.get("/v1/children/" + THIRD + "/result?wait=30s", result("failed", 4));
    }

    @Test
    void startsAllBeforeItWaitsAndPrintsResultsInTheOrderOfTheFile() {
        Run run = sallyport.run("run", "--batch", "batch", "--workspace", "clone", "-o", "json");

        assertThat(run.out().lines().map(Json::parse))
                .extracting(line -> line.text("outcome") + " " + line.text("child"))
                .containsExactly("completed " + FIRST, "refused ", "failed " + THIRD);
        assertThat(run.exitCode()).isEqualTo(120);
        assertThat(sallyport.lines())
                .containsExactly(
                        "POST /v1/sessions",
                        "POST /v1/children",
                        "POST /v1/children",
                        "POST /v1/children",
                        "GET /v1/children/" + FIRST + "/result?wait=30s",
                        "GET /v1/children/" + THIRD + "/result?wait=30s");
        assertThat(sallyport.requests.subList(1, 4))
                .extracting(request ->
                        request.json().text("agent") + " " + request.json().text("workspace"))
                .containsExactly("one clone", "two none", "three clone");
    }

    @Test
    void detachedPrintsTheIdsAndWhatWasRefused() {
        Run run = sallyport.run("run", "--batch", "batch", "--detach");

        assertThat(run.out().lines()).containsExactly(FIRST, "--- refused", THIRD);
        assertThat(run.exitCode()).isEqualTo(120);
    }

    @Test
    void aLineThatIsNoSpawnStartsNothingAndIsNamed() throws IOException {
        Files.writeString(sallyport.directory.resolve("batch"), "{prompt: good}\n[1, 2]\n");

        assertThat(sallyport.run("run", "--batch", "batch").err()).contains("batch:2: no spawn");
        assertThat(sallyport.lines()).isEmpty();
    }
}
