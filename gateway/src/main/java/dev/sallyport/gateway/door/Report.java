package dev.sallyport.gateway.door;

import java.util.Locale;
import tools.jackson.databind.node.ObjectNode;

/**
 * One event as the child reports it, its fields checked against its type. Evidence of what the child said, never of what
 * it did (S4).
 *
 * @param n the child's own number, greater than 0 and increasing
 */
public record Report(long n, Type type, ObjectNode data) {

    public enum Type {
        STARTED,
        EXTENSION_TOOLS,
        WORKSPACE_READY,
        TURN,
        ASSISTANT,
        TOOL_CALL,
        TOOL_RESULT,
        OUTPUT,
        RESULT,
        ERROR;

        public String wire() {
            return name().toLowerCase(Locale.ROOT).replace('_', '-');
        }
    }
}
