package dev.sallyport.permissions;

import static dev.sallyport.permissions.TestService.person;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sallyport.identity.ChildId;
import dev.sallyport.identity.SessionId;
import dev.sallyport.permissions.TestService.Reply;
import dev.sallyport.testing.Golden;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** The messages of this service as they go over the wire; ids, times and digests are made equal. */
class MessagesTest {

    private static final JsonMapper JSON = new JsonMapper();

    private static TestService service;

    private final SessionId session = service.newSession("agent-1");
    private final ChildId child = service.newChild(session, "read-write", List.of());

    @BeforeAll
    static void start() {
        service = TestService.start(TestDatabase.create("messages_test"));
    }

    @AfterAll
    static void stop() {
        service.close();
    }

    @Test
    void anAsk() throws IOException {
        Reply pending = service.decide(bash("c1"));
        String ask = pending.text("askId");

        Golden.assertMessage("decision-pending.json", fixed(pending));
        Golden.assertMessage("ask-pending.json", fixed(service.get(person("ada"), "/v1/asks/" + ask)));
        Golden.assertMessage("ask-answered.json", fixed(service.answer(person("ada"), ask, "approved")));
        Golden.assertMessage("ask-already-answered.json", fixed(service.answer(person("bob"), ask, "denied")));
        Golden.assertMessage("decision-allowed.json", fixed(service.decide(bash("c1"))));
    }

    @Test
    void aDecisionByRule() throws IOException {
        Golden.assertMessage(
                "decision-by-rule.json",
                fixed(service.decide(TestService.tool(session, child, "c2", "read", Map.of("path", "a.txt")))));
    }

    /** What the gateway sends is read as it writes it. */
    @Test
    void theGatewaysMessages() throws IOException {
        assertThat(service.send(
                                TestService.gateway(),
                                "PUT",
                                "/v1/children/aaaaaaaaaaaaaaaa",
                                Golden.message("child-registration.json").replace("bbbbbbbbbbbbbbbb", session.value()),
                                Map.of())
                        .status())
                .isEqualTo(204);
        for (String message : List.of("decision-request-tool.json", "decision-request-network.json")) {
            Reply reply = service.post(
                    TestService.gateway(),
                    "/v1/decisions",
                    Golden.message(message).replace("bbbbbbbbbbbbbbbb", session.value()));
            assertThat(reply.status()).isEqualTo(200);
        }
    }

    private Map<String, Object> bash(String call) {
        return TestService.bash(session, child, call, "sh tests/run.sh");
    }

    private String fixed(Reply reply) {
        JsonNode body = JSON.readTree(reply.raw().body());
        String text = JSON.writerWithDefaultPrettyPrinter().writeValueAsString(body);
        return text.replace(child.value(), "aaaaaaaaaaaaaaaa")
                        .replace(session.value(), "bbbbbbbbbbbbbbbb")
                        .replaceAll("\"(id|askId)\" : \"[a-z2-7]{16}\"", "\"$1\" : \"cccccccccccccccc\"")
                        .replaceAll("ask `[a-z2-7]{16}`", "ask `cccccccccccccccc`")
                        .replaceAll("/v1/asks/[a-z2-7]{16}", "/v1/asks/cccccccccccccccc")
                        .replaceAll("[0-9a-f]{64}", "d".repeat(64))
                        .replaceAll("20\\d\\d-[^\"]+Z", "2026-01-01T00:00:00.000Z")
                + "\n";
    }
}
