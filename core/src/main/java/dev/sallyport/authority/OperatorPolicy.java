package dev.sallyport.authority;

import dev.sallyport.containment.CredentialScope;
import dev.sallyport.containment.Limits;
import dev.sallyport.containment.NetworkPolicy;
import dev.sallyport.containment.RuntimeClass;
import dev.sallyport.model.Model;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The most that an operator lets any child have. Which directories may be worked on, and how, is checked where directories
 * are known.
 *
 * @param hosts null for any public host
 * @param runtimes the first is the default; never empty
 * @param acceptUnenforced whether a harness may run an agent whose limits it cannot enforce (P1)
 * @param models null for any that is asked for
 */
public record OperatorPolicy(
        Limits maxLimits,
        @Nullable NetworkPolicy hosts,
        CredentialScope credentials,
        List<RuntimeClass> runtimes,
        boolean acceptUnenforced,
        @Nullable Model defaultModel,
        @Nullable List<Model> models) {

    public OperatorPolicy {
        runtimes = List.copyOf(runtimes);
        models = models == null ? null : List.copyOf(models);
        if (runtimes.isEmpty()) {
            throw new IllegalArgumentException("runtimes: none (expected: at least one)");
        }
    }
}
