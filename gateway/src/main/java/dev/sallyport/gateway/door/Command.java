package dev.sallyport.gateway.door;

import java.util.Locale;
import tools.jackson.databind.node.ObjectNode;

/**
 * One message from the gateway to the child.
 *
 * @param id increasing within one incarnation, from 1; the child resumes after the last id that it has seen
 */
public record Command(long id, Type type, ObjectNode data) {

    public enum Type {
        ASSIGNMENT,
        TASK,
        STEER,
        CANCEL,
        SCOPE;

        public String wire() {
            return name().toLowerCase(Locale.ROOT);
        }
    }
}
