package dev.sallyport.runner.door;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sallyport.model.Thinking;
import dev.sallyport.testing.Golden;
import dev.sallyport.toolscope.ExtensionFilter;
import dev.sallyport.toolscope.Selectors;
import dev.sallyport.toolscope.ToolRules;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.node.ObjectNode;

class AssignmentTest {

    @Test
    void readsWhatTheGatewayWrites() throws IOException {
        assertThat(Assignment.of(Json.read(Golden.message("door-assignment.json"))))
                .isEqualTo(new Assignment(
                        "abcdefghijklmnop",
                        "0d9f3f0e-6a41-4d0a-9f53-1f0f5a1f7f11",
                        Assignment.Harness.BUILTIN,
                        Optional.of(new Assignment.Model(
                                "anthropic", "claude-sonnet-4-5", Assignment.Model.Shape.MESSAGES, Thinking.HIGH)),
                        List.of("read", "bash"),
                        ToolRules.granted(
                                List.of("read", "bash"),
                                List.of("bash"),
                                new ToolRules.Rights(
                                        new ExtensionFilter(true, false, Set.of("tickets"), List.of(), Set.of()),
                                        Selectors.parse(List.of("ext:tickets/search"))),
                                Set.of(ToolRules.Quirk.SHARED_TOOL_NAMES)),
                        List.of(new Assignment.Provider(
                                "tickets", "/opt/sallyport/extensions/tickets", List.of("perl", "server.pl"))),
                        "You review code.",
                        20.0,
                        5,
                        new Assignment.Workspace(
                                "/workspace",
                                Optional.of(new Assignment.Branch(
                                        "pi-agent-abcdefghijklmnop", "0123456789abcdef0123456789abcdef01234567"))),
                        Optional.of(new Assignment.Memory("/home/agent/memory", true)),
                        List.of(),
                        Duration.ofMinutes(2),
                        51200));
    }

    private static ObjectNode assignment() throws IOException {
        return (ObjectNode) Json.read(Golden.message("door-assignment.json"));
    }

    @ParameterizedTest // P14
    @CsvSource(delimiter = '|', textBlock = """
            /harness            | pi        | assignment with harness `pi`
            /harness            | BUILTIN   | assignment with harness `BUILTIN`
            /model/shape        | responses | assignment with shape `responses`
            /toolTimeout        | soon      | assignment with toolTimeout `soon`
            /child              |           | assignment without child
            /nonce              |           | assignment without nonce
            /harness            |           | assignment without harness
            /model/provider     |           | assignment without provider
            /model/id           |           | assignment without id
            /workspace/mode     |           | assignment without mode
            /workspace/directory |          | assignment without directory
            /workspace/branch   |           | assignment without branch
            /workspace/base     |           | assignment without base
            """)
    void refusesWhatItDoesNotUnderstand(String pointer, @Nullable String value, String message) throws IOException {
        ObjectNode assignment = assignment();
        int last = pointer.lastIndexOf('/');
        ObjectNode parent = (ObjectNode) assignment.at(pointer.substring(0, last));
        String field = pointer.substring(last + 1);

        if (value == null) {
            // Neither is nothing a text, nor is a number one.
            parent.put(field, 7);
            assertThatThrownBy(() -> Assignment.of(assignment)).hasMessage(message);
            parent.remove(field);
        } else {
            parent.put(field, value);
        }

        assertThatThrownBy(() -> Assignment.of(assignment))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage(message);
    }

    @Test
    void onlyACloneHasABranchOfItsOwn() throws IOException {
        ObjectNode assignment = assignment();
        ((ObjectNode) assignment.path("workspace")).put("mode", "read-only");

        assertThat(Assignment.of(assignment).workspace())
                .isEqualTo(new Assignment.Workspace("/workspace", Optional.empty()));
    }

    @Test
    void loadsAllExtensionsButThoseThatAreExcludedOrNone() throws IOException {
        ObjectNode assignment = assignment();
        assignment.putArray("deniedTools");
        assignment.set(
                "extensions", Json.read("{\"all\":true,\"names\":[],\"excluded\":[\"miner\"],\"selectors\":null}"));

        assertThat(Assignment.of(assignment).rules())
                .isEqualTo(rules(new ExtensionFilter(true, true, Set.of(), List.of(), Set.of("miner"))));

        assignment.set("extensions", Json.read("{\"all\":false,\"names\":[],\"selectors\":null}"));

        assertThat(Assignment.of(assignment).rules())
                .isEqualTo(rules(new ExtensionFilter(false, false, Set.of(), List.of(), Set.of())));
    }

    private static ToolRules rules(ExtensionFilter filter) {
        return ToolRules.granted(
                List.of("read", "bash"), List.of(), new ToolRules.Rights(filter, Selectors.NONE), Set.of());
    }

    @Test
    void refusesAQuirkThatItDoesNotKnow() throws IOException {
        ObjectNode newer = (ObjectNode) Json.read(Golden.message("door-assignment.json"));
        newer.withObject("extensions").withArray("quirks").add("everything");

        assertThatThrownBy(() -> Assignment.of(newer)).hasMessage("quirk `everything` is unknown");
    }

    @Test // P14
    void refusesAVersionThatItDoesNotKnow() throws IOException {
        ObjectNode newer = (ObjectNode) Json.read(Golden.message("door-assignment.json"));
        newer.put("version", 99);

        assertThatThrownBy(() -> Assignment.of(newer)).isInstanceOf(IllegalArgumentException.class);
    }

    @ParameterizedTest // fail closed: without selectors everything would be selected
    @ValueSource(strings = {"selectors", ""})
    void refusesToGuessWhatOfExtensionsCounts(String lost) throws IOException {
        ObjectNode assignment = (ObjectNode) Json.read(Golden.message("door-assignment.json"));
        if (lost.isEmpty()) {
            assignment.remove("extensions");
        } else {
            ((ObjectNode) assignment.path("extensions")).remove(lost);
        }

        assertThatThrownBy(() -> Assignment.of(assignment)).hasMessage("assignment without extensions");
    }

    @Test
    void refusesTheBuiltinHarnessWithoutAModel() throws IOException {
        ObjectNode assignment = (ObjectNode) Json.read(Golden.message("door-assignment.json"));
        assignment.remove("model");

        assertThatThrownBy(() -> Assignment.of(assignment)).hasMessage("assignment without a model");
    }

    @Test
    void refusesACommandHarnessWithoutACommand() throws IOException {
        ObjectNode assignment = (ObjectNode) Json.read(Golden.message("door-assignment.json"));
        assignment.put("harness", "command");

        assertThatThrownBy(() -> Assignment.of(assignment)).hasMessage("assignment without a command");
    }
}
