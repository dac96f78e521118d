package dev.sallyport.standalone;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;

/** What an operator's Prometheus reads after children waited, were refused and cost money. */
class MetricsIT {

    private static final Path PAGE = Path.of("../docs/metrics.md");

    private static final String SCRIPT = """
            turns:
              - toolCalls:
                  - name: bash
                    arguments:
                      command: sh test.sh
              - toolCalls:
                  - name: bash
                    arguments:
                      command: sh test.sh
              - toolCalls:
                  - name: bash
                    arguments:
                      command: |
                        exec 3<>/dev/tcp/127.0.0.1/3128
                        printf 'CONNECT example.com:443 HTTP/1.1\\r\\nHost: example.com:443\\r\\n\\r\\n' >&3; head -n 1 <&3
              - text: done
            """;

    private static final String ANSWER = """
            {"id":"m","type":"message","role":"assistant","model":"m-1.5","stop_reason":"end_turn",\
            "content":[{"type":"text","text":"done"}],\
            "usage":{"input_tokens":1000,"cache_read_input_tokens":200,"cache_creation_input_tokens":100,"output_tokens":10}}""";

    @TempDir
    private static Path temporary;

    private static HttpServer provider;
    private static Installation sallyport;

    @BeforeAll
    static void start() throws IOException {
        provider = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        provider.createContext("/v1/messages", exchange -> {
            try (exchange) {
                byte[] answer = ANSWER.getBytes(StandardCharsets.UTF_8);
                exchange.getResponseHeaders().set("content-type", "application/json");
                exchange.sendResponseHeaders(200, answer.length);
                exchange.getResponseBody().write(answer);
            }
        });
        provider.start();
        Path scripts = Files.createDirectories(temporary.resolve("scripts"));
        Files.writeString(scripts.resolve("metrics.yaml"), SCRIPT);
        Files.writeString(
                Files.createDirectories(temporary.resolve("home")).resolve("sallyport.yaml"),
                "prices: { fake/m-1.5: { input: 3, output: 15, cacheRead: 0.3, cacheWrite: 3.75 } }\n");
        String fake = "sallyport.gateway.providers.fake.";
        sallyport = Installation.in(
                temporary,
                Map.of(
                        "sallyport.gateway.scripts",
                        scripts.toString(),
                        fake + "base-url",
                        "http://127.0.0.1:" + provider.getAddress().getPort(),
                        fake + "plaintext-loopback",
                        "true"));
    }

    @AfterAll
    static void stop() {
        sallyport.close();
        provider.stop(0);
    }

    @Test
    void countWhatHappenedAndNameNobody() throws Exception {
        String asked = childThatAsksTwiceAndConnects();
        String paid = childOfAPricedModel();

        String gateway = metrics("gateway");
        assertSamples(gateway, "sallyport_children{state=\"running\"} 0.0", "sallyport_engine_up 1.0");
        assertSamples(
                gateway, "sallyport_child_start_seconds_count 2", "sallyport_child_ended_total{reason=\"exited\"} 2.0");
        assertSamples(
                gateway,
                "sallyport_authorize_seconds_count{outcome=\"allowed\"} 2",
                "sallyport_authorize_seconds_count{outcome=\"denied\"} 1",
                "sallyport_egress_decisions_total{decision=\"denied\",reason=\"not-listed\"} 1.0");
        assertSamples(
                gateway,
                "sallyport_model_requests_total{outcome=\"answered\",provider=\"scripted\"} 4.0",
                "sallyport_model_requests_total{outcome=\"answered\",provider=\"fake\"} 1.0",
                "sallyport_model_cost_usd_total{provider=\"fake\"} 0.003585");
        assertThat(gateway)
                .contains("sallyport_model_tokens_total{direction=\"input\"}", "sallyport_child_events_total");
        assertThat(gateway).doesNotContain("sallyport_model_cost_usd_total{provider=\"scripted\"}");

        String permissions = metrics("permissions");
        assertSamples(
                permissions,
                "sallyport_asks{state=\"pending\"} 0.0",
                "sallyport_asks{state=\"approved\"} 2.0",
                "sallyport_asks{state=\"denied\"} 1.0",
                "sallyport_ask_wait_seconds_count{outcome=\"approved\"} 2",
                "sallyport_ask_wait_seconds_count{outcome=\"denied\"} 1");
        assertThat(permissions)
                .contains("sallyport_decisions_total{decision=\"pending\"} 3.0", "sallyport_lease_age_seconds");

        Map<String, Map<String, Set<String>>> documented = documented();
        for (String page : List.of(gateway, permissions)) {
            assertOnlyDocumentedTags(page, documented);
            assertThat(page).doesNotContain(asked, paid, session(asked), "example.com", "m-1.5");
        }
    }

    private static String childThatAsksTwiceAndConnects() throws Exception {
        Repository repository = Repository.copyOf(
                Installation.EXAMPLES.resolve("slugify"), Files.createDirectory(temporary.resolve("work/repository")));
        try (Approver approver = Approver.listening(sallyport)) {
            String child = sallyport.spawn(Map.of(
                    "model",
                    "scripted/metrics",
                    "prompt",
                    "x",
                    "workspace",
                    "read-only",
                    "directory",
                    repository.directory().toString()));
            approver.answer(sallyport.awaitAsk(child), "approved");
            Installation.await("the first ask to be gone", () -> approved(child));
            approver.answer(sallyport.awaitAsk(child), "denied");
            JsonNode ended = approver.approveUntilEnded(child);

            assertThat(ended.path("state").asString())
                    .as(sallyport.events(child))
                    .isEqualTo("completed");
            assertThat(ended.path("usage").path("modelCalls").asInt()).isEqualTo(4);
            assertThat(ended.path("usage").path("costUsd").isNull()).isTrue();
            return child;
        }
    }

    private static boolean approved(String child) {
        return sallyport.child(child).path("decisions").path("approved").asInt() == 1;
    }

    private static String childOfAPricedModel() throws Exception {
        assertThat(sallyport
                        .call("gateway", sallyport.personToken(), "PUT", "/v1/credentials/fake", "a-key-for-tests")
                        .status())
                .isLessThan(300);
        String child = sallyport.spawn(Map.of("model", "fake/m-1.5", "prompt", "x"));

        JsonNode ended = sallyport.awaitEnd(child);

        assertThat(ended.path("state").asString()).as(sallyport.events(child)).isEqualTo("completed");
        JsonNode usage = sallyport
                .gateway("GET", "/v1/children/" + child + "/result", null)
                .json()
                .path("usage");
        assertThat(usage.path("inputTokens").asInt()).isEqualTo(1300);
        // 1000 x 3 + 200 x 0.3 + 100 x 3.75 + 10 x 15, for a million.
        assertThat(usage.path("costUsd").asString()).isEqualTo("0.003585");
        return child;
    }

    private static String session(String child) {
        return sallyport.child(child).path("session").asString();
    }

    private static String metrics(String service) throws Exception {
        assertThat(sallyport.management(service, null, "/actuator/prometheus").status())
                .isEqualTo(401);
        Installation.Answer answer = sallyport.management(service, sallyport.sessionToken(), "/actuator/prometheus");
        assertThat(answer.status()).isEqualTo(200);
        return answer.body();
    }

    private static void assertSamples(String page, String... samples) {
        assertThat(page.lines().toList()).contains(samples);
    }

    /** By meter, then tag: the closed set of its values. */
    private static Map<String, Map<String, Set<String>>> documented() throws IOException {
        Map<String, Map<String, Set<String>>> meters = new HashMap<>();
        Matcher row = Pattern.compile("(?m)^\\| `(sallyport\\.[a-z.]+)` \\| [a-z]+ \\|(.*)\\|$")
                .matcher(Files.readString(PAGE));
        while (row.find()) {
            Map<String, Set<String>> tags = new HashMap<>();
            Matcher tag = Pattern.compile("`([a-z]+)`=([^;|]*)").matcher(row.group(2));
            while (tag.find()) {
                Set<String> values = new HashSet<>();
                Pattern.compile("`([a-z_-]+)`")
                        .matcher(tag.group(2))
                        .results()
                        .forEach(value -> values.add(value.group(1)));
                if (tag.group(2).contains("the configured ones")) {
                    values.add("fake");
                }
                tags.put(tag.group(1), values);
            }
            meters.put(row.group(1).replace('.', '_'), tags);
        }
        return meters;
    }

    private static void assertOnlyDocumentedTags(String page, Map<String, Map<String, Set<String>>> documented) {
        Matcher sample = Pattern.compile(
                        "(?m)^(sallyport_[a-z_]+?)(?:_seconds)?(?:_count|_sum|_max|_total)?(?:\\{(.*)})? \\S+$")
                .matcher(page);
        while (sample.find()) {
            Map<String, Set<String>> tags = documented.get(sample.group(1));
            assertThat(tags).as(sample.group()).isNotNull();
            Map<String, String> seen = new HashMap<>();
            if (sample.group(2) != null) {
                Matcher tag = Pattern.compile("([a-z_]+)=\"([^\"]*)\"").matcher(sample.group(2));
                while (tag.find()) {
                    seen.put(tag.group(1), tag.group(2));
                }
            }
            assertThat(seen.keySet()).as(sample.group()).isEqualTo(tags.keySet());
            seen.forEach(
                    (tag, value) -> assertThat(tags.get(tag)).as(sample.group()).contains(value));
        }
    }
}
