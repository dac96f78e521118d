package dev.sallyport.runner.extension;

import dev.sallyport.runner.door.Assignment;
import dev.sallyport.runner.door.Outbox;
import dev.sallyport.runner.tool.OutputLimit;
import dev.sallyport.runner.tool.Tool;
import dev.sallyport.toolscope.Extension;
import dev.sallyport.toolscope.ToolScope;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The extensions of this child: programs beside us that speak MCP. They are started before the task is known and listened to
 * until the end, since what they offer may change at any time. What of it may be shown and called is the scope's to say.
 */
public final class ExtensionHost {

    /** For all together; the gateway waits longer. */
    private static final Duration START = Duration.ofSeconds(20);

    private final ToolScope scope;
    private final Map<Extension, Provider> providers = new HashMap<>();
    private final List<String> active = new ArrayList<>();

    private ExtensionHost(ToolScope scope) {
        this.scope = scope;
    }

    /**
     * Starts all that are assigned and loads those that answer, in the order in which they are assigned. One that does not is
     * not active; whether that matters is the gateway's to say.
     *
     * @param environment of every program in this child
     */
    public static ExtensionHost start(Assignment assignment, Outbox outbox, Map<String, String> environment)
            throws InterruptedException {
        ExtensionHost host = new ExtensionHost(new ToolScope(assignment.rules()));
        Map<String, String> surroundings = new HashMap<>(environment);
        surroundings.put("SALLYPORT_WORKSPACE", assignment.workspace().directory());
        OutputLimit limit = new OutputLimit(assignment.outputLimit());
        List<Provider> starting = new ArrayList<>();
        for (Assignment.Provider one : assignment.providers()) {
            starting.add(Provider.start(one, surroundings, limit, assignment.toolTimeout(), outbox, host.scope));
        }
        long until = System.nanoTime() + START.toNanos();
        for (Provider provider : starting) {
            if (provider.load(Duration.ofNanos(Math.max(0, until - System.nanoTime())))) {
                host.providers.put(provider.extension(), provider);
                host.active.add(provider.name());
            }
        }
        return host;
    }

    public ToolScope scope() {
        return scope;
    }

    /** Names of the extensions that were there at the start. */
    public List<String> active() {
        return List.copyOf(active);
    }

    /** A tool that an extension registered, in scope or not. */
    public Optional<Tool> tool(String name) {
        return scope.provider(name)
                .flatMap(extension -> Optional.ofNullable(providers.get(extension)))
                .flatMap(provider -> provider.tool(name));
    }
}
