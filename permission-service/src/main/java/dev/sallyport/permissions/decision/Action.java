package dev.sallyport.permissions.decision;

import dev.sallyport.containment.HostPort;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** One thing that a child wants to do. */
sealed interface Action {

    /**
     * One call of a tool.
     *
     * @param definitionDigest of the tool's definition (S26)
     * @param arguments canonical JSON
     * @param fields the same arguments, read
     * @param directory as the child claims it, absolute
     */
    record Tool(String name, @Nullable String definitionDigest, String arguments, Map<?, ?> fields, String directory)
            implements Action {}

    /** One connection to one host. */
    record Network(HostPort target) implements Action {}
}
