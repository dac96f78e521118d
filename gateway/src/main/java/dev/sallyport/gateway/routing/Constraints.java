package dev.sallyport.gateway.routing;

import com.fasterxml.jackson.annotation.JsonInclude;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * What a model must be able to do for a child.
 *
 * @param thinking a level that has a name; null for none in particular
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
public record Constraints(@Nullable String thinking) {

    private static final Set<String> LEVELS = Set.of("off", "minimal", "low", "medium", "high", "xhigh", "max");

    public Constraints {
        // An agent file may say anything here, and a selector is told no text of a repository.
        thinking = thinking != null && LEVELS.contains(thinking) ? thinking : null;
    }
}
