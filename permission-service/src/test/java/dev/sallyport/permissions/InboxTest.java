package dev.sallyport.permissions;

import static dev.sallyport.permissions.TestService.gateway;
import static dev.sallyport.permissions.TestService.person;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.sallyport.identity.ChildId;
import dev.sallyport.identity.SessionId;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** The stream of whoever drains: complete, resumable, and the holder of its leases. */
class InboxTest {

    private static TestService service;

    @BeforeAll
    static void start() {
        service = TestService.start(TestDatabase.create("inbox_test"));
    }

    @AfterAll
    static void stop() {
        service.close();
    }

    private final SessionId session = service.newSession("agent-1");
    private final ChildId child = service.newChild(session, "read-write", List.of());
    private final String ada = person("ada");

    @Test
    void beginsWithWhatIsPendingAndGoesOnWithChanges() throws InterruptedException {
        String before = ask("c1");
        String settled = ask("c2");
        service.answer(ada, settled, "denied");

        try (EventReader inbox = service.inbox(ada, "session=" + session, null)) {
            EventReader.Event first = inbox.next();
            assertThat(first.type()).isEqualTo("ask");
            assertThat(first.data().path("id").asString()).isEqualTo(before);
            String after = ask("c3");
            assertThat(inbox.next().data().path("id").asString()).isEqualTo(after);
            service.answer(ada, after, "approved");
            EventReader.Event answered = inbox.next();
            assertThat(answered.data().path("state").asString()).isEqualTo("approved");
            assertThat(answered.id()).isGreaterThan(first.id());
        }
    }

    @Test
    void resumesAfterTheLastEventSeen() throws InterruptedException {
        String first = ask("c1");
        long seen;
        try (EventReader inbox = service.inbox(ada, "session=" + session, null)) {
            seen = inbox.next().id();
        }
        String missed = ask("c2");
        service.answer(ada, first, "denied");

        try (EventReader inbox = service.inbox(ada, "session=" + session, String.valueOf(seen))) {
            assertThat(inbox.next().data().path("id").asString()).isEqualTo(missed);
            EventReader.Event denied = inbox.next();
            assertThat(denied.data().path("id").asString()).isEqualTo(first);
            assertThat(denied.data().path("state").asString()).isEqualTo("denied");
        }
    }

    @Test
    void missesNothingOfWhatIsAskedAtOnce() throws InterruptedException {
        List<ChildId> children = new ArrayList<>();
        for (int i = 0; i < 10; i++) {
            children.add(service.newChild(session, "read-write", List.of()));
        }
        try (EventReader inbox = service.inbox(ada, "session=" + session, null)) {
            List<CompletableFuture<String>> asked = new ArrayList<>();
            for (int i = 0; i < 100; i++) {
                ChildId asking = children.get(i % 10);
                String call = "c" + i;
                asked.add(service.later(() -> service.decide(write(asking, call)))
                        .thenApply(reply -> reply.text("askId")));
            }
            List<String> seen = new ArrayList<>();
            long last = 0;
            while (seen.size() < 100) {
                EventReader.Event event = inbox.next();
                assertThat(event.id()).isGreaterThan(last);
                last = event.id();
                seen.add(event.data().path("id").asString());
            }

            assertThat(seen)
                    .containsExactlyInAnyOrderElementsOf(
                            asked.stream().map(CompletableFuture::join).toList());
        }
    }

    @Test
    void everySessionIncludesThoseThatComeLater() throws InterruptedException {
        try (EventReader inbox = service.inbox(ada, "all=true", null)) {
            SessionId later = service.newSession("agent-2");
            ChildId asking = service.newChild(later, "read-write", List.of());
            String ask = service.decide(write(later, asking, "c1")).text("askId");

            String seen;
            do {
                seen = inbox.next().data().path("id").asString();
            } while (!seen.equals(ask));
            assertThat(inbox.status()).isEqualTo(200);
        }
    }

    @Test
    void saysSomethingEvenWhenNothingHappens() {
        try (EventReader inbox = service.inbox(ada, "session=" + session, null)) {
            await().until(() -> inbox.comments() >= 3);

            assertThat(inbox.retry()).isPositive().isLessThan(300_000);
        }
    }

    @Test
    void aLaterStreamOfTheSameHolderEndsTheEarlier() {
        try (EventReader earlier = service.inbox(ada, "holder=tab&session=" + session, null);
                EventReader later = service.inbox(ada, "holder=tab&session=" + session, null)) {
            await().until(earlier::ended);

            assertThat(later.ended()).isFalse();
        }
    }

    @Test
    void aClosedStreamIsNoRelease() {
        service.inbox(ada, "session=" + session, null).close();

        assertThat(service.get(ada, "/v1/review?session=" + session).body().toString())
                .contains("serving_started")
                .doesNotContain("serving_released");
        assertThat(service.database()
                        .sql("select count(*) from lease where session = ? and ended_at is null")
                        .param(session.value())
                        .query(Integer.class)
                        .single())
                .isEqualTo(1);
    }

    @Test
    void refusesWhatNamesNoSession() {
        assertThat(service.inbox(ada, "", null).status()).isEqualTo(400);
        assertThat(service.inbox(ada, "all=true&session=" + session, null).status())
                .isEqualTo(400);
        assertThat(service.inbox(ada, "all=yes", null).status()).isEqualTo(400);
        assertThat(service.inbox(ada, "session=../../x", null).status()).isEqualTo(400);
        assertThat(service.inbox(ada, "session=" + session, "yesterday").status())
                .isEqualTo(400);
        assertThat(service.inbox(gateway(), "all=true", null).status()).isEqualTo(403);
    }

    private String ask(String call) {
        return service.decide(write(child, call)).text("askId");
    }

    private Map<String, Object> write(ChildId child, String call) {
        return write(session, child, call);
    }

    private static Map<String, Object> write(SessionId session, ChildId child, String call) {
        return TestService.tool(session, child, call, "write", Map.of("path", "a.txt", "content", "x"));
    }
}
