package dev.sallyport.permissions;

import static dev.sallyport.permissions.TestService.bash;
import static dev.sallyport.permissions.TestService.gateway;
import static dev.sallyport.permissions.TestService.person;
import static dev.sallyport.permissions.TestService.session;
import static dev.sallyport.permissions.TestService.tool;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sallyport.identity.ChildId;
import dev.sallyport.identity.SessionId;
import dev.sallyport.permissions.TestService.Reply;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** S2 and S26: what is decided without a person, and that one call is one question. */
class DecisionTest {

    private static TestService service;

    @BeforeAll
    static void start(@TempDir Path directory) throws IOException {
        Path policy = Files.writeString(directory.resolve("policy.json"), """
                {
                  // what this operator wants
                  "permission": {
                    "*": "allow",
                    "bash": {"*": "allow", "rm *": "deny", "sh test.sh": "ask"},
                    "read": {"*": "allow", "/workspace/secret/*": {"action": "deny", "reason": "ask the owner"}},
                    "network": {"*": "deny", "example.org:443": "allow"} /* no more */
                  }
                }
                """);
        service =
                TestService.start(TestDatabase.create("decision_test"), "sallyport.permissions.policy-file=" + policy);
    }

    @AfterAll
    static void stop() {
        service.close();
    }

    private final SessionId session = service.newSession("agent-1");

    @Test
    void onlyTheGatewayAsksForDecisions() {
        ChildId child = service.newChild(session);

        for (String token : List.of(session("agent-1"), person("ada"))) {
            assertThat(service.post(token, "/v1/decisions", bash(session, child, "c1", "ls"))
                            .status())
                    .isEqualTo(403);
            assertThat(service.send(
                                    token,
                                    "PUT",
                                    "/v1/children/" + child,
                                    Map.of(
                                            "tenant",
                                            "default",
                                            "session",
                                            session.value(),
                                            "incarnation",
                                            2,
                                            "authorityDigest",
                                            "mine",
                                            "workspace",
                                            "clone"),
                                    Map.of())
                            .status())
                    .isEqualTo(403);
            assertThat(service.post(token, "/v1/children/" + child + "/end", Map.of("incarnation", 1))
                            .status())
                    .isEqualTo(403);
        }
    }

    @Test
    void decidesByRuleAndNamesIt() {
        ChildId child = service.newChild(session);

        Reply allowed = service.decide(bash(session, child, "c1", "ls -l"));
        Reply denied = service.decide(bash(session, child, "c2", "rm -rf x"));

        assertThat(allowed.text("decision")).isEqualTo("allowed");
        assertThat(allowed.body().path("decider").toString())
                .isEqualTo("{\"kind\":\"rule\",\"surface\":\"bash\",\"pattern\":\"*\",\"origin\":\"policy.json\"}");
        assertThat(denied.text("decision")).isEqualTo("denied");
        assertThat(denied.text("reason")).isEqualTo("bash is denied by rule `rm *` of policy.json");
        assertThat(denied.text("askId")).isEmpty();
    }

    @Test
    void aRuleSaysWhy() {
        ChildId child = service.newChild(session);

        Reply denied = service.decide(tool(session, child, "c1", "read", Map.of("path", "x/../secret/key")));

        assertThat(denied.text("decision")).isEqualTo("denied");
        assertThat(denied.text("reason")).isEqualTo("ask the owner");
    }

    @Test
    void judgesConnectionsByTheirCanonicalName() {
        ChildId child = service.newChild(session);

        assertThat(service.decide(network(child, "c1", "example.org", 443)).text("decision"))
                .isEqualTo("allowed");
        assertThat(service.decide(network(child, "c2", "example.org", 8443)).text("decision"))
                .isEqualTo("denied");
        assertThat(service.decide(network(child, "c3", "EXAMPLE.org", 443)).status())
                .isEqualTo(400);
        assertThat(service.decide(network(child, "c4", "169.254.169.254", 80)).status())
                .isEqualTo(400);
    }

    @Test
    void aRepositoryNarrowsAndNeverWidens() {
        ChildId child = service.newChild(
                session,
                "clone",
                List.of(
                        Map.of(
                                "origin",
                                ".pi/agents/a.md:3",
                                "permission",
                                Map.of("bash", "allow", "network", "allow")),
                        Map.of("origin", ".pi/agents/a.md:9", "permission", Map.of("ls", "deny"))));

        assertThat(service.decide(bash(session, child, "c1", "rm x")).text("decision"))
                .isEqualTo("denied");
        assertThat(service.decide(network(child, "c2", "evil.test", 443)).text("decision"))
                .isEqualTo("denied");
        Reply narrowed = service.decide(tool(session, child, "c3", "ls", Map.of()));
        assertThat(narrowed.text("decision")).isEqualTo("denied");
        assertThat(narrowed.body().path("decider").path("origin").asString()).isEqualTo(".pi/agents/a.md:9");
    }

    @Test
    void whatNarrowsAParentNarrowsItsChildren() {
        ChildId parent = service.newChild(
                session, "clone", List.of(Map.of("origin", "parent", "permission", Map.of("bash", "deny"))));
        ChildId child = childOf(parent);

        assertThat(service.decide(bash(session, child, "c1", "ls")).text("decision"))
                .isEqualTo("denied");
    }

    @Test
    void whatNarrowsAParentLaterNarrowsTheNextCall() {
        ChildId parent = service.newChild(session);
        ChildId child = childOf(parent);
        assertThat(service.decide(bash(session, child, "c1", "ls")).text("decision"))
                .isEqualTo("allowed");

        Map<String, Object> later = Map.of(
                "tenant",
                "default",
                "session",
                session.value(),
                "incarnation",
                2,
                "authorityDigest",
                "a2",
                "workspace",
                "clone",
                "narrowing",
                List.of(Map.of("origin", "parent", "permission", Map.of("bash", "deny"))));
        assertThat(service.send(gateway(), "PUT", "/v1/children/" + parent, later, Map.of())
                        .status())
                .isEqualTo(204);

        assertThat(service.decide(bash(session, child, "c2", "ls")).text("decision"))
                .isEqualTo("denied");
    }

    private ChildId childOf(ChildId parent) {
        ChildId child = ChildId.random(new Random());
        Map<String, Object> body = Map.of(
                "tenant",
                "default",
                "session",
                session.value(),
                "parent",
                parent.value(),
                "incarnation",
                1,
                "authorityDigest",
                "a1",
                "workspace",
                "clone");
        assertThat(service.send(gateway(), "PUT", "/v1/children/" + child, body, Map.of())
                        .status())
                .isEqualTo(204);
        return child;
    }

    @Test
    void aChildCannotBeGivenAnotherParentLater() {
        ChildId parent = service.newChild(
                session, "clone", List.of(Map.of("origin", "parent", "permission", Map.of("bash", "deny"))));
        ChildId child = service.newChild(session);

        Reply reply = service.send(
                gateway(),
                "PUT",
                "/v1/children/" + child,
                Map.of(
                        "tenant",
                        "default",
                        "session",
                        session.value(),
                        "parent",
                        parent.value(),
                        "incarnation",
                        2,
                        "authorityDigest",
                        "a1",
                        "workspace",
                        "clone"),
                Map.of());

        assertThat(reply.text("code")).isEqualTo("child-changed");
    }

    @Test
    void anUnreadableNarrowingIsRefused() {
        Reply reply = service.register(
                ChildId.random(new Random()),
                session,
                1,
                "clone",
                List.of(Map.of("origin", "a.md:3", "permission", Map.of("bash", "alow"))));

        assertThat(reply.status()).isEqualTo(422);
        assertThat(reply.text("code")).isEqualTo("unreadable-policy");
        assertThat(reply.text("detail")).contains("a.md:3").contains("alow");
    }

    @Test
    void theSameCallIsTheSameQuestion() {
        ChildId child = service.newChild(session);

        Reply first = service.decide(bash(session, child, "c1", "ls"));
        Reply again = service.decide(bash(session, child, "c1", "ls"));
        Reply other = service.decide(bash(session, child, "c1", "ls -a"));

        assertThat(again.body()).isEqualTo(first.body());
        assertThat(other.status()).isEqualTo(409);
        assertThat(other.text("code")).isEqualTo("call-id-conflict");
        assertThat(decisionsOf(child)).hasSize(1);
    }

    @Test
    void anApprovedCallIdIsWorthNothingForAnotherCommand() {
        ChildId child = service.newChild(session);
        try (EventReader inbox = service.inbox(person("ada"), "session=" + session, null)) {
            String ask =
                    service.decide(bash(session, child, "c1", "sh test.sh")).text("askId");
            service.answer(person("ada"), ask, "approved");

            for (Map<String, Object> changed : List.of(
                    bash(session, child, "c1", "sh test.sh; rm -rf /"),
                    tool(session, child, "c1", "bash", Map.of("command", "sh test.sh", "timeout", 5)),
                    with(bash(session, child, "c1", "sh test.sh"), "directory", "/tmp"),
                    with(bash(session, child, "c1", "sh test.sh"), "toolDefinitionDigest", "d2"))) {
                assertThat(service.decide(changed).text("code")).isEqualTo("call-id-conflict");
            }
            assertThat(service.decide(bash(session, child, "c1", "sh test.sh")).text("decision"))
                    .isEqualTo("allowed");
            assertThat(inbox.status()).isEqualTo(200);
        }
    }

    @Test
    void manyAtOnceWithOneCallIdAreOneDecision() {
        ChildId child = service.newChild(session);
        List<CompletableFuture<Reply>> calls = new ArrayList<>();
        for (int i = 0; i < 20; i++) {
            calls.add(service.later(() -> service.decide(bash(session, child, "c1", "sh test.sh"))));
        }

        assertThat(calls.stream().map(call -> call.join().text("askId")).distinct())
                .hasSize(1);
        assertThat(decisionsOf(child)).hasSize(1);
    }

    @Test
    void aChildOfAnotherSessionIsNotFound() {
        ChildId child = service.newChild(session);
        SessionId other = service.newSession("agent-2");

        assertThat(service.decide(bash(other, child, "c1", "ls")).status()).isEqualTo(404);
        assertThat(service.decide(with(bash(session, child, "c1", "ls"), "tenant", "other"))
                        .status())
                .isEqualTo(404);
        assertThat(service.decide(with(bash(session, child, "c1", "ls"), "incarnation", 2))
                        .text("code"))
                .isEqualTo("stale-incarnation");
    }

    @Test
    void refusesWhatItDoesNotKnow() {
        ChildId child = service.newChild(session);
        Map<String, Object> ls = bash(session, child, "c1", "ls");

        Reply unknown = service.decide(with(ls, "cwd", "/"));
        assertThat(unknown.status()).isEqualTo(400);
        assertThat(unknown.raw().headers().firstValue("Content-Type")).hasValue("application/problem+json");
        assertThat(unknown.text("detail")).contains("unknown field `cwd`");
        assertThat(service.decide(with(ls, "kind", "file")).text("detail"))
                .isEqualTo("kind: `file` (expected: tool or network)");
        assertThat(service.decide(with(ls, "host", "example.org")).status()).isEqualTo(400);
        assertThat(service.decide(with(ls, "tool", "network")).text("code")).isEqualTo("invalid-action");
        assertThat(service.decide(with(ls, "arguments", Map.of("command", 7))).text("code"))
                .isEqualTo("invalid-action");
        assertThat(service.decide(bash(session, child, "c1", "ls\0rm")).text("code"))
                .isEqualTo("invalid-action");
        assertThat(service.decide(with(ls, "arguments", Map.of("n", 9007199254740993L)))
                        .status())
                .isEqualTo(400);
        assertThat(service.decide(ls, "61s").status()).isEqualTo(400);
        assertThat(service.decide(ls, "25").status()).isEqualTo(400);
        assertThat(decisionsOf(child)).isEmpty();
    }

    private Map<String, Object> network(ChildId child, String call, String host, int port) {
        return Map.of(
                "tenant",
                "default",
                "session",
                session.value(),
                "child",
                child.value(),
                "incarnation",
                1,
                "callId",
                call,
                "kind",
                "network",
                "host",
                host,
                "port",
                port);
    }

    private static Map<String, Object> with(Map<String, Object> request, String field, Object value) {
        Map<String, Object> changed = new HashMap<>(request);
        changed.put(field, value);
        return changed;
    }

    private static List<String> decisionsOf(ChildId child) {
        return service.get(person("ada"), "/v1/review?child=" + child)
                .body()
                .path("entries")
                .valueStream()
                .filter(entry -> entry.has("decision"))
                .map(entry -> entry.path("decision").asString())
                .toList();
    }
}
