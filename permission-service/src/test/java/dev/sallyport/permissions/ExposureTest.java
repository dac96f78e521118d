package dev.sallyport.permissions;

import static dev.sallyport.permissions.TestService.bash;
import static dev.sallyport.permissions.TestService.person;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sallyport.identity.SessionId;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What can be reached at all, and where (S22). */
class ExposureTest {

    private static TestService service;

    @BeforeAll
    static void start() {
        service = TestService.start(TestDatabase.create("exposure_test"));
    }

    @AfterAll
    static void stop() {
        service.close();
    }

    @ParameterizedTest
    @ValueSource(strings = {"env", "beans", "configprops", "heapdump", "loggers", "shutdown", "flyway", "threaddump"})
    void theManagementPortTellsHealthAndMetricsOnly(String endpoint) throws Exception {
        assertThat(management("/actuator/health", null).statusCode()).isEqualTo(200);
        assertThat(management("/actuator/" + endpoint, person("ada")).statusCode())
                .isEqualTo(404);
    }

    @Test
    void theApiHasNoActuator() {
        assertThat(service.get(person("ada"), "/actuator/prometheus").status()).isEqualTo(404);
        assertThat(service.get(person("ada"), "/actuator/health").status()).isEqualTo(404);
    }

    @Test
    void everyRouteWantsAToken() {
        for (String path : List.of("/v1/sessions", "/v1/asks", "/v1/inbox?all=true", "/v1/review", "/openapi")) {
            assertThat(service.send(null, "GET", path, null, java.util.Map.of()).status())
                    .isEqualTo(401);
        }
    }

    @Test
    void describesItself() {
        assertThat(service.get(person("ada"), "/openapi").body().path("paths").propertyNames())
                .contains("/v1/decisions", "/v1/asks/{id}/answer", "/v1/children/{id}", "/v1/sessions/{id}/lease");
    }

    @Test
    void countsWhatItDoes() throws Exception {
        SessionId session = service.newSession("agent-1");
        service.decide(bash(session, service.newChild(session), "c1", "ls"));
        service.decide(bash(session, service.newChild(session, "read-write", List.of()), "c1", "ls"));

        String metrics = management("/actuator/prometheus", person("ada")).body();

        assertThat(metrics)
                .contains("sallyport_decisions_total{decision=\"allowed\"}")
                .contains("sallyport_decisions_total{decision=\"pending\"}")
                .contains("sallyport_asks{state=\"pending\"} 1.0")
                .contains("sallyport_lease_age_seconds");
    }

    private static HttpResponse<String> management(String path, @org.jspecify.annotations.Nullable String token)
            throws IOException, InterruptedException {
        HttpRequest.Builder request =
                HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + service.managementPort() + path));
        if (token != null) {
            request.header("Authorization", "Bearer " + token);
        }
        try (HttpClient http = HttpClient.newHttpClient()) {
            return http.send(request.build(), HttpResponse.BodyHandlers.ofString());
        }
    }
}
