package dev.sallyport.cli;

import static dev.sallyport.cli.FakeSallyport.child;
import static dev.sallyport.cli.FakeSallyport.result;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sallyport.cli.FakeSallyport.Run;
import java.io.IOException;
import java.nio.file.Files;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class BatchTest extends WithSallyport {

    private static final String FIRST = "aaaaaaaaaaaaaaaa";
    private static final String SECOND = "bbbbbbbbbbbbbbbb";
    private static final String THIRD = "cccccccccccccccc";

    @BeforeEach
    void threeLines() throws IOException {
        Files.writeString(sallyport.directory.resolve("batch"), """
                # a comment, and a blank line

                {"agent": "one", "prompt": "first"}
                {agent: two, prompt: second, workspace: none}
                agent: three
                """);
        sallyport.get("/v1/children/" + FIRST + "/result?wait=30s", result("completed", 0));
        sallyport.get("/v1/children/" + SECOND + "/result?wait=30s", result("failed", 4));
        sallyport.get("/v1/children/" + THIRD + "/result?wait=30s", result("completed", 0));
    }

    private void accepted() {
        sallyport.post(
                "/v1/children:batch",
                Json.object(
                        "children",
                        Stream.of(FIRST, SECOND, THIRD)
                                .map(id -> child("queued").with("id", id))
                                .toList()));
    }

    @Test
    void startsAllBeforeItWaitsAndPrintsResultsInTheOrderOfTheFile() {
        accepted();

        Run run = sallyport.run("run", "--batch", "batch", "--workspace", "clone", "-o", "json");

        assertThat(run.out().lines().map(Json::parse))
                .extracting(line -> line.text("outcome") + " " + line.text("child"))
                .containsExactly("completed " + FIRST, "failed " + SECOND, "completed " + THIRD);
        assertThat(run.exitCode()).isEqualTo(4);
        assertThat(sallyport.lines())
                .containsExactly(
                        "POST /v1/sessions",
                        "POST /v1/children:batch",
                        "GET /v1/children/" + FIRST + "/result?wait=30s",
                        "GET /v1/children/" + SECOND + "/result?wait=30s",
                        "GET /v1/children/" + THIRD + "/result?wait=30s");
        assertThat(sallyport.requests.get(1).json().list("children"))
                .extracting(body -> body.text("agent") + " " + body.text("workspace"))
                .containsExactly("one clone", "two none", "three clone");
    }

    @Test
    void detachedPrintsTheIds() {
        accepted();

        Run run = sallyport.run("run", "--batch", "batch", "--detach");

        assertThat(run.out().lines()).containsExactly(FIRST, SECOND, THIRD);
        assertThat(run.exitCode()).isZero();
    }

    @Test
    void startsNoneIfOneIsRefusedAndSaysWhich() {
        sallyport.problem(
                "POST /v1/children:batch",
                422,
                Json.object("code", "batch-refused", "detail", "1: unknown agent `two`"));

        Run run = sallyport.run("run", "--batch", "batch");

        assertThat(run.err()).contains("1: unknown agent `two`");
        assertThat(run.exitCode()).isEqualTo(120);
    }

    @Test
    void aLineThatIsNoSpawnStartsNothingAndIsNamed() throws IOException {
        Files.writeString(sallyport.directory.resolve("batch"), "{prompt: good}\n[1, 2]\n");

        assertThat(sallyport.run("run", "--batch", "batch").err()).contains("batch:2: no spawn");
        assertThat(sallyport.lines()).isEmpty();
    }
}
