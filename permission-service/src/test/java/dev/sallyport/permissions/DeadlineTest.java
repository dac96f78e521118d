package dev.sallyport.permissions;

import static dev.sallyport.permissions.TestService.person;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sallyport.identity.ChildId;
import dev.sallyport.identity.SessionId;
import dev.sallyport.permissions.TestService.Reply;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** T82a, T82e: what nobody answers ends by itself and is never called a denial; who asks too much is not asked for. */
class DeadlineTest {

    @Test
    void whatNobodyAnswersExpires() {
        try (TestService service =
                TestService.start(TestDatabase.create("what_nobody_answers"), "sallyport.permissions.ask-timeout=1s")) {
            SessionId session = service.newSession("agent-1");
            ChildId child = service.newChild(session, "read-write", List.of());

            Reply reply = service.decide(write(session, child, "c1"), "20s");

            assertThat(reply.text("decision")).isEqualTo("expired");
            assertThat(reply.text("reason")).isEqualTo("nobody answered in time");
            assertThat(service.answer(person("ada"), reply.text("askId"), "approved")
                            .status())
                    .isEqualTo(410);
            assertThat(service.decide(write(session, child, "c1")).text("decision"))
                    .isEqualTo("expired");
        }
    }

    @Test
    void anAnswerAfterTheDeadlineCountsForNothing() {
        try (TestService service = TestService.start(
                TestDatabase.create("an_answer_after"),
                // Nobody sweeps meanwhile: the deadline itself must hold.
                "sallyport.permissions.sweep=1h")) {
            SessionId session = service.newSession("agent-1");
            ChildId child = service.newChild(session, "read-write", List.of());
            String ask = service.decide(write(session, child, "c1")).text("askId");
            service.database()
                    .sql("update ask set expires_at = clock_timestamp() where id = ?")
                    .param(ask)
                    .update();

            Reply answer = service.answer(person("ada"), ask, "approved");

            assertThat(answer.status()).isEqualTo(410);
            assertThat(service.decide(write(session, child, "c1")).text("decision"))
                    .isEqualTo("expired");
        }
    }

    @Test
    void neverIsATimeout() {
        try (TestService service = TestService.start(
                TestDatabase.create("never"),
                "sallyport.permissions.ask-timeout=never",
                "sallyport.permissions.max-open-asks=3")) {
            SessionId session = service.newSession("agent-1");
            ChildId child = service.newChild(session, "read-write", List.of());
            String ask = service.decide(write(session, child, "c0")).text("askId");
            assertThat(service.get(person("ada"), "/v1/asks/" + ask).body().has("expiresAt"))
                    .isFalse();

            List<CompletableFuture<Reply>> flood = new ArrayList<>();
            for (int i = 1; i <= 20; i++) {
                String call = "c" + i;
                flood.add(service.later(() -> service.decide(write(session, child, call))));
            }
            List<String> decisions =
                    flood.stream().map(reply -> reply.join().text("decision")).toList();

            assertThat(decisions).filteredOn("pending"::equals).hasSize(2);
            assertThat(decisions).filteredOn("unavailable"::equals).hasSize(18);
            assertThat(flood.stream().map(reply -> reply.join().text("reason")).distinct())
                    .contains("too many open asks");
            // Another child is not held back by it.
            ChildId other = service.newChild(session, "read-write", List.of());
            assertThat(service.decide(write(session, other, "c1")).text("decision"))
                    .isEqualTo("pending");
        }
    }

    private static Map<String, Object> write(SessionId session, ChildId child, String call) {
        return TestService.tool(session, child, call, "write", Map.of("path", "a.txt", "content", "x"));
    }
}
