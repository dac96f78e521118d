package dev.sallyport.gateway.child;

import dev.sallyport.authority.OperatorPolicy;
import dev.sallyport.gateway.door.ModelShape;
import dev.sallyport.invocation.Settings;
import java.util.Map;

/**
 * What this installation lets children be.
 *
 * @param shapes how each provider of models is spoken to, by its name
 */
public record SpawnPolicy(OperatorPolicy operator, Settings settings, Map<String, ModelShape> shapes) {

    public SpawnPolicy {
        shapes = Map.copyOf(shapes);
    }
}
