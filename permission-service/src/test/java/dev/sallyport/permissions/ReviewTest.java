package dev.sallyport.permissions;

import static dev.sallyport.permissions.TestService.bash;
import static dev.sallyport.permissions.TestService.person;
import static dev.sallyport.permissions.TestService.session;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sallyport.identity.ChildId;
import dev.sallyport.identity.Role;
import dev.sallyport.identity.SessionId;
import dev.sallyport.identity.Tenant;
import dev.sallyport.permissions.TestService.Reply;
import dev.sallyport.service.Caller;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;

/** The review log: complete, never changed, readable by whom it concerns, and with nothing in it that acts. */
class ReviewTest {

    private static TestService service;

    @BeforeAll
    static void start() {
        service = TestService.start(TestDatabase.create("review_test"));
    }

    @AfterAll
    static void stop() {
        service.close();
    }

    private final SessionId session = service.newSession("agent-1");
    private final ChildId child = service.newChild(session);

    @ParameterizedTest
    @ValueSource(
            strings = {
                "update review set details = '{}'",
                "delete from review",
                "truncate review",
                "update ask set state = 'approved' where state = 'cancelled'"
            })
    void theDatabaseRefusesToForget(String statement) {
        ChildId asking = service.newChild(session, "read-write", List.of());
        service.decide(bash(session, asking, "c1", "ls"));
        service.post(TestService.gateway(), "/v1/children/" + asking + "/end", "{\"incarnation\":1}");

        assertThatThrownBy(() -> service.database().sql(statement).update())
                .hasMessageMatching("(?s).*(append-only|is settled).*");
    }

    @Test
    void everyDecisionIsThere() {
        service.decide(bash(session, child, "c1", "ls"));

        JsonNode entry = entries(person("ada"), "child=" + child).getFirst();

        assertThat(entry.path("event").asString()).isEqualTo("permission_request.allowed");
        assertThat(entry.path("decision").asString()).isEqualTo("allowed");
        assertThat(entry.path("callId").asString()).isEqualTo("c1");
        assertThat(entry.path("details").path("value").asString()).isEqualTo("ls");
        assertThat(entry.path("details").path("ruleOrigin").asString()).isEqualTo("contained");
    }

    @Test
    void whatAChildWritesCannotMoveAnything() {
        service.decide(bash(session, child, "c1", "echo \r\u001b[2K\u202Egpj.exe\u200b\n{\"event\":\"fake\"}"));

        String value = entries(person("ada"), "child=" + child)
                .getFirst()
                .path("details")
                .path("value")
                .asString();

        assertThat(value).isEqualTo("echo \\r\\x1b[2K\\u{202e}gpj.exe\\u{200b}\\n{\"event\":\"fake\"}");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "curl -H 'Authorization: Bearer SECRET0123456789' x",
                "export API_KEY=SECRET0123456789",
                "curl https://me:SECRET0123456789@example.org",
                "login --password=SECRET0123456789",
                "echo sk-SECRET0123456789abcdef",
                "echo ghp_SECRET0123456789abcdef",
                "echo AKIASECRET0123456789",
            })
    void secretsOfAKnownShapeStayOut(String command) {
        service.decide(bash(session, child, "c1", command));

        String log = entries(person("ada"), "child=" + child).toString();

        assertThat(log).doesNotContain("SECRET0123456789").contains("[redacted]");
    }

    @Test
    void aLongCommandIsCutAndItsLengthSaid() {
        service.decide(bash(session, child, "c1", "echo " + "x".repeat(5000)));

        assertThat(entries(person("ada"), "child=" + child)
                        .getFirst()
                        .path("details")
                        .path("value")
                        .asString())
                .hasSizeLessThan(1100)
                .endsWith("… (5005 characters)");
    }

    @Test
    void aSessionReadsItsOwnEntriesOnly() {
        SessionId other = service.newSession("agent-2");
        service.decide(bash(session, child, "c1", "ls"));
        service.decide(bash(other, service.newChild(other), "c1", "ls"));

        assertThat(entries(session("agent-1"), "limit=1000"))
                .isNotEmpty()
                .allSatisfy(entry -> assertThat(service.get(
                                        session("agent-1"),
                                        "/v1/sessions/" + entry.path("session").asString())
                                .status())
                        .isEqualTo(200));
        assertThat(entries(session("agent-1"), "session=" + other)).isEmpty();
        assertThat(entries(TestService.token("eve", new Tenant("other"), Caller.Kind.PERSON, Role.AUDIT), "limit=1000"))
                .isEmpty();
        assertThat(service.get(session("agent-2"), "/v1/asks?session=" + session)
                        .status())
                .isEqualTo(404);
        assertThat(service.get(TestService.gateway(), "/v1/review").status()).isEqualTo(403);
    }

    @Test
    void readingOnMissesNothing() {
        List<CompletableFuture<Void>> writers = new ArrayList<>();
        for (int i = 0; i < 8; i++) {
            String writer = "w" + i;
            writers.add(CompletableFuture.runAsync(() -> {
                for (int n = 0; n < 25; n++) {
                    assertThat(service.decide(bash(session, child, writer + "-" + n, "ls"))
                                    .status())
                            .isEqualTo(200);
                }
            }));
        }
        List<String> seen = new ArrayList<>();
        long after = 0;
        boolean written;
        do {
            written = writers.stream().allMatch(CompletableFuture::isDone);
            Reply page = service.get(person("ada"), "/v1/review?limit=1000&child=%s&after=%d".formatted(child, after));
            page.body()
                    .path("entries")
                    .forEach(entry -> seen.add(entry.path("callId").asString()));
            after = page.body().path("after").asLong();
        } while (!written);

        writers.forEach(CompletableFuture::join);
        assertThat(seen).hasSize(200).doesNotHaveDuplicates();
    }

    private static List<JsonNode> entries(String token, String query) {
        return service.get(token, "/v1/review?" + query)
                .body()
                .path("entries")
                .valueStream()
                .toList();
    }
}
