package dev.sallyport.containment;

/** Everything the kernel and the door hold a child to. */
public record Containment(
        WorkspaceAccess workspace,
        NetworkPolicy network,
        CredentialScope credentials,
        Limits limits,
        RuntimeClass runtime) {

    /** Whether nothing here goes beyond {@code ceiling}. */
    public boolean atMost(Containment ceiling) {
        return workspace.atMost(ceiling.workspace)
                && network.atMost(ceiling.network)
                && credentials.atMost(ceiling.credentials)
                && limits.atMost(ceiling.limits)
                && runtime.atLeastAsStrictAs(ceiling.runtime);
    }
}
