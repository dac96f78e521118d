package dev.sallyport.permissions.ask;

import static dev.sallyport.permissions.TestService.person;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.sallyport.identity.ChildId;
import dev.sallyport.identity.SessionId;
import dev.sallyport.permissions.EventReader;
import dev.sallyport.permissions.TestDatabase;
import dev.sallyport.permissions.TestService;
import dev.sallyport.permissions.TestService.Reply;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** T82f and S24: what was asked survives us, and our absence is nobody else's. */
class RestartTest {

    private static final String[] DRAINED_FROM_BEFORE = {
        "sallyport.permissions.grace=500ms",
        "sallyport.permissions.staleness=1s",
        "sallyport.permissions.reconnect-window=10m"
    };

    @Test
    void anAskSurvivesARestartAndIsAnsweredOnce() {
        TestDatabase database = TestDatabase.create("restart_test");
        SessionId session;
        ChildId child;
        Map<String, Object> request;
        String ask;
        try (TestService before = TestService.start(database, DRAINED_FROM_BEFORE)) {
            session = before.newSession("agent-1");
            child = before.newChild(session, "read-write", List.of());
            request = TestService.tool(session, child, "c1", "write", Map.of("path", "a", "content", "x"));
            EventReader inbox = before.inbox(person("ada"), "session=" + session, null);
            String asked = before.decide(request).text("askId");
            CompletableFuture<Reply> held = before.later(() -> before.decide(request, "60s"));
            assertThat(inbox.status()).isEqualTo(200);
            await().until(() -> before.bean(AskChanges.class).isAwaited(asked));
            before.stopServing();
            // The held call is let go rather than kept until its time is over.
            assertThat(held.join().text("decision")).isEqualTo("pending");
            ask = asked;
        }

        try (TestService after = TestService.start(database, DRAINED_FROM_BEFORE)) {
            // Nobody has come back yet, and longer than staleness and grace have passed.
            await().until(() -> after.database()
                    .sql("select clock_timestamp() - max(refreshed_at) > interval '3 s' from lease")
                    .query(Boolean.class)
                    .single());
            Reply again = after.decide(request);
            assertThat(again.text("decision")).isEqualTo("pending");
            assertThat(again.text("askId")).isEqualTo(ask);

            CompletableFuture<Reply> resumed = after.later(() -> after.decide(request, "20s"));
            assertThat(after.answer(person("ada"), ask, "approved").status()).isEqualTo(200);

            assertThat(resumed.join().text("decision")).isEqualTo("allowed");
            assertThat(after.decide(request).body()).isEqualTo(resumed.join().body());
            assertThat(after.answer(person("ada"), ask, "denied").status()).isEqualTo(409);
            assertThat(approvals(after, child)).isEqualTo(1);
        }
    }

    @Test
    void whoDoesNotReconnectIsAbsentInTheEnd() {
        TestDatabase database = TestDatabase.create("who_does_not_reconnect");
        Map<String, Object> request;
        try (TestService before = TestService.start(database, DRAINED_FROM_BEFORE)) {
            SessionId session = before.newSession("agent-1");
            ChildId child = before.newChild(session, "read-write", List.of());
            request = TestService.tool(session, child, "c1", "write", Map.of("path", "a", "content", "x"));
            try (EventReader inbox = before.inbox(person("ada"), "session=" + session, null)) {
                assertThat(inbox.status()).isEqualTo(200);
                before.decide(request);
            }
        }

        try (TestService after = TestService.start(database, DRAINED_FROM_BEFORE)) {
            assertThat(after.decide(request).text("decision")).isEqualTo("pending");
            // The window passes, by the only clock that counts.
            after.database()
                    .sql("update comeback set at = at - interval '1 hour'")
                    .update();
            after.database()
                    .sql("update session set created_at = created_at - interval '2 hours'")
                    .update();

            assertThat(after.decide(request, "20s").text("decision")).isEqualTo("unavailable");
        }
    }

    @Test
    void theWindowIsForWhatWasThereBefore() {
        TestDatabase database = TestDatabase.create("the_window");
        try (TestService service = TestService.start(database, DRAINED_FROM_BEFORE)) {
            SessionId session = service.newSession("agent-1");
            ChildId child = service.newChild(session, "read-write", List.of());

            assertThat(service.decide(
                                    TestService.tool(
                                            session, child, "c1", "write", Map.of("path", "a", "content", "x")),
                                    "20s")
                            .text("decision"))
                    .isEqualTo("unavailable");
        }
    }

    private static long approvals(TestService service, ChildId child) {
        return service.get(person("ada"), "/v1/review?child=" + child)
                .body()
                .path("entries")
                .valueStream()
                .filter(entry -> entry.path("event").asString().equals("permission_request.approved"))
                .count();
    }
}
