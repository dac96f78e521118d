package dev.sallyport.authority;

import dev.sallyport.agentfile.AgentRegistry;
import dev.sallyport.invocation.Settings;
import dev.sallyport.invocation.SpawnCall;
import org.jspecify.annotations.Nullable;

/** Everything that an authority is worked out from. */
public record AuthorityRequest(
        AgentRegistry registry,
        SpawnCall call,
        Settings settings,
        OperatorPolicy operator,
        @Nullable Authority parent) {}
