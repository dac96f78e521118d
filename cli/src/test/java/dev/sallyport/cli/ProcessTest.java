package dev.sallyport.cli;

import static dev.sallyport.cli.FakeSallyport.CHILD;
import static dev.sallyport.cli.FakeSallyport.PERSON_TOKEN;
import static dev.sallyport.cli.FakeSallyport.child;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** What only a process of its own shows: signals, terminals, what others see of it. */
class ProcessTest extends WithSallyport {

    private final CountDownLatch over = new CountDownLatch(1);

    @Override
    void stop() {
        over.countDown();
        super.stop();
    }

    private void keepOpen(String route, String type, Json event, CountDownLatch open) {
        sallyport.on(route, exchange -> {
            FakeSallyport.sendEvents(exchange, type, event);
            open.countDown();
            try {
                over.await();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        });
    }

    @Test
    void anInterruptedRunCancelsItsChild() throws Exception {
        CountDownLatch open = new CountDownLatch(1);
        sallyport.post("/v1/children", child("queued"));
        keepOpen(
                "GET /v1/children/" + CHILD + "/events", "running", FakeSallyport.event(1, "gateway", "running"), open);
        sallyport.post("/v1/children/" + CHILD + "/cancel", child("running"));
        Process run = Processes.start(sallyport, "run", "--", "sleep", "1000");
        assertThat(open.await(60, TimeUnit.SECONDS)).isTrue();

        run.destroy();

        assertThat(run.waitFor(60, TimeUnit.SECONDS)).isTrue();
        assertThat(run.exitValue()).isEqualTo(143);
        assertThat(sallyport
                        .only("POST /v1/children/" + CHILD + "/cancel")
                        .json()
                        .text("reason"))
                .isEqualTo("interrupted");
    }

    @Test // S23
    void aProgramCannotApproveAndAPersonCan() throws Exception {
        sallyport.openLogin();
        sallyport.post("/v1/asks/q/answer", AsksTest.ask("q", "approved"));

        Process piped = Processes.start(sallyport, "asks", "approve", "q");
        assertThat(piped.waitFor(60, TimeUnit.SECONDS)).isTrue();
        assertThat(piped.exitValue()).isEqualTo(125);
        assertThat(sallyport.lines()).isEmpty();

        Process terminal = Processes.startInTerminal(sallyport, "asks", "approve", "q");
        String shown = new String(terminal.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(terminal.waitFor(60, TimeUnit.SECONDS)).isTrue();
        assertThat(shown).contains("approved q");
        assertThat(terminal.exitValue()).isZero();
    }

    @Test // S31
    void rawTextIsRefusedWhereOnlyStandardOutputIsATerminal() throws Exception {
        Process terminal = Processes.startInTerminal(sallyport, "logs", "--raw", CHILD);

        assertThat(new String(terminal.getInputStream().readAllBytes(), StandardCharsets.UTF_8))
                .contains("--raw");
        assertThat(terminal.waitFor()).isEqualTo(125);
        assertThat(sallyport.lines()).isEmpty();
    }

    @Test // S23
    void aWatchingPersonsTokenIsInNoArgumentAndNoVariable() throws Exception {
        sallyport.openLogin();
        CountDownLatch open = new CountDownLatch(1);
        keepOpen("GET /v1/inbox?all=true", "ask", AsksTest.ask("one", "pending"), open);
        sallyport.post("/v1/asks/one/answer", AsksTest.ask("one", "approved"));
        Process watch = Processes.startInTerminal(sallyport, "asks", "watch");
        BufferedReader screen = watch.inputReader();
        assertThat(open.await(60, TimeUnit.SECONDS)).isTrue();
        assertThat(screen.lines().anyMatch(line -> line.contains("expires"))).isTrue();

        try (Stream<Path> processes = Files.list(Path.of("/proc"))) {
            assertThat(processes.filter(path -> path.getFileName().toString().matches("[0-9]+")))
                    .noneMatch(path -> holds(path.resolve("cmdline")) || holds(path.resolve("environ")));
        }
        watch.getOutputStream().write("a\n".getBytes(StandardCharsets.UTF_8));
        watch.getOutputStream().flush();
        assertThat(screen.lines().anyMatch(line -> line.contains("approved one")))
                .isTrue();
        watch.destroy();

        assertThat(sallyport.only("POST /v1/asks/one/answer").token()).isEqualTo("Bearer " + PERSON_TOKEN);
    }

    private static boolean holds(Path file) {
        try {
            return Files.readString(file, StandardCharsets.ISO_8859_1).contains(PERSON_TOKEN);
        } catch (IOException e) {
            return false; // it ended, or is a thread of the kernel
        }
    }
}
