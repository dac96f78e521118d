package dev.sallyport.cli;

import static dev.sallyport.cli.FakeSallyport.CHILD;
import static dev.sallyport.cli.FakeSallyport.PERSON_TOKEN;
import static dev.sallyport.cli.FakeSallyport.SESSION;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sallyport.cli.FakeSallyport.Run;
import dev.sallyport.text.VisibleText;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.CountDownLatch;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class AsksTest extends WithSallyport {

    private static final String INBOX = "GET /v1/inbox?all=true";

    private final CountDownLatch over = new CountDownLatch(1);

    static Json ask(String id, String state) {
        return Json.object(
                "id", id,
                "session", SESSION,
                "child", CHILD,
                "agent", "fixer",
                "state", state,
                "tool", "bash",
                "surface", "bash",
                "value", "sh test.sh",
                "arguments", Json.object("command", "sh test.sh"),
                "directory", "/workspace",
                "matchedPattern", "sh *",
                "origin", "project",
                "message", "runs the tests",
                "digest", "0123abcd",
                "createdAt", "2026-11-30T11:59:50Z",
                "expiresAt", "2026-11-30T12:04:10Z",
                "note", "runs code from the workspace, which may change");
    }

    private void inbox(Json... asks) {
        sallyport.on(INBOX, exchange -> {
            FakeSallyport.sendEvents(exchange, "ask", asks);
            awaitEnd();
        });
    }

    private void awaitEnd() {
        try {
            over.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    @Override
    void stop() {
        over.countDown();
        super.stop();
    }

    @Test // S23
    void answeringNeedsAPersonAtATerminal() throws IOException {
        sallyport.openLogin();

        for (String verb : new String[] {"approve", "deny", "watch"}) {
            Run run = verb.equals("watch") ? sallyport.run("asks", verb) : sallyport.run("asks", verb, "q");

            assertThat(run.exitCode()).isEqualTo(125);
            assertThat(run.err()).contains("this needs a person").hasLineCount(1);
        }
        assertThat(sallyport.lines()).isEmpty();
    }

    @Test // S23
    void answersWithAPersonsTokenThatIsWrittenNowhere() throws IOException {
        sallyport.openLogin();
        sallyport.terminal = FakeTerminal.person();
        sallyport.post("/v1/asks/q/answer", ask("q", "denied"));

        Run run = sallyport.run("asks", "deny", "q", "--reason", "not now");

        assertThat(run.exitCode()).isZero();
        assertThat(run.out()).isEqualTo("denied q: sh test.sh\n");
        FakeSallyport.Request answer = sallyport.only("POST /v1/asks/q/answer");
        assertThat(answer.json()).isEqualTo(Json.object("answer", "denied", "reason", "not now"));
        assertThat(answer.token()).isEqualTo("Bearer " + PERSON_TOKEN);
        assertThat(run.out() + run.err()).doesNotContain(PERSON_TOKEN);
        try (Stream<Path> files = Files.walk(temporary)) {
            assertThat(files.filter(Files::isRegularFile).map(AsksTest::contents))
                    .noneMatch(text -> text.contains(PERSON_TOKEN));
        }
    }

    private static String contents(Path file) {
        try {
            return Files.readString(file);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Test
    void saysWhoWasFaster() throws IOException {
        sallyport.openLogin();
        sallyport.terminal = FakeTerminal.person();
        sallyport.problem(
                "POST /v1/asks/q/answer",
                409,
                Json.object(
                        "code",
                        "ask-already-answered",
                        "detail",
                        "ask `q` was denied before",
                        "winner",
                        Json.object("principal", "anna", "via", "console", "answer", "denied")));

        Run run = sallyport.run("asks", "approve", "q");

        assertThat(run.exitCode()).isEqualTo(125);
        assertThat(run.err()).isEqualTo("error: ask `q` was denied before by anna (console)\n");
    }

    @Test
    void watchShowsEachAskAndTakesTheAnswers() throws IOException {
        sallyport.openLogin();
        inbox(
                ask("one", "pending"),
                ask("two", "pending"),
                ask("old", "denied"),
                ask("three", "pending"),
                ask("four", "pending"));
        sallyport.post("/v1/asks/one/answer", ask("one", "approved"));
        sallyport.post("/v1/asks/two/answer", ask("two", "denied"));
        sallyport.terminal = FakeTerminal.person("x", "a", "r", "too early", "s");

        Run run = sallyport.run("asks", "watch");

        assertThat(run.out())
                .contains(
                        "ask one: fixer (child " + CHILD + ", session " + SESSION + ")\n",
                        "  bash (10 characters)\n  | sh test.sh\n",
                        "  rule       bash `sh *` in project\n",
                        "  note       runs code from the workspace, which may change\n",
                        "  digest     0123abcd\n",
                        "  expires    in 4:10\n",
                        "`x` (expected: a approve",
                        "approved one\n",
                        "denied two\n",
                        "ask three",
                        "ask four")
                .doesNotContain("ask old");
        assertThat(sallyport.only("POST /v1/asks/one/answer").json()).isEqualTo(Json.object("answer", "approved"));
        assertThat(sallyport.only("POST /v1/asks/two/answer").json())
                .isEqualTo(Json.object("answer", "denied", "reason", "too early"));
    }

    @Test
    void whatIsTypedAnswersTheAskThatWasShownAndNoLaterOne() throws IOException {
        sallyport.openLogin();
        CountDownLatch prompted = new CountDownLatch(1);
        sallyport.on(INBOX, exchange -> {
            FakeSallyport.sendEvents(exchange, "ask", ask("one", "pending"));
            await(prompted);
            exchange.getResponseBody()
                    .write(("id: 2\nevent: ask\ndata: " + ask("one", "denied").write() + "\n\nid: 3\nevent: ask\ndata: "
                                    + ask("two", "pending").write() + "\n\n")
                            .getBytes(java.nio.charset.StandardCharsets.UTF_8));
            exchange.getResponseBody().flush();
            awaitEnd();
        });
        sallyport.problem(
                "POST /v1/asks/one/answer",
                409,
                Json.object("code", "ask-already-answered", "detail", "one was denied"));
        sallyport.terminal = FakeTerminal.person().types("a", prompted::countDown);

        Run run = sallyport.run("asks", "watch");

        assertThat(run.out()).contains("ask two");
        assertThat(run.err()).contains("error: one was denied");
        assertThat(sallyport.lines()).contains("POST /v1/asks/one/answer").doesNotContain("POST /v1/asks/two/answer");
    }

    @Test
    void whoAnsweredIsNotToldOfTheAnswer() throws IOException {
        sallyport.openLogin();
        CountDownLatch answered = new CountDownLatch(1);
        sallyport.on(INBOX, exchange -> {
            FakeSallyport.sendEvents(exchange, "ask", ask("one", "pending"));
            await(answered);
            exchange.getResponseBody()
                    .write(("id: 2\nevent: ask\ndata: " + ask("one", "approved").write()
                                    + "\n\nid: 3\nevent: ask\ndata: "
                                    + ask("two", "pending").write() + "\n\n")
                            .getBytes(java.nio.charset.StandardCharsets.UTF_8));
            exchange.getResponseBody().flush();
            awaitEnd();
        });
        sallyport.on("POST /v1/asks/one/answer", exchange -> {
            FakeSallyport.send(
                    exchange, 200, "application/json", ask("one", "approved").write());
            answered.countDown();
        });
        sallyport.terminal = FakeTerminal.person("a");

        Run run = sallyport.run("asks", "watch");

        assertThat(run.out()).contains("approved one\n", "ask two");
        assertThat(run.err()).doesNotContain("Enter goes on");
    }

    private static void await(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    @Test // T80
    void aPersonSeesTheWholeCommandVisiblyAndItsLength() {
        String command = "ls\r\u001b[2K" + " ".repeat(5000) + "; rm -rf /\n  rule       bash `*` in operator\u202e";

        java.util.List<String> lines = new Ask(
                        Json.object("id", "q", "surface", "bash", "value", command, "state", "pending"))
                .lines(FakeSallyport.NOW);

        assertThat(String.join("\n", lines)).isEqualTo(VisibleText.of(String.join("\n", lines)));
        assertThat(lines).contains("  bash (%d characters)".formatted(command.length()));
        assertThat(new Ask(Json.object("value", command)).whole())
                .containsExactly(
                        "  | ls\\r\\x1b[2K\\x20{5000}; rm -rf /", "  |   rule       bash `*` in operator\\u{202e}");
    }

    @Test // T80
    void aLongCommandIsNotApprovedUnseen() throws IOException {
        sallyport.openLogin();
        Json ask = Json.object("value", "echo " + "x".repeat(5000) + "; evil").merged(ask("one", "pending"));
        inbox(ask, ask("last", "pending"));
        sallyport.post("/v1/asks/one/answer", ask("one", "approved"));
        sallyport.terminal = FakeTerminal.person("a", "v", "a");

        Run run = sallyport.run("asks", "watch");

        assertThat(run.out().indexOf("v shows all of it first"))
                .isPositive()
                .isLessThan(run.out().indexOf("; evil"));
        assertThat(run.out().indexOf("; evil")).isLessThan(run.out().indexOf("approved one"));
        assertThat(sallyport.lines())
                .filteredOn("POST /v1/asks/one/answer"::equals)
                .hasSize(1);
    }

    @Test
    void watchOfTwoSessionsNamesThem() throws IOException {
        sallyport.openLogin();
        sallyport.problem(
                "GET /v1/inbox?session=" + SESSION + "&session=" + CHILD,
                403,
                Json.object("code", "not-an-approver", "detail", "you are none of its approvers"));
        sallyport.terminal = FakeTerminal.person();

        Run run = sallyport.run("asks", "watch", "--session", SESSION, "--session", CHILD);

        assertThat(run.exitCode()).isEqualTo(125);
        assertThat(run.err()).contains("you are none of its approvers");
    }

    @Test
    void watchComesBackAfterARestart() throws IOException {
        sallyport.openLogin();
        sallyport.on(INBOX, exchange -> {
            sallyport.goodToken = "person.token.two";
            throw new IOException("killed");
        });
        inbox(ask("one", "pending"), ask("last", "pending"));
        sallyport.post("/v1/asks/one/answer", ask("one", "approved"));
        sallyport.terminal = FakeTerminal.person("a");

        assertThat(sallyport.run("asks", "watch").out()).contains("approved one");
        assertThat(sallyport.only("POST /v1/asks/one/answer").token()).isEqualTo("Bearer person.token.two");
    }
}
