package dev.sallyport.standalone;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;

/** Scripted children that start scripted children, each in a container of its own. */
class DelegationIT {

    @TempDir
    private static Path temporary;

    private static Installation sallyport;

    @BeforeAll
    static void start() throws IOException {
        write("agents/agents/lead.md", "---\nmodel: scripted/lead\nallowed_subagents: worker\n---\nYou lead.\n");
        write("agents/agents/boss.md", "---\nmodel: scripted/boss\nallowed_subagents: deep\n---\nYou lead.\n");
        write("agents/agents/deep.md", "---\nmodel: scripted/deep\nallowed_subagents: worker\n---\nYou lead too.\n");
        write("agents/agents/scribe.md", "---\nmemory: user\ntools: read, edit, write\n---\nYou remember.\n");
        write("scripts/remembers.yaml", """
                turns:
                  - toolCalls:
                      - name: write
                        arguments: {path: /home/agent/memory/MEMORY.md, content: "- doors.md says which way in\\n"}
                      - name: write
                        arguments: {path: /home/agent/memory/doors.md, content: "The door is blue.\\n"}
                  - text: Noted.
                """);
        write("scripts/corrects.yaml", """
                turns:
                  - toolCalls:
                      - {name: read, arguments: {path: /home/agent/memory/doors.md}}
                  - expect: "The door is blue"
                    toolCalls:
                      - name: edit
                        arguments: {path: /home/agent/memory/doors.md, edits: [{oldText: blue, newText: red}]}
                  - text: Corrected.
                """);
        write("scripts/recalls.yaml", """
                turns:
                  - toolCalls:
                      - {name: read, arguments: {path: ~/memory/doors.md}}
                  - expect: "The door is blue"
                    text: It is blue again.
                """);
        write("agents/agents/worker.md", "---\nmodel: scripted/worker\ntools: read\n---\nYou work.\n");
        write("scripts/worker.yaml", "turns:\n  - text: The answer is forty-two.\n");
        write("scripts/lead.yaml", delegating("worker", "forty-two", "My worker found it."));
        write("scripts/boss.yaml", delegating("deep", "no way down", "He could not pass it on."));
        write("scripts/deep.yaml", """
                turns:
                  - toolCalls:
                      - name: Agent
                        arguments: {subagent_type: worker, prompt: work, description: work}
                  - expect: "not available to this child"
                    toolCalls:
                      - name: bash
                        arguments:
                          command: |
                            body='{"agent":"worker","prompt":"work"}'
                            exec 3<>/dev/tcp/127.0.0.1/3128
                            printf 'POST /v1/children HTTP/1.1\\r\\nHost: door\\r\\nIdempotency-Key: k\\r\\nContent-Type: application/json\\r\\nConnection: close\\r\\nContent-Length: %d\\r\\n\\r\\n%s' ${#body} "$body" >&3
                            cat <&3
                  - expect: "delegation-not-allowed"
                    text: There is no way down.
                """);
        write("agents/agents/talker.md", "---\nmodel: scripted/talker\nallowed_subagents: heir\n---\nYou talk.\n");
        write(
                "agents/agents/heir.md",
                "---\nmodel: scripted/heir\nprompt_mode: append\ninherit_context: true\n---\nYou inherit.\n");
        write("scripts/talker.yaml", """
                turns:
                  - text: The key is under the mat.
                    toolCalls:
                      - name: Agent
                        arguments: {subagent_type: heir, prompt: Open the door., description: open}
                  - expect: "It is open."
                    text: We are in.
                """);
        write("scripts/heir.yaml", """
                turns:
                  - expect: "[Assistant]: The key is under the mat."
                    text: It is open.
                """);
        write(
                "agents/agents/hurried.md",
                "---\nmodel: scripted/hurried\nmax_turns: 2\ntools: read, write\n---\nYou hurry.\n");
        write("scripts/hurried.yaml", """
                turns:
                  - toolCalls:
                      - name: write
                        arguments: {path: /tmp/note, content: first}
                  - expect: "only the note"
                    toolCalls:
                      - name: read
                        arguments: {path: /tmp/note}
                  - expect: "[turn limit reached]"
                    text: The note says first.
                """);
        write("agents/agents/keeper.md", "---\nmodel: scripted/keeper\ntools: read, bash\n---\nYou keep notes.\n");
        write("scripts/keeper.yaml", """
                turns:
                  - text: I note it.
                    toolCalls:
                      - name: bash
                        arguments: {command: "echo the first note > note.txt"}
                  - text: Noted.
                  - expect: "now read it back"
                    text: I look.
                    toolCalls:
                      - name: read
                        arguments: {path: note.txt}
                  - expect: "the first note"
                    text: It says so still.
                """);
        write("agents/agents/chief.md", "---\nmodel: scripted/chief\nallowed_subagents: worker\n---\nYou lead.\n");
        write("scripts/chief.yaml", """
                turns:
                  - toolCalls:
                      - name: Agent
                        arguments: {subagent_type: worker, prompt: work, description: work}
                  - expect: "forty-two"
                    toolCalls:
                      - name: bash
                        arguments:
                          command: |
                            exec 3<>/dev/tcp/127.0.0.1/3128
                            printf 'GET /v1/children HTTP/1.1\\r\\nHost: door\\r\\nConnection: close\\r\\n\\r\\n' >&3
                            id=$(cat <&3 | grep -o '"id":"[a-z2-7]*"' | head -n 1 | cut -d'"' -f4)
                            body='{"prompt":"once more"}'
                            exec 4<>/dev/tcp/127.0.0.1/3128
                            printf 'POST /v1/children/%s/resume HTTP/1.1\\r\\nHost: door\\r\\nIdempotency-Key: k\\r\\nContent-Type: application/json\\r\\nConnection: close\\r\\nContent-Length: %d\\r\\n\\r\\n%s' "$id" ${#body} "$body" >&4
                            cat <&4
                  - expect: '"decision":"allowed"'
                    text: He goes on.
                """);
        write("policy.json", """
                {"permission":{"*":"ask","bash":"allow","read":"allow","delegation":"allow"}}""");
        sallyport = Installation.in(
                temporary,
                Map.of(
                        "sallyport.gateway.scripts",
                        temporary.resolve("scripts").toString(),
                        "sallyport.permissions.policy-file",
                        temporary.resolve("policy.json").toString()));
    }

    private static String delegating(String agent, String expected, String answer) {
        return """
                turns:
                  - toolCalls:
                      - name: Agent
                        arguments: {subagent_type: %s, prompt: work, description: work}
                  - expect: "%s"
                    text: %s
                """.formatted(agent, expected, answer);
    }

    private static void write(String path, String content) throws IOException {
        Path file = temporary.resolve(path);
        Files.createDirectories(file.getParent());
        Files.writeString(file, content);
    }

    @AfterAll
    static void stop() {
        sallyport.close();
    }

    @Test
    void aParentGetsTheAnswerOfItsChild() throws Exception {
        String lead = sallyport.spawn(Map.of("agent", "lead", "prompt", "Find the answer."));

        JsonNode ended = sallyport.awaitEnd(lead);

        assertThat(ended.path("state").asString()).as(sallyport.events(lead)).isEqualTo("completed");
        assertThat(output(lead)).isEqualTo("My worker found it.");
        JsonNode worker = childOf(lead);
        assertThat(worker.path("agent").asString()).isEqualTo("worker");
        assertThat(worker.path("session").asString())
                .isEqualTo(ended.path("session").asString());
        assertThat(output(worker.path("id").asString())).isEqualTo("The answer is forty-two.");
    }

    /** What issue 3 must show: at depth 2 there is neither a tool nor, for code that asks by itself, a route. */
    @Test
    void atTheLowestDepthNeitherToolNorRouteStartsAnother() throws Exception {
        String boss = sallyport.spawn(Map.of("agent", "boss", "prompt", "Pass it on."));

        assertThat(sallyport.awaitEnd(boss).path("state").asString())
                .as(sallyport.events(boss))
                .isEqualTo("completed");
        String deep = childOf(boss).path("id").asString();
        assertThat(output(deep)).isEqualTo("There is no way down.");
        assertThat(children(deep)).isEmpty();
    }

    /** P7: the whole way, in containers: what was said, stored by the gateway, and told to the next one. */
    @Test
    void aChildThatInheritsIsToldWhatItsParentSaid() throws Exception {
        String talker = sallyport.spawn(Map.of("agent", "talker", "prompt", "Get us in."));

        assertThat(sallyport.awaitEnd(talker).path("state").asString())
                .as(sallyport.events(talker))
                .isEqualTo("completed");

        assertThat(output(talker)).isEqualTo("We are in.");
        String heir = childOf(talker).path("id").asString();
        assertThat(sallyport
                        .gateway("GET", "/v1/children/" + heir + "/authority", null)
                        .body())
                .contains("parentPrompt", "parentContext")
                .doesNotContain("as the caller claims");
        assertThat(sallyport
                        .gateway("GET", "/v1/children/" + talker + "/transcript", null)
                        .body()
                        .lines())
                .hasSize(5)
                .first()
                .asString()
                .contains("Get us in.");
    }

    /** A person's word arrives between turns; at the limit there is time left to come to an end. */
    @Test
    void aChildIsSteeredAndFinishesInItsGraceTurns() throws Exception {
        String child;
        try (Approver approver = Approver.listening(sallyport)) {
            child = sallyport.spawn(Map.of("agent", "hurried", "prompt", "Take notes."));
            sallyport.awaitAsk(child);
            assertThat(sallyport
                            .gateway("POST", "/v1/children/" + child + "/steer", Map.of("message", "only the note"))
                            .status())
                    .isEqualTo(202);
            approver.approveUntilEnded(child);
        }

        assertThat(sallyport.awaitEnd(child).path("state").asString())
                .as(sallyport.events(child))
                .isEqualTo("completed");
        assertThat(output(child)).isEqualTo("The note says first.");
    }

    /** P7, R-9: told what the gateway stored, on the work that came back, once. */
    @Test
    void aChildThatIsOverGoesOnInANewSandbox() throws Exception {
        Path project = Files.createDirectories(temporary.resolve("work/notes"));
        Files.writeString(project.resolve("README"), "notes\n");
        Repository repository = new Repository(project);
        repository.git("init", "-q", "-b", "main");
        repository.commitAll();
        String first = sallyport.spawn(
                Map.of("agent", "keeper", "prompt", "Keep it.", "workspace", "clone", "directory", project.toString()));
        assertThat(sallyport.awaitEnd(first).path("state").asString())
                .as(sallyport.events(first))
                .isEqualTo("completed");

        Installation.Answer resumed =
                sallyport.gateway("POST", "/v1/children/" + first + "/resume", Map.of("prompt", "now read it back"));
        Installation.Answer again =
                sallyport.gateway("POST", "/v1/children/" + first + "/resume", Map.of("prompt", "now read it back"));

        String second = resumed.text("id");
        assertThat(resumed.status()).as(resumed.body()).isEqualTo(202);
        assertThat(again.status()).isEqualTo(409);
        assertThat(again.text("winner")).isEqualTo(second);
        assertThat(sallyport.awaitEnd(second).path("state").asString())
                .as(sallyport.events(second))
                .isEqualTo("completed");
        assertThat(output(second)).isEqualTo("It says so still.");
        assertThat(sallyport.child(second).path("base").asString())
                .isEqualTo(repository.git("rev-parse", "pi-agent-" + first));
    }

    @Test
    void aParentsOwnCodeGoesOnWithItsChildThroughTheDoor() throws Exception {
        String chief = sallyport.spawn(Map.of("agent", "chief", "prompt", "Find the answer."));

        assertThat(sallyport.awaitEnd(chief).path("state").asString())
                .as(sallyport.events(chief))
                .isEqualTo("completed");

        List<JsonNode> workers = children(chief);
        assertThat(workers).hasSize(2);
        assertThat(workers.getFirst().path("resumes").asString())
                .isEqualTo(workers.getLast().path("id").asString());
    }

    private static String played(String script) throws Exception {
        try (Approver approver = Approver.listening(sallyport)) {
            String child = sallyport.spawn(Map.of("agent", "scribe", "model", "scripted/" + script, "prompt", "Go."));
            assertThat(approver.approveUntilEnded(child).path("state").asString())
                    .as(sallyport.events(child))
                    .isEqualTo("completed");
            return child;
        }
    }

    /** P10: from one container to the next, by way of the gateway, and back to what a person wants. */
    @Test
    void anAgentRemembersWhatItsEarlierRunsLeft() throws Exception {
        String first = played("remembers");
        String second = played("corrects");
        String memory = "/v1/memories/"
                + sallyport
                        .gateway("GET", "/v1/memories", null)
                        .json()
                        .path("memories")
                        .path(0)
                        .path("id")
                        .asString();

        assertThat(sallyport.events(first)).contains("\"version\":1,\"base\":0,\"outcome\":\"kept\"");
        assertThat(sallyport.events(second)).contains("\"version\":2,\"base\":1,\"outcome\":\"kept\"");
        assertThat(sallyport.gateway("GET", memory + "/diff", null).body()).isEqualTo("""
                --- a/doors.md
                +++ b/doors.md
                @@ -1,1 +1,1 @@
                -The door is blue.
                +The door is red.
                """);
        assertThat(sallyport
                        .gateway("POST", memory + "/revert", Map.of("version", 1))
                        .status())
                .isEqualTo(403);
        assertThat(sallyport
                        .call("gateway", sallyport.personToken(), "POST", memory + "/revert", Map.of("version", 1))
                        .status())
                .isEqualTo(200);

        assertThat(output(played("recalls"))).isEqualTo("It is blue again.");
    }

    private static String output(String child) throws IOException, InterruptedException {
        return sallyport
                .gateway("GET", "/v1/children/" + child + "/result", null)
                .text("output");
    }

    private static JsonNode childOf(String parent) throws IOException, InterruptedException {
        return children(parent).getFirst();
    }

    private static List<JsonNode> children(String parent) throws IOException, InterruptedException {
        return sallyport
                .gateway("GET", "/v1/children", null)
                .json()
                .path("children")
                .valueStream()
                .filter(child -> child.path("parent").asString("").equals(parent))
                .toList();
    }
}
