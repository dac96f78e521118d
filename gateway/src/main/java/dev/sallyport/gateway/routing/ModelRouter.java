package dev.sallyport.gateway.routing;

import dev.sallyport.identity.Tenant;
import dev.sallyport.model.Model;
import dev.sallyport.model.ModelRouting;
import java.util.List;

/** Chooses a child's model, or leaves that to the agent file and the caller. */
public sealed interface ModelRouter permits StaticRouter, SelectorRouter {

    /**
     * What can be said before anybody is asked.
     *
     * @param task whether the child has one in words: without that nobody can choose a model for it
     */
    ModelRouting before(boolean task);

    /**
     * Asks for one of the models; called only after {@link #before} answered that somebody must be asked.
     *
     * @param task the new instruction and nothing that was said before it
     * @param eligible not empty
     */
    Selection choose(Tenant tenant, String task, List<Model> eligible, Constraints constraints);
}
