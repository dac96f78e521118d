package dev.sallyport.gateway.memory;

import dev.sallyport.identity.Tenant;
import dev.sallyport.memory.MemoryScope;
import org.jspecify.annotations.Nullable;

/**
 * Whose memory it is. INVARIANT: made of what the gateway knows of a child, of nothing that a child says.
 *
 * @param owner of the child's session
 * @param project directory of the host; null for one of all projects
 */
public record MemoryKey(
        Tenant tenant,
        String owner,
        MemoryScope scope,
        @Nullable String project,
        String agent) {}
