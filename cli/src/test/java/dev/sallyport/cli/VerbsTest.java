package dev.sallyport.cli;

import static dev.sallyport.cli.FakeSallyport.CHILD;
import static dev.sallyport.cli.FakeSallyport.SESSION;
import static dev.sallyport.cli.FakeSallyport.child;
import static dev.sallyport.cli.FakeSallyport.event;
import static dev.sallyport.cli.FakeSallyport.result;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sallyport.cli.FakeSallyport.Run;
import dev.sallyport.testing.Golden;
import dev.sallyport.text.VisibleText;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What each verb that only looks or tells asks for and prints. */
class VerbsTest extends WithSallyport {

    private static final String C = "/v1/children/" + CHILD;
    private static final String M = "/v1/memories/mmmmmmmmmmmmmmmm";

    /** ESC, CSI, OSC 52, OSC 8, carriage return, BEL, DEL, C1, bidi, zero width, tag characters, no-break space. */
    private static final String HOSTILE =
            "\r\u001b[2K\u001b]52;c;cm0=\u0007\u001b]8;;http://x\u001b\\\u007f\u009b1m\u009d"
                    + "\u202eevil\u2066\u200b\ufeff\udb40\udc41\u00a0\u2028\nforged: line";

    @ParameterizedTest
    @ValueSource(
            strings = {
                "ps",
                "ps --session " + SESSION,
                "inspect " + CHILD,
                "events " + CHILD,
                "transcript " + CHILD,
                "logs " + CHILD,
                "logs -f " + CHILD,
                "result " + CHILD,
                "result --wait " + CHILD,
                "cancel " + CHILD + " --reason enough",
                "steer " + CHILD + " hurry",
                "rm " + CHILD,
                "diff " + CHILD,
                "explain --agent reviewer",
                "agents ls",
                "agents show reviewer",
                "asks ls",
                "memory ls",
                "memory show keeper",
                "memory versions keeper",
                "memory diff keeper",
                "review --child " + CHILD,
            })
    void printsForPeople(String line) throws IOException {
        answerAll(false);

        Run run = sallyport.run(line.split(" ", -1));

        Golden.assertMatches(
                VerbsTest.class,
                line.replaceAll("[^a-z]+", "-").replaceAll("-(abcdefghijklmnop|sssssssssssssss)", "") + ".txt",
                "exit " + run.exitCode() + "\n--- out\n" + run.out() + "--- err\n" + run.err());
    }

    @Test
    void jsonIsWhatTheServiceSaid() {
        answerAll(false);

        assertThat(sallyport.run("ps", "-o", "json").json())
                .isEqualTo(Json.object(
                        "children",
                        List.of(child("running").value(), child("failed").value())));
        assertThat(sallyport.run("inspect", CHILD, "-o", "json").json()).isEqualTo(child("running"));
        assertThat(sallyport.run("result", CHILD, "-o", "json").json().asMap())
                .containsAllEntriesOf(result("completed", 0).asMap())
                .containsEntry("child", CHILD);
        assertThat(sallyport.run("events", CHILD, "-o", "json").out().lines())
                .hasSize(5)
                .first()
                .isEqualTo(event(1, "gateway", "queued").write());
        assertThat(sallyport.run("diff", CHILD, "-o", "json").json().text("diff"))
                .startsWith("diff --git");
        assertThat(sallyport.run("explain", "-o", "json").json().list("fields")).hasSize(1);
    }

    @Test
    void whatWasSaidOnTheCommandLineIsSentWhole() {
        answerAll(false);

        sallyport.run("cancel", CHILD, "--reason", "enough");
        sallyport.run("steer", CHILD, "look at a/b & c");
        sallyport.run("agents", "show", "../a b?");
        sallyport.run("review", "--session", SESSION, "--child", CHILD, "--after", "7", "--limit", "3");

        assertThat(sallyport.only("POST " + C + "/cancel").json()).isEqualTo(Json.object("reason", "enough"));
        assertThat(sallyport.only("POST " + C + "/steer").json()).isEqualTo(Json.object("message", "look at a/b & c"));
        assertThat(sallyport.lines())
                .anyMatch(line -> line.startsWith("GET /v1/agents/..%2Fa%20b%3F?directory="))
                .contains("GET /v1/review?session=" + SESSION + "&child=" + CHILD + "&after=7&limit=3");
    }

    @Test
    void aChildThatHasNotEndedHasNoResult() {
        sallyport.problem(
                "GET " + C + "/result", 409, Json.object("code", "child-not-ended", "detail", "it is running"));

        Run run = sallyport.run("result", CHILD, "-o", "json");

        assertThat(run.exitCode()).isEqualTo(125);
        assertThat(run.json().text("code")).isEqualTo("child-not-ended");
    }

    @Test
    void explainOfARefusalShowsTheTableAndIs120() {
        sallyport.post(
                "/v1/authority:resolve",
                Json.object("refused", Json.object("code", "unknown-agent", "reasons", List.of("no such agent"))));
        sallyport.text(
                "POST /v1/authority:resolve", "text/plain", "FIELD VALUE\nrefused: unknown-agent: no such agent\n");

        Run run = sallyport.run("explain", "--agent", "nobody");

        assertThat(run).isEqualTo(new Run(120, "FIELD VALUE\nrefused: unknown-agent: no such agent\n", ""));
    }

    @Test
    void explainAgainstAnotherAgentShowsWhatIsDifferent() {
        sallyport.post(
                "/v1/authority:resolve",
                Json.object("fields", List.of(field("tools", "read, bash"), field("network", "none"))));

        Run same = sallyport.run("explain", "--agent", "a", "--against", "b");

        assertThat(same).isEqualTo(new Run(0, "no difference\n", ""));
        assertThat(sallyport.lines())
                .filteredOn(line -> line.equals("POST /v1/authority:resolve"))
                .hasSize(2);
    }

    private static Json field(String name, String value) {
        return Json.object(
                "field",
                name,
                "value",
                value,
                "grade",
                "runner",
                "winner",
                Json.object("layer", "default", "origin", "built in"),
                "losers",
                List.of());
    }

    @ParameterizedTest // S31, T80
    @ValueSource(
            strings = {
                "ps",
                "inspect " + CHILD,
                "events " + CHILD,
                "transcript " + CHILD,
                "logs " + CHILD,
                "result " + CHILD,
                "diff " + CHILD,
                "explain",
                "agents ls",
                "agents show reviewer",
                "asks ls",
                "memory ls",
                "memory show keeper",
                "memory versions keeper",
                "memory diff keeper",
                "review",
                "run task",
                "run -- sh"
            })
    void nothingThatAChildWroteReachesTheTerminalAsItIs(String line) {
        answerAll(true);

        for (String format : List.of("text", "json")) {
            List<String> words = new ArrayList<>(List.of(line.split(" ", -1)));
            words.addAll(1, List.of("-o", format));
            if (List.of("agents", "asks", "memory").contains(words.getFirst())) {
                words = new ArrayList<>(List.of(line.split(" ", -1)));
                words.addAll(2, List.of("-o", format));
            }
            Run run = sallyport.run(words.toArray(String[]::new));
            String all = run.out() + run.err();

            assertThat(all).isEqualTo(VisibleText.of(all));
            assertThat(all).contains(format.equals("json") ? "\\u001B" : "\\x1b");
        }
    }

    @Test // S31
    void anExplanationIsShownVisibly() {
        answerAll(true);

        Run run = sallyport.run("inspect", "--authority", CHILD);

        assertThat(run.out())
                .isEqualTo(VisibleText.of(run.out()))
                .startsWith("FIELD VALUE")
                .contains("\\x1b");
    }

    @Test // S31
    void whatAServiceRefusesWithIsShownVisibly() {
        sallyport.problem(
                "GET " + C, 404, Json.object("code", "child-not-found", "detail", "no" + HOSTILE, "remedy", HOSTILE));

        Run run = sallyport.run("inspect", CHILD);

        assertThat(run.err())
                .isEqualTo(VisibleText.of(run.err()))
                .contains("\\x1b")
                .hasLineCount(2);
    }

    @Test // S31: where nobody looks, bytes may be wanted as they are
    void rawTextGoesToAPipe() {
        answerAll(true);

        assertThat(sallyport.run("logs", "--raw", CHILD).out()).contains("\u001b[2K");
        assertThat(sallyport.run("diff", "--raw", CHILD).out()).contains("\u001b[2K");
    }

    private static Json said(String role, String text) {
        return message(role, Json.object("type", "text", "text", text));
    }

    private static Json message(String role, Json block) {
        return Json.object("role", role, "content", List.of(block.asMap()));
    }

    private void answerAll(boolean hostile) {
        String h = hostile ? HOSTILE : "";
        Json running = poisoned(child("running"), h);
        get(
                "/v1/children",
                Json.object(
                        "children",
                        List.of(running.value(), poisoned(child("failed"), h).value())));
        get("/v1/children?session=" + SESSION, Json.object("children", List.of(running.value())));
        get(C, running);
        sallyport.text("GET " + C + "/authority", "text/plain", "FIELD VALUE" + h);
        get(C + "/result", poisoned(result("completed", 0), h));
        get(C + "/result?wait=5s", poisoned(result("completed", 0), h));
        get(C + "/result?wait=30s", poisoned(result("completed", 0), h));
        Json[] events = {
            event(1, "gateway", "queued"),
            event(2, "child", "assistant", "text", "I look" + h),
            event(
                    3,
                    "child",
                    "tool-call",
                    "callId",
                    "1",
                    "tool",
                    "bash" + h,
                    "arguments",
                    Json.object("command", "ls" + h)),
            event(4, "child", "output", "stream", "stdout", "text", "line" + h + "\n"),
            event(5, "gateway", "ended" + h, "reason", "exited" + h)
        };
        sallyport.events(C + "/events?follow=false", events);
        sallyport.events(C + "/events", events);
        sallyport.post(C + "/cancel", running);
        sallyport.post(C + "/steer", running);
        sallyport.on("DELETE " + C, exchange -> FakeSallyport.send(exchange, 204, "text/plain", ""));
        sallyport.text(
                "GET " + C + "/transcript",
                "application/x-ndjson",
                Stream.of(
                                said("user", "go" + h),
                                said("assistant", "I look" + h),
                                message(
                                        "assistant",
                                        Json.object(
                                                "type",
                                                "toolCall",
                                                "name",
                                                "bash",
                                                "arguments",
                                                Json.object("command", "ls" + h))),
                                said("toolResult", "a.txt" + h).with("toolName", "bash"))
                        .map(message -> Json.object("type", message.text("role"), "message", message.asMap())
                                        .write() + "\n")
                        .collect(Collectors.joining()));
        sallyport.text("GET " + C + "/diff", "text/x-diff", "diff --git a/a.txt b/a.txt\n+new" + h + "\n");
        sallyport.on("POST /v1/authority:resolve", exchange -> {
            boolean text = exchange.getRequestHeaders().getFirst("Accept").startsWith("text/plain");
            String json =
                    Json.object("fields", List.of(Map.of("field", "model" + h))).write();
            FakeSallyport.send(
                    exchange,
                    200,
                    text ? "text/plain" : "application/json",
                    text ? "FIELD  VALUE\nmodel" + h + "\n" : json);
        });
        String here = "?directory=" + Api.path("{}", sallyport.directory.toAbsolutePath());
        Json agent = poisoned(
                Json.object(
                        "name",
                        "reviewer",
                        "source",
                        "project",
                        "enabled",
                        true,
                        "trusted",
                        false,
                        "origin",
                        "a.md",
                        "description",
                        "reviews"),
                h);
        get("/v1/agents" + here, Json.object("agents", List.of(agent.value()), "warnings", List.of("shadowed" + h)));
        get("/v1/agents/reviewer" + here, agent);
        Json memory = Json.object(
                "id",
                "mmmmmmmmmmmmmmmm",
                "agent",
                "keeper",
                "scope",
                "project" + h,
                "project",
                "/proj/p" + h,
                "owner",
                "alice",
                "version",
                2,
                "latest",
                3,
                "bytes",
                24,
                "conflicts",
                1,
                "changedAt",
                "2026-11-30T11:59:00Z");
        get("/v1/memories", Json.object("memories", List.of(memory.value())));
        get(
                M,
                Json.object(
                        "memory",
                        memory.value(),
                        "version",
                        2,
                        "files",
                        List.of(Map.of("path", "MEMORY.md" + h, "content", "- tests are in t/" + h + "\n"))));
        get(
                M + "/versions",
                Json.object(
                        "memory",
                        memory.value(),
                        "versions",
                        List.of(
                                version(3, 1, "child", CHILD + h, true),
                                version(2, 1, "child", CHILD + h, false),
                                version(1, 1, "principal", "alice" + h, false))));
        sallyport.text("GET " + M + "/diff", "text/x-diff", "--- a/MEMORY.md\n+++ b/MEMORY.md\n+new" + h + "\n");
        get(
                "/v1/asks?state=pending",
                Json.object(
                        "asks",
                        List.of(poisoned(AsksTest.ask("q", "pending"), h).value())));
        Json entry = Json.object(
                "position",
                9,
                "at",
                "2026-11-30T11:59:00Z",
                "event",
                "permission_request.allowed",
                "child",
                CHILD,
                "decision",
                "allowed" + h,
                "details",
                Json.object("value", "ls" + h));
        get("/v1/review", Json.object("entries", List.of(entry.value())));
        get("/v1/review?child=" + CHILD, Json.object("entries", List.of(entry.value())));
        sallyport.post("/v1/children", running.with("harness", hostile ? "command" : "builtin"));
    }

    private static Object version(int version, int base, String by, String who, boolean conflict) {
        return Json.object(
                        "version",
                        version,
                        "base",
                        base,
                        "at",
                        "2026-11-30T11:59:00Z",
                        by,
                        who,
                        "conflict",
                        conflict,
                        "bytes",
                        24)
                .value();
    }

    private void get(String path, Json body) {
        sallyport.get(path, body);
    }

    /** The same with every text of it prolonged, but for those that are names of a closed set. */
    private static Json poisoned(Json json, String poison) {
        Map<String, Object> fields = new LinkedHashMap<>();
        json.asMap()
                .forEach((name, value) -> fields.put(
                        name,
                        value instanceof String text
                                        && !List.of("id", "session", "createdAt", "outcome")
                                                .contains(name)
                                ? text + poison
                                : value));
        return new Json(fields);
    }
}
