package dev.sallyport.memory;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sallyport.agentfile.AgentDefinition;
import dev.sallyport.agentfile.AgentDefinition.Source;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class MemoryGrantTest {

    private static AgentDefinition agent(Source source, String memory) {
        return AgentDefinition.named("keeper")
                .readFrom(source, "/keeper.md", "digest", Map.of())
                .memory(memory)
                .build();
    }

    private static String shown(AgentDefinition agent, boolean hasProject, List<String> tools, List<String> denied) {
        return MemoryGrant.of(agent, hasProject, tools, denied)
                .map(MemoryGrant::shown)
                .orElse("none");
    }

    @ParameterizedTest
    @CsvSource({
        "user, true, 'user, read-write'",
        "user, false, 'user, read-write'",
        "project, true, 'project, read-write'",
        "project, false, none",
        "local, true, 'local, read-write'",
        "local, false, none"
    })
    void isWhatTheAgentFileSaysWhereThereIsSuchAThing(String memory, boolean hasProject, String shown) {
        assertThat(shown(agent(Source.GLOBAL, memory), hasProject, List.of("write"), List.of()))
                .isEqualTo(shown);
    }

    @Test
    void whoeverSaysNothingHasNone() {
        assertThat(shown(AgentDefinition.named("a").build(), true, List.of("write"), List.of()))
                .isEqualTo("none");
    }

    /** A repository that calls its agent like one of the user's does not get to know what that one does. */
    @Test
    void aProjectsAgentRemembersNothingOfOtherProjects() {
        assertThat(shown(agent(Source.PROJECT, "user"), true, List.of("edit"), List.of()))
                .isEqualTo("user (of this project only), read-write");
    }

    @Test
    void whoeverMayWriteNothingMayNotWriteItEither() {
        AgentDefinition agent = agent(Source.GLOBAL, "user");

        assertThat(shown(agent, true, List.of("read", "bash"), List.of())).isEqualTo("user, read-only");
        assertThat(shown(agent, true, List.of("read", "write"), List.of("write")))
                .isEqualTo("user, read-only");
    }
}
