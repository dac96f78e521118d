package dev.sallyport.agentfile;

import dev.sallyport.containment.CredentialScope;
import dev.sallyport.containment.Harness;
import dev.sallyport.containment.Limits;
import dev.sallyport.containment.NetworkPolicy;
import dev.sallyport.containment.RuntimeClass;
import dev.sallyport.containment.WorkspaceAccess;
import org.jspecify.annotations.Nullable;

/** The {@code sandbox:} block of an agent file; a null says nothing. */
public record SandboxBlock(
        @Nullable WorkspaceAccess workspace,
        @Nullable NetworkPolicy network,
        @Nullable CredentialScope credentials,
        Limits.Partial limits,
        @Nullable RuntimeClass runtime,
        @Nullable Harness harness) {

    public static final SandboxBlock EMPTY = new SandboxBlock(null, null, null, Limits.Partial.NOTHING, null, null);
}
