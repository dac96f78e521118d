package dev.sallyport.gateway.routing;

import dev.sallyport.identity.Tenant;
import dev.sallyport.model.Model;
import dev.sallyport.model.ModelRouting;
import java.util.List;

/** Agent file, caller and default decide; nobody is asked. */
public record StaticRouter() implements ModelRouter {

    @Override
    public ModelRouting before(boolean task) {
        return new ModelRouting.Static();
    }

    @Override
    public Selection choose(Tenant tenant, String task, List<Model> eligible, Constraints constraints) {
        throw new IllegalStateException("there is nobody to ask for a model");
    }
}
