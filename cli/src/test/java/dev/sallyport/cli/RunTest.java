package dev.sallyport.cli;

import static dev.sallyport.cli.FakeSallyport.CHILD;
import static dev.sallyport.cli.FakeSallyport.SESSION;
import static dev.sallyport.cli.FakeSallyport.child;
import static dev.sallyport.cli.FakeSallyport.event;
import static dev.sallyport.cli.FakeSallyport.result;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sallyport.cli.FakeSallyport.Run;
import java.io.IOException;
import java.nio.file.Files;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class RunTest extends WithSallyport {

    @ParameterizedTest
    @CsvSource(
            nullValues = "-",
            value = {
                "completed, 0, 0",
                "completed, -, 0",
                "failed, 7, 7",
                "failed, 137, 137",
                "failed, 0, 1",
                "failed, -, 125",
                "timed-out, 143, 124",
                "cancelled, 143, 130",
                "lost, -, 125",
                "something-newer, 0, 125"
            })
    void endsWithTheChildsOwnCodeOrItsOutcomes(String outcome, Integer exitCode, int expected) {
        sallyport.runs(child("queued"), result(outcome, exitCode));

        Run run = sallyport.run("run", "do it", "-o", "json");

        assertThat(run.exitCode()).isEqualTo(expected);
        assertThat(run.json().text("outcome")).isEqualTo(outcome);
        assertThat(run.json().text("child")).isEqualTo(CHILD);
    }

    @Test
    void printsTheResultToStandardOutputAndEventsToStandardError() {
        sallyport.runs(
                child("queued"),
                result("completed", 0),
                event(1, "gateway", "running"),
                event(2, "child", "assistant", "text", "I look"),
                event(3, "child", "tool-call", "tool", "bash", "arguments", Json.object("command", "ls")));

        Run run = sallyport.run("run", "--agent", "reviewer", "do it");

        assertThat(run.out()).isEqualTo("the answer\n");
        assertThat(run.err().lines())
                .contains(
                        "sallyport: child " + CHILD + " started",
                        "sallyport: running",
                        "child says: I look",
                        "child calls bash {\"command\":\"ls\"}")
                .last()
                .asString()
                .contains("completed", "pi-agent-" + CHILD, "(scripted)", "3 allowed");
    }

    @Test
    void sendsWhatWasSaidAndNothingElse() throws IOException {
        sallyport.runs(child("queued"), result("completed", 0));

        sallyport.run(
                "run",
                "--agent",
                "fixer",
                "--harness",
                "builtin",
                "--workspace",
                "clone",
                "--network",
                "a.example,b.example:443",
                "--limit",
                "cpu=1.5,pids=64,wall=15m",
                "--budget",
                "cost=1.50,tokens=200k",
                "--model",
                "scripted/demo",
                "mend it");

        assertThat(sallyport.only("POST /v1/children").json())
                .isEqualTo(Json.object(
                        "session",
                        SESSION,
                        "agent",
                        "fixer",
                        "prompt",
                        "mend it",
                        "harness",
                        "builtin",
                        "directory",
                        sallyport.directory.toRealPath().toString(),
                        "workspace",
                        "clone",
                        "network",
                        List.of("a.example", "b.example:443"),
                        "limits",
                        Json.object("cpu", "1.5", "pids", 64, "wall", "15m"),
                        "budgets",
                        Json.object("cost", "1.50", "tokens", "200k"),
                        "model",
                        "scripted/demo"));
        assertThat(sallyport.only("POST /v1/children").idempotencyKey()).hasSize(36);
    }

    @Test
    void readsThePromptFromStandardInputOrAFile() throws IOException {
        sallyport.runs(child("queued"), result("completed", 0));
        sallyport.input = "from a pipe";
        Files.writeString(sallyport.directory.resolve("task.md"), "@from a file");

        sallyport.run("run", "-");
        sallyport.run("run", "--prompt-file", "task.md");
        sallyport.run("run", "@task.md");

        assertThat(sallyport.requests)
                .filteredOn(request -> request.line().equals("POST /v1/children"))
                .extracting(request -> request.json().text("prompt"))
                .containsExactly("from a pipe", "@from a file", "@task.md");
    }

    @Test
    void goesOnWithAChildAsItRunsOne() throws IOException {
        String old = "bbbbbbbbbbbbbbbb";
        sallyport.runs(child("queued"), result("failed", 7));
        sallyport.post("/v1/children/" + old + "/resume", child("queued"));
        Files.writeString(sallyport.directory.resolve("task.md"), "from a file");
        sallyport.input = "from a pipe";

        Run run = sallyport.run("resume", old, "go on");
        Run detached = sallyport.run("resume", old, "--prompt-file", "task.md", "--detach");
        Run json = sallyport.run("resume", old, "-", "-o", "json");

        assertThat(run.exitCode()).isEqualTo(7);
        assertThat(run.out()).isEqualTo("the answer\n");
        assertThat(detached.out()).isEqualTo(CHILD + "\n");
        assertThat(json.json().text("child")).isEqualTo(CHILD);
        assertThat(sallyport.requests)
                .filteredOn(request -> request.line().equals("POST /v1/children/" + old + "/resume"))
                .allMatch(request -> request.idempotencyKey().length() == 36)
                .extracting(FakeSallyport.Request::json)
                .containsExactly(
                        Json.object("prompt", "go on"),
                        Json.object("prompt", "from a file"),
                        Json.object("prompt", "from a pipe"));
    }

    @Test
    void saysWhoGoesOnAlready() {
        sallyport.problem(
                "POST /v1/children/" + CHILD + "/resume",
                409,
                Json.object("code", "child-resumed", "detail", "child a goes on as child b", "remedy", "resume b"));

        Run run = sallyport.run("resume", CHILD, "go on");

        assertThat(run.exitCode()).isEqualTo(125);
        assertThat(run.err()).contains("child a goes on as child b", "resume b");
        assertThat(sallyport.run("resume", CHILD).err()).contains("nothing to do");
        assertThat(sallyport.run("resume", CHILD, "x", "--prompt-file", "y").exitCode())
                .isEqualTo(125);
    }

    @Test
    void sendsTheParentsConversation() throws IOException {
        sallyport.runs(child("queued"), result("completed", 0));
        Files.writeString(
                sallyport.directory.resolve("parent.json"),
                "{\"systemPrompt\":\"P\",\"messages\":[{\"role\":\"user\",\"content\":\"hi\"}]}");
        Files.writeString(sallyport.directory.resolve("broken.json"), "[]");

        sallyport.run("run", "--parent", "parent.json", "--inherit-context", "go on");
        int code = sallyport.run("run", "--parent", "broken.json", "go on").exitCode();

        Json body = sallyport.only("POST /v1/children").json();
        assertThat(body.get("parent").text("systemPrompt")).isEqualTo("P");
        assertThat(body.get("inheritContext").value()).isEqualTo(true);
        assertThat(code).isEqualTo(ExitCode.FAILED);
    }

    @Test
    void takesWhatStandsAfterTheDashesForACommand() {
        sallyport.runs(child("queued"), result("completed", 0));

        sallyport.run("run", "--network", "none", "--", "sh", "-c", "id; --help", "--");

        Json body = sallyport.only("POST /v1/children").json();
        assertThat(body.get("command").value()).isEqualTo(List.of("sh", "-c", "id; --help", "--"));
        assertThat(body.text("harness")).isEqualTo("command");
        assertThat(body.get("network").value()).isEqualTo(List.of());
    }

    @Test
    void showsWhatACommandPrintsWhereAProgramWouldHavePrintedIt() {
        sallyport.runs(
                child("queued").with("harness", "command"),
                result("failed", 3),
                event(1, "child", "output", "stream", "stdout", "text", "one\ntw"),
                event(2, "child", "output", "stream", "stderr", "text", "oops\n"),
                event(3, "child", "output", "stream", "stdout", "text", "o\n"));

        Run run = sallyport.run("run", "--", "make");

        assertThat(run.exitCode()).isEqualTo(3);
        assertThat(run.out()).isEqualTo("one\ntwo\n");
        assertThat(run.err()).contains("oops\n").doesNotContain("one");
    }

    @Test
    void saysHowManyUncommittedFilesTheChildWillNotSee() {
        sallyport.runs(child("queued").with("uncommittedFiles", 3), result("completed", 0));

        assertThat(sallyport.run("run", "do it").err()).contains("3 uncommitted files are not visible");
    }

    @Test
    void refusalByAuthorityIs120() {
        sallyport.problem(
                "POST /v1/children",
                403,
                Json.object(
                        "code", "authority-refused", "detail", "no such agent", "remedy", "look: sallyport agents ls"));

        Run run = sallyport.run("run", "do it", "-o", "json");

        assertThat(run.exitCode()).isEqualTo(120);
        assertThat(run.json())
                .isEqualTo(Json.object(
                        "outcome", "refused",
                        "code", "authority-refused",
                        "detail", "no such agent",
                        "remedy", "look: sallyport agents ls"));
        assertThat(run.err()).isEqualTo("error: no such agent\n  look: sallyport agents ls\n");
    }

    @Test
    void otherFailuresAre125() {
        sallyport.problem("POST /v1/children", 422, Json.object("code", "request-invalid", "detail", "model: bad"));

        Run run = sallyport.run("run", "do it", "-o=json");

        assertThat(run.exitCode()).isEqualTo(125);
        assertThat(run.json().text("outcome")).isEqualTo("error");
    }

    @Test
    void detachedPrintsTheIdAndWaitsForNothing() {
        sallyport.post("/v1/children", child("queued"));

        assertThat(sallyport.run("run", "--detach", "do it")).isEqualTo(new Run(0, CHILD + "\n", ""));
        assertThat(sallyport
                        .run("run", "--detach", "do it", "-o", "json")
                        .json()
                        .text("outcome"))
                .isEqualTo("detached");
    }

    @Test
    void remembersTheSessionOfTheTerminalAndRenewsOneThatIsGone() {
        sallyport.runs(child("queued"), result("completed", 0));
        sallyport.run("run", "one");
        sallyport.run("run", "two");
        assertThat(sallyport.lines()).filteredOn("POST /v1/sessions"::equals).hasSize(1);

        sallyport.on(
                "POST /v1/children",
                exchange -> FakeSallyport.send(
                        exchange,
                        404,
                        "application/problem+json",
                        "{\"code\":\"session-not-found\",\"detail\":\"no session\"}"));
        sallyport.runs(child("queued"), result("completed", 0));
        sallyport.run("run", "uses up the good answer");

        assertThat(sallyport.run("run", "three").exitCode()).isZero();
        assertThat(sallyport.lines()).filteredOn("POST /v1/sessions"::equals).hasSize(2);
    }

    @Test
    void goesOnWhereItWasWhenSallyportStartsAnew() {
        sallyport.post("/v1/children", child("queued"));
        String events = "GET /v1/children/" + CHILD + "/events";
        sallyport.on(events, exchange -> {
            FakeSallyport.sendEvents(exchange, "event", event(1, "gateway", "running"));
            sallyport.goodToken = "another.key";
            Files.writeString(sallyport.home.resolve("session.token"), "another.key");
            throw new IOException("killed");
        });
        sallyport.on(
                events,
                exchange -> FakeSallyport.sendEvents(
                        exchange, "event", event(2, "child", "assistant", "text", "still here")));
        sallyport.get("/v1/children/" + CHILD + "/result?wait=5s", result("completed", 0));

        Run run = sallyport.run("run", "do it");

        assertThat(run.exitCode()).isZero();
        assertThat(run.err()).contains("still here");
        assertThat(sallyport.requests)
                .filteredOn(request ->
                        request.line().equals(events) && request.token().endsWith("another.key"))
                .extracting(FakeSallyport.Request::lastEventId)
                .containsExactly("1", "2");
    }

    @Test
    void aSpawnWhoseAnswerIsLostIsRepeatedUnderItsKey() {
        sallyport.on("POST /v1/children", exchange -> {
            throw new IOException("lost");
        });
        sallyport.runs(child("queued"), result("completed", 0));

        assertThat(sallyport.run("run", "do it").exitCode()).isZero();
        assertThat(sallyport.requests)
                .filteredOn(request -> request.line().equals("POST /v1/children"))
                .extracting(FakeSallyport.Request::idempotencyKey)
                .hasSize(2)
                .allSatisfy(key -> assertThat(key).isNotEmpty())
                .satisfies(keys -> assertThat(keys.getFirst()).isEqualTo(keys.getLast()));
    }

    @Test
    void aCommandLineThatContradictsItselfStartsNothing() {
        assertThat(sallyport.run("run").err()).contains("nothing to do");
        assertThat(sallyport.run("run", "a", "--prompt-file", "b").exitCode()).isEqualTo(125);
        assertThat(sallyport.run("run", "--harness", "builtin", "--", "ls").exitCode())
                .isEqualTo(125);
        assertThat(sallyport.run("run", "--limit", "pids=many", "x").err()).contains("pids");
        assertThat(sallyport.run("run", "--dir", "nowhere", "x").err()).contains("no such directory");
        assertThat(sallyport.run("run", "--session", "../x", "x").err()).contains("session id: `../x`");
        assertThat(sallyport.lines()).isEmpty();
    }

    @Test
    void rawTextNeverReachesATerminal() {
        sallyport.terminal = FakeTerminal.person();

        for (String verb : List.of("run", "logs", "result", "diff")) {
            assertThat(sallyport.run(verb, "--raw", verb.equals("run") ? "x" : CHILD))
                    .satisfies(run -> assertThat(run.exitCode()).isEqualTo(125))
                    .satisfies(run -> assertThat(run.err()).contains("--raw"));
        }
        assertThat(sallyport.lines()).isEmpty();
    }
}
