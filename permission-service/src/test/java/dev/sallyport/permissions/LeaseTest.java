package dev.sallyport.permissions;

import static dev.sallyport.permissions.TestService.bash;
import static dev.sallyport.permissions.TestService.gateway;
import static dev.sallyport.permissions.TestService.person;
import static dev.sallyport.permissions.TestService.session;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.sallyport.identity.ChildId;
import dev.sallyport.identity.SessionId;
import dev.sallyport.identity.Tenant;
import dev.sallyport.permissions.TestService.Reply;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** DESIGN 6 and S24: who counts as draining a session, and what a child hears where nobody does. */
class LeaseTest {

    private static TestService service;

    @BeforeAll
    static void start() {
        // A machine that stands still for longer than the grace is not absence: the reconnect window forgives it.
        service = TestService.start(
                TestDatabase.create("lease_test"),
                "sallyport.permissions.grace=800ms",
                "sallyport.permissions.staleness=2s",
                "sallyport.permissions.reconnect-window=2s");
    }

    @AfterAll
    static void stop() {
        service.close();
    }

    private final SessionId session = service.newSession("agent-1");
    private final ChildId child = service.newChild(session, "read-write", List.of());
    private final String ada = person("ada");
    private final String tab = "tab-" + session;

    @Test
    void nobodyDrainsIsUnavailableAndNotDenied() {
        // What the other tests left.
        service.database().sql("delete from lease").update();

        Reply reply = decide("c1");

        assertThat(reply.text("decision")).isEqualTo("unavailable");
        assertThat(reply.text("reason"))
                .isEqualTo("session `%s` is not answering permission requests".formatted(session));
        assertThat(condition()).isEqualTo("no-lease");
        assertThat(service.answer(ada, reply.text("askId"), "approved").status())
                .isEqualTo(410);
        assertThat(decide("c1").body()).isEqualTo(reply.body());
    }

    @Test
    void aReleasedLeaseEndsAtOnce() {
        long epoch = acquire(session, tab).body().path("epoch").asLong();
        release(session, tab, epoch);

        assertThat(decide("c1").text("decision")).isEqualTo("unavailable");
        assertThat(condition()).isEqualTo("holder-gone");
    }

    @Test
    void anUnrefreshedLeaseGoesStale() {
        acquire(session, tab);

        assertThat(decide("c1").text("decision")).isEqualTo("unavailable");
        assertThat(condition()).isEqualTo("stale");
        assertThat(events()).contains("forwarded_permission.serving_started", "forwarded_permission.serving_stale");
    }

    @Test
    void aHolderThatMovedDrainsAnotherSession() {
        SessionId other = service.newSession("agent-1");
        long epoch = acquire(session, tab).body().path("epoch").asLong();
        release(session, tab, epoch);
        try (EventReader inbox = service.inbox(ada, "holder=" + tab + "&session=" + other, null)) {
            assertThat(decide("c1").text("decision")).isEqualTo("unavailable");
            assertThat(condition()).isEqualTo("other-session");
            assertThat(inbox.status()).isEqualTo(200);
        }
    }

    @Test
    void aRefreshedLeaseIsWaitedFor() {
        long epoch = acquire(session, tab).body().path("epoch").asLong();
        String ask = service.decide(write("c1")).text("askId");

        // Longer than staleness and grace together, by the database's own clock.
        await().until(() -> {
            assertThat(refresh(session, tab, epoch).status()).isEqualTo(200);
            return service.database()
                    .sql("select clock_timestamp() - created_at > interval '3500 ms' from ask where id = ?")
                    .param(ask)
                    .query(Boolean.class)
                    .single();
        });

        assertThat(service.get(ada, "/v1/asks/" + ask).text("state")).isEqualTo("pending");
    }

    @Test
    void somebodyWhoComesWithinTheGraceIsWaitedFor() {
        String ask = service.decide(write("c1")).text("askId");
        try (EventReader inbox = service.inbox(ada, "session=" + session, null)) {
            assertThat(inbox.status()).isEqualTo(200);
            await().until(() -> service.database()
                    .sql("select clock_timestamp() - created_at > interval '1500 ms' from ask where id = ?")
                    .param(ask)
                    .query(Boolean.class)
                    .single());

            assertThat(service.answer(ada, ask, "approved").status()).isEqualTo(200);
        }
    }

    @Test
    void whoLeavesDuringTheLongWaitEndsIt() {
        String ask;
        try (EventReader inbox = service.inbox(ada, "session=" + session, null)) {
            ask = service.decide(write("c1")).text("askId");
            assertThat(inbox.status()).isEqualTo(200);
        }

        assertThat(decide("c1").text("decision")).isEqualTo("unavailable");
        assertThat(condition()).isEqualTo("stale");
        assertThat(service.get(ada, "/v1/asks/" + ask).text("state")).isEqualTo("unavailable");
    }

    @Test
    void anyOfSeveralHoldersWillDo() {
        long epoch = acquire(session, tab).body().path("epoch").asLong();
        try (EventReader inbox = service.inbox(person("bob"), "session=" + session, null)) {
            release(session, tab, epoch);
            String ask = service.decide(write("c1")).text("askId");
            await().until(() -> service.database()
                    .sql("select clock_timestamp() - created_at > interval '1500 ms' from ask where id = ?")
                    .param(ask)
                    .query(Boolean.class)
                    .single());

            assertThat(service.get(ada, "/v1/asks/" + ask).text("state")).isEqualTo("pending");
            assertThat(inbox.status()).isEqualTo(200);
        }
    }

    @Test
    void anEarlierEpochCanNeitherRefreshNorRelease() {
        long old = acquire(session, tab).body().path("epoch").asLong();
        long now = acquire(session, tab).body().path("epoch").asLong();

        assertThat(now).isGreaterThan(old);
        assertThat(refresh(session, tab, old).text("code")).isEqualTo("lease-lost");
        assertThat(release(session, tab, old).text("code")).isEqualTo("lease-lost");
        assertThat(refresh(session, tab, now).status()).isEqualTo(200);
    }

    @Test
    void nobodyRefreshesTheLeaseOfAnother() {
        long epoch = acquire(session, tab).body().path("epoch").asLong();

        Reply stranger =
                service.send(person("bob"), "PUT", leaseOf(session), Map.of("holder", tab, "epoch", epoch), Map.of());

        assertThat(stranger.text("code")).isEqualTo("lease-lost");
    }

    @Test
    void onlyWhoMayApproveHoldsALease() {
        Map<String, String> body = Map.of("holder", tab);

        assertThat(service.send(session("agent-1"), "PUT", leaseOf(session), body, Map.of())
                        .status())
                .isEqualTo(403);
        assertThat(service.send(gateway(), "PUT", leaseOf(session), body, Map.of())
                        .status())
                .isEqualTo(403);
        assertThat(service.send(person("eve", new Tenant("other")), "PUT", leaseOf(session), body, Map.of())
                        .status())
                .isEqualTo(404);
        assertThat(service.inbox(session("agent-1"), "all=true", null).status()).isEqualTo(403);
        assertThat(decide("c1").text("decision")).isEqualTo("unavailable");
    }

    @Test
    void anotherTenantsInboxDrainsNothingHere() {
        try (EventReader inbox = service.inbox(person("eve", new Tenant("other")), "all=true", null)) {
            assertThat(decide("c1").text("decision")).isEqualTo("unavailable");
            assertThat(inbox.isEmpty()).isTrue();
        }
    }

    @Test
    void whoIsNotNamedDoesNotDrain() {
        SessionId guarded = new SessionId(service.post(ada, "/v1/sessions", Map.of("approverGroups", List.of("ada")))
                .text("id"));
        ChildId asking = service.newChild(guarded, "read-write", List.of());

        assertThat(service.inbox(person("bob"), "session=" + guarded, null).status())
                .isEqualTo(403);
        try (EventReader inbox = service.inbox(person("bob"), "all=true", null)) {
            assertThat(service.decide(bash(guarded, asking, "c1", "make"), "20s")
                            .text("decision"))
                    .isEqualTo("unavailable");
            assertThat(inbox.status()).isEqualTo(200);
        }
    }

    private Reply decide(String call) {
        return service.decide(write(call), "20s");
    }

    private Map<String, Object> write(String call) {
        return TestService.tool(session, child, call, "write", Map.of("path", "a.txt", "content", "x"));
    }

    private Reply acquire(SessionId session, String holder) {
        Reply reply = service.send(ada, "PUT", leaseOf(session), Map.of("holder", holder), Map.of());
        assertThat(reply.status()).isEqualTo(200);
        return reply;
    }

    private Reply refresh(SessionId session, String holder, long epoch) {
        return service.send(ada, "PUT", leaseOf(session), Map.of("holder", holder, "epoch", epoch), Map.of());
    }

    private Reply release(SessionId session, String holder, long epoch) {
        return service.send(
                ada, "DELETE", leaseOf(session) + "?holder=%s&epoch=%d".formatted(holder, epoch), null, Map.of());
    }

    private static String leaseOf(SessionId session) {
        return "/v1/sessions/%s/lease".formatted(session);
    }

    private List<String> events() {
        return service.get(ada, "/v1/review?session=" + session)
                .body()
                .path("entries")
                .valueStream()
                .map(entry -> entry.path("event").asString())
                .toList();
    }

    private String condition() {
        return service.get(ada, "/v1/review?child=" + child)
                .body()
                .path("entries")
                .valueStream()
                .filter(entry -> entry.path("event").asString().equals("permission_request.unavailable"))
                .map(entry -> entry.path("details").path("condition").asString())
                .findFirst()
                .orElseThrow();
    }
}
