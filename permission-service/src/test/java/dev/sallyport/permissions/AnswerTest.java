package dev.sallyport.permissions;

import static dev.sallyport.permissions.TestService.bash;
import static dev.sallyport.permissions.TestService.gateway;
import static dev.sallyport.permissions.TestService.person;
import static dev.sallyport.permissions.TestService.session;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.sallyport.identity.ChildId;
import dev.sallyport.identity.Role;
import dev.sallyport.identity.SessionId;
import dev.sallyport.identity.Tenant;
import dev.sallyport.permissions.TestService.Reply;
import dev.sallyport.service.Caller;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** T81: who may answer an ask, how often, and until when. */
class AnswerTest {

    private static TestService service;

    private SessionId session;
    private ChildId child;
    private EventReader inbox;

    @BeforeAll
    static void start() {
        service = TestService.start(TestDatabase.create("answer_test"));
    }

    @AfterAll
    static void stop() {
        service.close();
    }

    @BeforeEach
    void aChildOfADrainedSession() {
        session = service.newSession("agent-1");
        child = service.newChild(session, "read-write", List.of());
        inbox = service.inbox(person("ada"), "session=" + session, null);
    }

    @AfterEach
    void leave() {
        inbox.close();
    }

    @Test
    void aSessionsTokenCannotAnswer() {
        String ask = ask("c1");

        assertThat(service.answer(session("agent-1"), ask, "approved").status()).isEqualTo(403);
        assertThat(state(ask)).isEqualTo("pending");
    }

    @Test
    void theGatewaysTokenCannotAnswer() {
        String ask = ask("c1");

        assertThat(service.answer(gateway(), ask, "approved").status()).isEqualTo(403);
        assertThat(state(ask)).isEqualTo("pending");
    }

    @Test
    void nobodyAnswersWithoutAToken() {
        String ask = ask("c1");

        assertThat(service.send(null, "POST", "/v1/asks/" + ask + "/answer", Map.of("answer", "approved"), Map.of())
                        .status())
                .isEqualTo(401);
        assertThat(state(ask)).isEqualTo("pending");
    }

    @Test
    void aPersonWithoutTheRoleCannotAnswer() {
        String ask = ask("c1");
        String observer = TestService.token("eve", Tenant.DEFAULT, Caller.Kind.PERSON, Role.OBSERVE, Role.AUDIT);

        assertThat(service.answer(observer, ask, "approved").status()).isEqualTo(403);
        assertThat(state(ask)).isEqualTo("pending");
    }

    @Test
    void anotherTenantsApproverFindsNothing() {
        String ask = ask("c1");
        String stranger = person("mallory", new Tenant("other"));

        assertThat(service.answer(stranger, ask, "approved").status()).isEqualTo(404);
        assertThat(service.get(stranger, "/v1/asks/" + ask).status()).isEqualTo(404);
        assertThat(service.get(stranger, "/v1/sessions/" + session).status()).isEqualTo(404);
        assertThat(state(ask)).isEqualTo("pending");
    }

    @Test
    void anApprovalReachesTheWaitingCall() {
        CompletableFuture<Reply> call = service.later(() -> service.decide(write("c1"), "20s"));
        String ask = awaitPending();

        Reply answered = service.answer(person("ada"), ask, "approved");

        assertThat(answered.status()).isEqualTo(200);
        assertThat(call.join().text("decision")).isEqualTo("allowed");
        assertThat(call.join().body().path("decider").path("kind").asString()).isEqualTo("human");
        assertThat(call.join().body().path("decider").path("principal").asString())
                .isEqualTo("ada");
    }

    @Test
    void aDenialCarriesItsReason() {
        String ask = ask("c1");

        service.post(person("ada"), "/v1/asks/" + ask + "/answer", Map.of("answer", "denied", "reason", "not today"));

        Reply reply = service.decide(write("c1"));
        assertThat(reply.text("decision")).isEqualTo("denied");
        assertThat(reply.text("reason")).isEqualTo("not today");
    }

    @Test
    void theSecondAnswerIsToldWhoWon() {
        String ask = ask("c1");
        service.answer(person("ada"), ask, "approved");

        Reply second = service.answer(person("bob"), ask, "denied");

        assertThat(second.status()).isEqualTo(409);
        assertThat(second.text("code")).isEqualTo("ask-already-answered");
        assertThat(second.body().path("winner").path("principal").asString()).isEqualTo("ada");
        assertThat(second.body().path("winner").path("answer").asString()).isEqualTo("approved");
        assertThat(second.body().path("winner").path("at").asString()).startsWith("20");
        assertThat(service.decide(write("c1")).text("decision")).isEqualTo("allowed");
        assertThat(reviewEvents()).contains("permission_request.approved", "permission_request.answer_refused");
    }

    @Test
    void ofFiftyAnswersAtOnceExactlyOneWins() {
        String ask = ask("c1");
        List<CompletableFuture<Reply>> answers = new ArrayList<>();
        for (int i = 0; i < 50; i++) {
            String who = person("p" + i);
            String what = i % 2 == 0 ? "approved" : "denied";
            answers.add(service.later(() -> service.answer(who, ask, what)));
        }

        List<Reply> replies = answers.stream().map(CompletableFuture::join).toList();

        List<Reply> winners =
                replies.stream().filter(reply -> reply.status() == 200).toList();
        assertThat(winners).hasSize(1);
        String winner =
                winners.getFirst().body().path("decider").path("principal").asString();
        assertThat(replies)
                .filteredOn(reply -> reply.status() == 409)
                .hasSize(49)
                .allSatisfy(reply -> assertThat(
                                reply.body().path("winner").path("principal").asString())
                        .isEqualTo(winner));
        assertThat(reviewEvents())
                .filteredOn(event -> event.equals("permission_request.answer_refused"))
                .hasSize(49);
    }

    @Test
    void theSameKeyGetsTheSameAnswer() {
        String ask = ask("c1");
        Map<String, String> key = Map.of("Idempotency-Key", "k-1");
        String path = "/v1/asks/" + ask + "/answer";

        Reply first = service.send(person("ada"), "POST", path, Map.of("answer", "approved"), key);
        Reply again = service.send(person("ada"), "POST", path, Map.of("answer", "approved"), key);
        Reply other = service.send(person("ada"), "POST", path, Map.of("answer", "denied"), key);
        Reply stranger = service.send(person("bob"), "POST", path, Map.of("answer", "approved"), key);

        assertThat(first.status()).isEqualTo(200);
        assertThat(again.status()).isEqualTo(200);
        assertThat(again.body()).isEqualTo(first.body());
        assertThat(other.status()).isEqualTo(409);
        assertThat(stranger.status()).isEqualTo(409);
    }

    @Test
    void afterTheChildEndedAnAnswerIsGone() {
        String ask = ask("c1");
        CompletableFuture<Reply> call = service.later(() -> service.decide(write("c1"), "20s"));

        service.post(gateway(), "/v1/children/" + child + "/end", Map.of("incarnation", 1));

        // A call that comes a moment after the end is gone; one that was held hears of it.
        assertThat(call.join().text("decision").equals("cancelled")
                        || call.join().status() == 410)
                .isTrue();
        Reply late = service.answer(person("ada"), ask, "approved");
        assertThat(late.status()).isEqualTo(410);
        assertThat(late.text("code")).isEqualTo("ask-ended");
        assertThat(state(ask)).isEqualTo("cancelled");
        assertThat(service.decide(write("c1")).status()).isEqualTo(410);
        assertThat(service.decide(write("c2")).status()).isEqualTo(410);
    }

    @Test
    void aLaterIncarnationSupersedesWhatTheEarlierAsked() {
        String ask = ask("c1");

        assertThat(service.register(child, session, 2, "read-write", List.of()).status())
                .isEqualTo(204);

        assertThat(state(ask)).isEqualTo("superseded");
        assertThat(service.answer(person("ada"), ask, "approved").status()).isEqualTo(410);
        assertThat(service.decide(write("c1")).text("code")).isEqualTo("stale-incarnation");
        assertThat(service.register(child, session, 1, "read-write", List.of()).text("code"))
                .isEqualTo("stale-incarnation");
    }

    @Test
    void onlyANamedApproverAnswersUntilItEscalates() {
        Reply created = service.post(
                person("ada"), "/v1/sessions", Map.of("approverGroups", List.of("ada"), "escalateAfter", "1h"));
        SessionId guarded = new SessionId(created.text("id"));
        ChildId asking = service.newChild(guarded, "read-write", List.of());
        try (EventReader drained = service.inbox(person("ada"), "session=" + guarded, null)) {
            assertThat(drained.status()).isEqualTo(200);
            String ask = service.decide(bash(guarded, asking, "c1", "make")).text("askId");

            assertThat(service.answer(person("bob"), ask, "approved").text("code"))
                    .isEqualTo("not-an-approver");

            service.database()
                    .sql("update ask set created_at = created_at - interval '2 hours' where id = ?")
                    .param(ask)
                    .update();
            assertThat(service.answer(person("bob"), ask, "approved").status()).isEqualTo(200);
        }
    }

    @Test
    void refusesWhatIsNoAnswer() {
        String path = "/v1/asks/" + ask("c1") + "/answer";
        String ada = person("ada");

        assertThat(service.post(ada, path, Map.of("answer", "approved_for_session"))
                        .text("detail"))
                .isEqualTo("answer (expected: approved or denied)");
        assertThat(service.post(ada, path, Map.of("answer", "approved", "scope", "session"))
                        .text("detail"))
                .contains("unknown field `scope`");
        assertThat(service.post(ada, path, "{\"answer\":\"denied\",\"answer\":\"approved\"}")
                        .status())
                .isEqualTo(400);
        assertThat(service.post(ada, path, Map.of("answer", "denied", "reason", "x".repeat(501)))
                        .status())
                .isEqualTo(400);
        assertThat(service.post(ada, "/v1/asks/../answer/answer", Map.of("answer", "denied"))
                        .status())
                .isGreaterThanOrEqualTo(400);
    }

    private String ask(String call) {
        Reply reply = service.decide(write(call));
        assertThat(reply.text("decision")).isEqualTo("pending");
        return reply.text("askId");
    }

    private Map<String, Object> write(String call) {
        return TestService.tool(session, child, call, "write", Map.of("path", "a.txt", "content", "x"));
    }

    private String awaitPending() {
        return await().until(
                        () -> service.get(person("ada"), "/v1/asks?state=pending&session=" + session)
                                .body()
                                .path("asks")
                                .path(0)
                                .path("id")
                                .asString(""),
                        id -> !id.isEmpty());
    }

    private String state(String ask) {
        return service.get(person("ada"), "/v1/asks/" + ask).text("state");
    }

    private List<String> reviewEvents() {
        return service.get(person("ada"), "/v1/review?limit=1000&session=" + session)
                .body()
                .path("entries")
                .valueStream()
                .map(entry -> entry.path("event").asString())
                .toList();
    }
}
