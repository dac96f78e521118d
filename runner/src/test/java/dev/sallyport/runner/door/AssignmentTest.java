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
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
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
                                        Selectors.parse(List.of("ext:tickets/search")))),
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
