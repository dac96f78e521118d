package dev.sallyport.authority;

import dev.sallyport.agentfile.AgentRegistry;
import dev.sallyport.invocation.Settings;
import dev.sallyport.invocation.SpawnCall;
import dev.sallyport.model.Models;
import org.jspecify.annotations.Nullable;

/** Everything that an authority is worked out from. */
public record AuthorityRequest(
        AgentRegistry registry,
        SpawnCall call,
        Settings settings,
        OperatorPolicy operator,
        @Nullable Authority parent,
        Models models) {

    /** A request where neither scope nor selector has a say in the model. */
    public AuthorityRequest(
            AgentRegistry registry,
            SpawnCall call,
            Settings settings,
            OperatorPolicy operator,
            @Nullable Authority parent) {
        this(registry, call, settings, operator, parent, Models.ANY);
    }
}
