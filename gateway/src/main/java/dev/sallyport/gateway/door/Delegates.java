package dev.sallyport.gateway.door;

import dev.sallyport.identity.CallId;
import dev.sallyport.identity.ChildId;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * A child's own children. Whose child one becomes is what the gateway knows of the one behind this door; a child that is
 * not its own is not there.
 *
 * <p>Every method may throw {@link DoorProblem}.
 */
public interface Delegates {

    /**
     * Starts a child once its permission is there; waits for people at most that long.
     *
     * @param request fields of a spawn, already of the right types
     * @param call the same again finds the same child
     * @return {@code decision}, and {@code child} if that is {@code allowed}
     */
    ObjectNode spawn(ObjectNode request, CallId call, Duration wait) throws InterruptedException;

    /** The same for a child that goes on where one of its own stopped. */
    ObjectNode resume(ChildId child, ObjectNode request, CallId call, Duration wait) throws InterruptedException;

    ObjectNode list();

    JsonNode show(ChildId child);

    /** What came of it; waits for its end at most that long. */
    JsonNode result(ChildId child, Duration wait) throws InterruptedException;

    JsonNode cancel(ChildId child, @Nullable String reason);

    JsonNode steer(ChildId child, String message);
}
