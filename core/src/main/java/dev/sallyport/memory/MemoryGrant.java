package dev.sallyport.memory;

import dev.sallyport.agentfile.AgentDefinition;
import java.util.Collection;
import java.util.Optional;

/**
 * What an agent has of a memory.
 *
 * @param ofProject whether another project has another one
 */
public record MemoryGrant(MemoryScope scope, boolean ofProject, MemoryAccess access) {

    /**
     * Empty if the agent file asks for none, or for one of a project where there is none. A project's own agent has no memory
     * beyond it: any repository may call its agent as one of the user's is called, and would read what that one knows.
     *
     * @param tools that the agent has in the end
     */
    public static Optional<MemoryGrant> of(
            AgentDefinition definition, boolean hasProject, Collection<String> tools, Collection<String> denied) {
        String word = definition.memory();
        if (word == null) {
            return Optional.empty();
        }
        MemoryScope scope = MemoryScope.parse(word);
        boolean ofProject = scope != MemoryScope.USER || definition.source() == AgentDefinition.Source.PROJECT;
        return ofProject && !hasProject
                ? Optional.empty()
                : Optional.of(new MemoryGrant(scope, ofProject, MemoryAccess.of(tools, denied)));
    }

    /** As people read it. */
    public String shown() {
        return "%s%s, %s"
                .formatted(
                        scope.wire(),
                        ofProject && scope == MemoryScope.USER ? " (of this project only)" : "",
                        access.wire());
    }
}
