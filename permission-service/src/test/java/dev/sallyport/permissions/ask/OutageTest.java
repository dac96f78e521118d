package dev.sallyport.permissions.ask;

import static dev.sallyport.permissions.TestService.bash;
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

/** Without the database nothing is approved, nothing is denied, and nothing is forgotten. */
class OutageTest {

    @Test
    void aWaitOutlivesTheDatabasesAbsence() {
        TestDatabase database = TestDatabase.create("outage_test");
        try (TestService service = TestService.start(
                database,
                "spring.datasource.hikari.connection-timeout=2000",
                "sallyport.permissions.grace=1s",
                "sallyport.permissions.staleness=2s",
                "sallyport.permissions.reconnect-window=10m")) {
            SessionId session = service.newSession("agent-1");
            ChildId child = service.newChild(session, "read-write", List.of());
            Map<String, Object> request =
                    TestService.tool(session, child, "c1", "write", Map.of("path", "a", "content", "x"));
            try (EventReader inbox = service.inbox(person("ada"), "session=" + session, null)) {
                String ask = service.decide(request).text("askId");
                CompletableFuture<Reply> held = service.later(() -> service.decide(request, "60s"));
                await().until(() -> service.bean(AskChanges.class).isAwaited(ask));
                int heard = inbox.comments();

                database.refuse(true);
                database.cut();
                Reply answer = service.answer(person("ada"), ask, "approved");
                Reply decision = service.decide(bash(session, child, "c2", "ls"));

                assertThat(answer.status()).isEqualTo(503);
                assertThat(answer.text("code")).isEqualTo("database-unavailable");
                assertThat(decision.status()).isEqualTo(503);
                assertThat(held).isNotDone();
                // The stream stays; its reader is not the one who is away.
                await().until(() -> inbox.comments() > heard + 2);
                assertThat(inbox.ended()).isFalse();

                database.refuse(false);
                await().ignoreExceptions()
                        .until(() ->
                                service.get(person("ada"), "/v1/asks/" + ask).status() == 200);
                assertThat(service.get(person("ada"), "/v1/asks/" + ask).text("state"))
                        .isEqualTo("pending");
                assertThat(service.answer(person("ada"), ask, "approved").status())
                        .isEqualTo(200);
                assertThat(held.join().text("decision")).isEqualTo("allowed");
                assertThat(service.decide(bash(session, child, "c2", "ls")).status())
                        .isEqualTo(200);
            }
        }
    }
}
