package dev.sallyport.gateway.catalogue;

import dev.sallyport.agentfile.AgentDefinition;
import dev.sallyport.agentfile.AgentRegistry;
import dev.sallyport.gateway.error.GatewayException.AgentNotFound;
import dev.sallyport.service.Caller;
import java.util.ArrayList;
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
     * @param trusted false for one of a project that the caller does not trust: it is not run, nor what it hides (P6)
     * @param shadows where definitions of the same name are written that this one hides
     */
    record AgentSummary(
            String name,
            String description,
            String source,
            String origin,
            boolean enabled,
            boolean trusted,
            List<String> shadows) {

        static AgentSummary of(AgentDefinition agent, AgentRegistry registry) {
            String origin = whereIs(agent);
            return new AgentSummary(
                    agent.name(),
                    agent.description(),
                    agent.source().name().toLowerCase(Locale.ROOT),
                    origin,
                    agent.enabled(),
                    registry.runs(agent),
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
            boolean trusted,
            @Nullable String model,
            @Nullable String thinking,
            @Nullable Double maxTurns,
            @Nullable List<String> tools,
            @Nullable List<String> disallowedTools,
            String promptMode,
            String systemPrompt,
            String digest) {

        static AgentDetails of(AgentDefinition agent, AgentRegistry registry) {
            return new AgentDetails(
                    agent.name(),
                    agent.displayName(),
                    agent.description(),
                    agent.source().name().toLowerCase(Locale.ROOT),
                    whereIs(agent),
                    agent.enabled(),
                    registry.runs(agent),
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
    AgentList list(Caller caller, @RequestParam(required = false) @Nullable String directory) {
        Snapshot snapshot = snapshot(caller, directory);
        AgentRegistry registry = snapshot.registry();
        List<String> warnings = new ArrayList<>();
        registry.warnings().forEach(warning -> warnings.add(warning.message()));
        warnings.addAll(snapshot.warnings());
        return new AgentList(
                registry.definitions().stream()
                        .filter(agent -> !agent.hidden())
                        .map(agent -> AgentSummary.of(agent, registry))
                        .toList(),
                warnings);
    }

    @GetMapping("/{name}")
    AgentDetails show(
            Caller caller, @PathVariable String name, @RequestParam(required = false) @Nullable String directory) {
        AgentRegistry registry = snapshot(caller, directory).registry();
        return registry.looseKey(name)
                .flatMap(registry::get)
                .map(agent -> AgentDetails.of(agent, registry))
                .orElseThrow(() -> new AgentNotFound(name));
    }

    private Snapshot snapshot(Caller caller, @Nullable String directory) {
        return catalogue.snapshot(
                new Trusts.User(caller.tenant(), caller.principal()),
                catalogue.directory(directory).orElse(null));
    }

    private static String whereIs(AgentDefinition agent) {
        String path = agent.path();
        return path == null ? "built in" : path;
    }
}
