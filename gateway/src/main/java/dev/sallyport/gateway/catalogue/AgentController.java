package dev.sallyport.gateway.catalogue;

import dev.sallyport.agentfile.AgentDefinition;
import dev.sallyport.agentfile.AgentRegistry;
import dev.sallyport.gateway.error.GatewayException.AgentNotFound;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;
import org.springframework.security.access.prepost.PreAuthorize;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;

@RestController
@RequestMapping("/v1/agents")
@PreAuthorize("hasRole('OBSERVE')")
class AgentController {

    private final Catalogue catalogue;

    AgentController(Catalogue catalogue) {
        this.catalogue = catalogue;
    }

    record AgentList(List<AgentSummary> agents, List<String> warnings) {}

    /**
     * @param source `embedded`, `global` or `project`
     * @param origin path of its file, or `built in`
     * @param shadows where definitions of the same name are written that this one hides
     */
    record AgentSummary(
            String name, String description, String source, String origin, boolean enabled, List<String> shadows) {

        static AgentSummary of(AgentDefinition agent, AgentRegistry registry) {
            String origin = whereIs(agent);
            return new AgentSummary(
                    agent.name(),
                    agent.description(),
                    agent.source().name().toLowerCase(Locale.ROOT),
                    origin,
                    agent.enabled(),
                    registry.shadowed().stream()
                            .filter(hidden -> hidden.name().equals(agent.name()))
                            .map(AgentRegistry.Shadowed::path)
                            .toList());
        }
    }

    /** @param tools null for all that are built in */
    record AgentDetails(
            String name,
            @Nullable String displayName,
            String description,
            String source,
            String origin,
            boolean enabled,
            @Nullable String model,
            @Nullable String thinking,
            @Nullable Double maxTurns,
            @Nullable List<String> tools,
            @Nullable List<String> disallowedTools,
            String promptMode,
            String systemPrompt,
            String digest) {

        static AgentDetails of(AgentDefinition agent) {
            return new AgentDetails(
                    agent.name(),
                    agent.displayName(),
                    agent.description(),
                    agent.source().name().toLowerCase(Locale.ROOT),
                    whereIs(agent),
                    agent.enabled(),
                    agent.model(),
                    agent.thinking(),
                    agent.maxTurns(),
                    agent.tools(),
                    agent.disallowedTools(),
                    agent.promptMode().wire(),
                    agent.systemPrompt(),
                    agent.digest());
        }
    }

    @GetMapping
    AgentList list(@RequestParam(required = false) @Nullable String directory) {
        AgentRegistry registry = registry(directory);
        return new AgentList(
                registry.definitions().stream()
                        .filter(agent -> !agent.hidden())
                        .map(agent -> AgentSummary.of(agent, registry))
                        .toList(),
                registry.warnings().stream().map(warning -> warning.message()).toList());
    }

    @GetMapping("/{name}")
    AgentDetails show(@PathVariable String name, @RequestParam(required = false) @Nullable String directory) {
        AgentRegistry registry = registry(directory);
        return registry.looseKey(name)
                .flatMap(registry::get)
                .map(AgentDetails::of)
                .orElseThrow(() -> new AgentNotFound(name));
    }

    private AgentRegistry registry(@Nullable String directory) {
        return catalogue.registry(catalogue.directory(directory).orElse(null));
    }

    private static String whereIs(AgentDefinition agent) {
        String path = agent.path();
        return path == null ? "built in" : path;
    }
}
