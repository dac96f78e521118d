package dev.sallyport.standalone;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sallyport.testing.TestExtension;
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

/** Extensions in real children, with scripted models that call what they should not know. */
class ExtensionIT {

    @TempDir
    private static Path temporary;

    private static Installation sallyport;

    @BeforeAll
    static void start() throws IOException {
        TestExtension.withManifest(extension("tickets"), "search", "later", "+write_remote");
        TestExtension.withManifest(extension("miner"), "mine");
        // Holds up the start until the others have registered what they register late.
        Files.writeString(
                TestExtension.in(extension("slow")).resolve("extension.json"),
                "{\"command\":\"bash\",\"args\":[\"-c\",\"sleep 1; exec bash extension.sh nothing\"]}");
        write("agents/agents/first.md", """
                ---
                model: scripted/first
                tools: read, ext:tickets/search
                exclude_extensions: miner
                ---
                You look things up.
                """);
        write("scripts/first.yaml", """
                turns:
                  - toolCalls:
                      - {name: write_remote, arguments: {all: true}}
                      - {name: search, arguments: {}}
                  - expect: "search ran"
                    toolCalls:
                      - {name: read, arguments: {path: /tmp/calls}}
                  - text: Done.
                """);
        write("agents/agents/timer.md", """
                ---
                model: scripted/timer
                tools: bash, ext:tickets/later, ext:tickets/late_search
                extensions: tickets
                ---
                You wait.
                """);
        write("scripts/timer.yaml", """
                turns:
                  - toolCalls:
                      - {name: later, arguments: {tool: late_search, seconds: 1}}
                      - {name: later, arguments: {tool: late_wipe, seconds: 1}}
                  - expect: "later ran"
                    toolCalls:
                      - {name: bash, arguments: {command: sleep 4}}
                  - toolCalls:
                      - {name: late_wipe, arguments: {}}
                      - {name: late_search, arguments: {}}
                  - expect: "late_search ran"
                    toolCalls:
                      - {name: bash, arguments: {command: cat /tmp/calls}}
                  - text: Done.
                """);
        write("agents/agents/look.md", """
                ---
                model: scripted/look
                tools: bash
                extensions: tickets
                ---
                You look around.
                """);
        write("scripts/look.yaml", """
                turns:
                  - toolCalls:
                      - name: bash
                        arguments:
                          command: |
                            echo "there: $(ls /opt/sallyport/extensions | tr '\\n' ' ')"
                            touch /opt/sallyport/extensions/tickets/mark 2>&1
                            find / -path /proc -prune -o -name 'miner*' -print 2>/dev/null
                  - text: Done.
                """);
        write("policy.json", "{\"permission\":{\"*\":\"allow\"}}");
        sallyport = Installation.in(
                temporary,
                Map.of(
                        "sallyport.gateway.scripts",
                        temporary.resolve("scripts").toString(),
                        "sallyport.permissions.policy-file",
                        temporary.resolve("policy.json").toString()));
    }

    private static Path extension(String name) {
        return temporary.resolve("agents/extensions").resolve(name);
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

    private static List<JsonNode> played(String agent) throws Exception {
        String child = sallyport.spawn(Map.of("agent", agent, "prompt", "Go."));
        JsonNode ended = sallyport.awaitEnd(child);
        String events = sallyport.events(child);
        assertThat(ended.path("state").asString()).as(events).isEqualTo("completed");
        return events.lines()
                .filter(line -> line.startsWith("data:"))
                .map(line -> Installation.JSON.readTree(line.substring("data:".length())))
                .toList();
    }

    private static int indexOf(List<JsonNode> events, String type, String part) {
        for (int i = 0; i < events.size(); i++) {
            if (events.get(i).path("type").asString().equals(type)
                    && events.get(i).path("data").toString().contains(part)) {
                return i;
            }
        }
        throw new AssertionError("no %s with %s in %s".formatted(type, part, events));
    }

    private static String resultOf(List<JsonNode> events, String tool) {
        return events.get(indexOf(events, "tool-result", "\"tool\":\"%s\"".formatted(tool)))
                .path("data")
                .path("output")
                .asString();
    }

    /** The first gap that the original leaves open: registered just before the first turn, called in it. */
    @Test
    void aToolRegisteredJustBeforeTheFirstTurnIsVetoedInIt() throws Exception {
        List<JsonNode> events = played("first");

        assertThat(indexOf(events, "extension-tools", "write_remote"))
                .isBetween(indexOf(events, "extension-tools", "tickets") + 1, indexOf(events, "turn", "\"n\":1") - 1);
        assertThat(resultOf(events, "write_remote"))
                .startsWith("tool `write_remote` is not available to this child (available: read, search)");
        assertThat(events.get(indexOf(events, "decision", "write_remote"))
                        .path("data")
                        .toString())
                .contains("\"denied\"");
        assertThat(resultOf(events, "search")).isEqualTo("search ran");
        // What the extension was asked to do at all.
        assertThat(resultOf(events, "read").strip()).isEqualTo("search");
    }

    /** The second gap: tools that a timer registers between two turns. */
    @Test
    void ofToolsRegisteredByATimerBetweenTurnsOnlyTheSelectedOneRuns() throws Exception {
        List<JsonNode> events = played("timer");

        assertThat(indexOf(events, "extension-tools", "late_search"))
                .isBetween(indexOf(events, "turn", "\"n\":2") + 1, indexOf(events, "turn", "\"n\":3") - 1);
        assertThat(indexOf(events, "extension-tools", "late_wipe")).isLessThan(indexOf(events, "turn", "\"n\":3"));
        assertThat(resultOf(events, "late_wipe")).startsWith("tool `late_wipe` is not available to this child");
        assertThat(events.get(indexOf(events, "decision", "late_wipe"))
                        .path("data")
                        .toString())
                .contains("\"denied\"");
        assertThat(resultOf(events, "late_search")).isEqualTo("late_search ran");
        assertThat(events.get(indexOf(events, "tool-result", "later\\nlater"))
                        .path("data")
                        .toString())
                .contains("later\\nlater\\nlate_search")
                .doesNotContain("wipe");
    }

    @Test // P8
    void anExtensionThatIsFilteredOutIsNotInTheContainer() throws Exception {
        List<JsonNode> events = played("look");

        assertThat(resultOf(events, "bash").strip())
                .startsWith("there: tickets \n")
                .contains("Read-only file system")
                .doesNotContain("miner");
    }
}
