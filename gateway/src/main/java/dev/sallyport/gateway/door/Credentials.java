package dev.sallyport.gateway.door;

import dev.sallyport.identity.Tenant;
import java.util.Optional;

/** Real keys by name, per tenant (S29). They leave the gateway towards their provider only. */
public interface Credentials {

    Optional<String> secret(Tenant tenant, String name);
}
