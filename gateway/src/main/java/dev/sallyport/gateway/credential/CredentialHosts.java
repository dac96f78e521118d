package dev.sallyport.gateway.credential;

import dev.sallyport.gateway.door.Provider;
import java.util.Collection;
import java.util.List;

/** Which hosts a credential is sent to: those of the providers that use it, and no other. */
public final class CredentialHosts {

    private final List<Provider> providers;

    public CredentialHosts(Collection<Provider> providers) {
        this.providers = List.copyOf(providers);
    }

    List<String> of(String credential) {
        return providers.stream()
                .filter(provider -> provider.credential().equals(credential))
                .map(provider -> provider.baseUrl().getHost())
                .distinct()
                .sorted()
                .toList();
    }
}
