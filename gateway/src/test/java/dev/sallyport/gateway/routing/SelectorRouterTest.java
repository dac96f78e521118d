package dev.sallyport.gateway.routing;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import dev.sallyport.gateway.door.PublicAddresses;
import dev.sallyport.gateway.routing.Selection.Outcome;
import dev.sallyport.identity.Tenant;
import dev.sallyport.model.Model;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.io.IOException;
import java.net.InetAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.slf4j.LoggerFactory;
import tools.jackson.databind.json.JsonMapper;

/** R-14 against a real service over HTTPS. */
class SelectorRouterTest {

    private static final Model FAST = Model.parse("acme/fast");
    private static final Model DEEP = Model.parse("acme/deep");
    private static final String TASK = "find the bug";

    @TempDir
    private static Path certificates;

    private final ListAppender<ILoggingEvent> logged = new ListAppender<>();
    private final CountDownLatch over = new CountDownLatch(1);
    private final SimpleMeterRegistry meters = new SimpleMeterRegistry();
    private FakeSelector selector;

    @BeforeEach
    void start() throws IOException {
        selector = new FakeSelector(certificates);
        Logger root = (Logger) LoggerFactory.getLogger(Logger.ROOT_LOGGER_NAME);
        root.setLevel(Level.INFO);
        logged.start();
        root.addAppender(logged);
    }

    @AfterEach
    void stop() {
        over.countDown();
        selector.close();
        ((Logger) LoggerFactory.getLogger(Logger.ROOT_LOGGER_NAME)).detachAppender(logged);
        // whatever the test was about.
        assertThat(logged.list)
                .map(event -> event.getFormattedMessage() + event.getThrowableProxy())
                .noneMatch(text -> text.contains(FakeSelector.KEY)
                        || text.contains(FakeSelector.PATH)
                        || text.contains(FakeSelector.HOST));
    }

    @Test
    void itsAnswerIsTheModel() {
        selector.chooses(DEEP);

        Selection selection = ask(selector.router(false, meters, FAST, DEEP));

        assertThat(selection).isEqualTo(new Selection(Outcome.CHOSEN, DEEP, false));
        assertThat(meters.counter(RoutingMetrics.MODEL_SELECTIONS, "outcome", "chosen")
                        .count())
                .isOne();
    }

    @Test
    void itLearnsTaskCandidatesAndConstraintsAndNothingElse() {
        selector.chooses(DEEP);

        selector.router(false, FAST, DEEP).choose(Tenant.DEFAULT, TASK, List.of(FAST, DEEP), new Constraints("high"));

        FakeSelector.Seen seen = selector.seen.getFirst();
        assertThat(seen.body()).isEqualTo(JsonMapper.shared().readTree("""
            {"task": "find the bug",
             "candidates": [{"id": "acme/fast", "description": "description of fast"},
                            {"id": "acme/deep", "description": "description of deep"}],
             "constraints": {"thinking": "high"}}
            """));
        assertThat(seen.target()).isEqualTo(FakeSelector.PATH);
        assertThat(seen.headers().keySet())
                .containsExactlyInAnyOrder("Accept", "Authorization", "Content-length", "Content-type", "Host");
    }

    @Test
    void textOfAnAgentFileIsNoConstraint() {
        selector.chooses(FAST);

        selector.router(false, FAST).choose(Tenant.DEFAULT, TASK, List.of(FAST), new Constraints("a secret of a file"));

        assertThat(selector.seen.getFirst().body().path("constraints")).isEmpty();
    }

    @Test
    void theKeyIsInOneHeaderOnly() {
        selector.chooses(FAST);

        ask(selector.router(false, FAST, DEEP));

        FakeSelector.Seen seen = selector.seen.getFirst();
        assertThat(seen.headers().getFirst("Authorization")).isEqualTo("Bearer " + FakeSelector.KEY);
        assertThat(seen.headers().entrySet())
                .filteredOn(header -> !header.getKey().equals("Authorization"))
                .noneMatch(header -> header.toString().contains(FakeSelector.KEY));
        assertThat(seen.target() + seen.body()).doesNotContain(FakeSelector.KEY);
    }

    @ParameterizedTest
    @ValueSource(ints = {301, 302, 303, 307, 308})
    void aRedirectIsNotFollowed(int status) {
        selector.script = exchange -> {
            exchange.getResponseHeaders().add("location", selector.url(FakeSelector.HOST) + "/elsewhere");
            FakeSelector.send(exchange, status, "");
        };

        assertThat(failure()).isEqualTo(Outcome.REDIRECTED);
        assertThat(selector.seen).hasSize(1);
    }

    @Test
    void aChallengeIsNotAnswered() {
        selector.script = exchange -> {
            exchange.getResponseHeaders().add("www-authenticate", "Basic realm=\"x\"");
            FakeSelector.send(exchange, 401, FakeSelector.KEY);
        };

        assertThat(failure()).isEqualTo(Outcome.STATUS_REFUSED);
        assertThat(selector.seen).hasSize(1);
    }

    @Test
    void anErrorThatRepeatsTheKeyIsOneWord() {
        selector.answers(500, "bad key " + FakeSelector.KEY);

        assertThat(failure()).isEqualTo(Outcome.STATUS_REFUSED);
    }

    @Test
    void silenceIsWaitedForNoLongerThanIsSet() {
        selector.script = _ -> await();
        selector.patience = Duration.ofSeconds(1);

        assertThat(failure()).isEqualTo(Outcome.TIMEOUT);
    }

    @Test
    void anAnswerThatStopsHalfWayIsWaitedForNoLongerThanIsSet() {
        selector.script = exchange -> {
            exchange.sendResponseHeaders(200, 0);
            exchange.getResponseBody().write('{');
            exchange.getResponseBody().flush();
            await();
        };
        selector.patience = Duration.ofSeconds(5);

        assertThat(failure()).isEqualTo(Outcome.TIMEOUT);
    }

    @Test
    void aLongAnswerIsRefusedWithoutReadingItToItsEnd() {
        selector.script = exchange -> {
            exchange.sendResponseHeaders(200, 0);
            byte[] blanks = " ".repeat(500).getBytes(java.nio.charset.StandardCharsets.US_ASCII);
            while (over.getCount() > 0) {
                exchange.getResponseBody().write(blanks);
            }
        };

        assertThat(failure()).isEqualTo(Outcome.TOO_LARGE);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{\"model\": \"acme/other\"}",
                "{\"model\": \"ACME/FAST\"}",
                "{\"model\": \"acme/fast \"}",
                "{\"model\": \"fast\"}",
                "{\"model\": \"\"}",
                "{\"model\": \"planted-key-4f9d2c81\"}"
            })
    void whatIsNoCandidateToTheLetterIsAFailure(String answer) {
        selector.answers(200, answer);

        assertThat(failure()).isEqualTo(Outcome.NOT_A_CANDIDATE);
    }

    @Test
    void aCandidateThatThisChildMayNotHaveIsAFailure() {
        selector.chooses(DEEP);

        Selection selection =
                selector.router(false, FAST, DEEP).choose(Tenant.DEFAULT, TASK, List.of(FAST), new Constraints(null));

        assertThat(selection.outcome()).isEqualTo(Outcome.NOT_A_CANDIDATE);
        assertThat(selector.seen.getFirst().body().toString()).doesNotContain("deep");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "acme/fast",
                "\"acme/fast\"",
                "[]",
                "{}",
                "{\"model\": [\"acme/fast\"]}",
                "{\"model\": \"acme/fast\", \"model\": \"acme/deep\"}",
                "{\"model\": \"acme/fast\", \"tools\": [\"bash\"]}",
                "{\"model\": \"acme/fast\"} {}",
                "<html>"
            })
    void whatIsNotExactlyOneModelIsAFailure(String answer) {
        selector.answers(200, answer);

        assertThat(failure()).isEqualTo(Outcome.MALFORMED);
    }

    @Test
    void anAddressThatIsNotPublicIsNotConnectedTo() {
        SelectorClient client = selector.client(selector::resolve, new PublicAddresses(), true);

        assertThat(ask(selector.url(FakeSelector.HOST), client)).isEqualTo(Outcome.ADDRESS_REFUSED);
        assertThat(selector.seen).isEmpty();
    }

    @Test
    void anAddressWrittenOutIsCheckedToo() {
        SelectorClient client =
                selector.client(host -> List.of(InetAddress.getAllByName(host)), new PublicAddresses(), true);

        assertThat(ask(selector.url("127.0.0.1"), client)).isEqualTo(Outcome.ADDRESS_REFUSED);
        assertThat(ask(selector.url("[::ffff:127.0.0.1]"), client)).isEqualTo(Outcome.ADDRESS_REFUSED);
    }

    @Test
    void aNameThatLeadsNowhereIsAFailure() {
        SelectorClient client = selector.client(selector::resolve, _ -> true, true);

        assertThat(ask("https://selector.invalid/", client)).isEqualTo(Outcome.UNRESOLVED);
    }

    @Test
    void whoCannotProveToBeTheSelectorGetsNoKey() {
        assertThat(ask(selector.url(FakeSelector.HOST), selector.client(selector::resolve, _ -> true, false)))
                .isEqualTo(Outcome.UNREACHABLE);
        assertThat(ask(selector.url("another.test"), selector.client(selector::resolve, _ -> true, true)))
                .isEqualTo(Outcome.UNREACHABLE);
        assertThat(selector.seen).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "two words", "line\r\nx-injected: 1"})
    void withoutAKeyThatFitsAHeaderNobodyIsAsked(String key) {
        SelectorClient client = selector.client(selector::resolve, _ -> true, true);
        ModelRouter router = selector.router(selector.url(FakeSelector.HOST), key, false, client, meters, FAST, DEEP);

        assertThat(ask(router).outcome()).isEqualTo(Outcome.CREDENTIAL_MISSING);
        assertThat(selector.seen).isEmpty();
    }

    @Test
    void aFailureIsCountedAndSaysWhetherTheDefaultStandsIn() {
        selector.answers(500, "");

        Selection selection = ask(selector.router(true, meters, FAST, DEEP));

        assertThat(selection).isEqualTo(new Selection(Outcome.STATUS_REFUSED, null, true));
        assertThat(meters.counter(RoutingMetrics.MODEL_SELECTIONS, "outcome", "status-refused")
                        .count())
                .isOne();
    }

    private Outcome failure() {
        Selection selection = ask(selector.router(false, FAST, DEEP));
        assertThat(selection.model()).isNull();
        assertThat(selection.defaultStandsIn()).isFalse();
        return selection.outcome();
    }

    private Outcome ask(String url, SelectorClient client) {
        return ask(selector.router(url, FakeSelector.KEY, false, client, meters, FAST, DEEP))
                .outcome();
    }

    private static Selection ask(ModelRouter router) {
        return router.choose(Tenant.DEFAULT, TASK, List.of(FAST, DEEP), new Constraints(null));
    }

    private void await() {
        try {
            over.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
