package dev.sallyport.runner.tool;

import java.io.IOException;
import tools.jackson.databind.JsonNode;

/** Something that a model may call by name. */
public interface Tool {

    String name();

    String description();

    /** JSON schema of the arguments, as text. */
    String parameters();

    /** Whether the door itself decides when the call is made, so that nobody has to be asked before. */
    default boolean decidedAtDoor() {
        return false;
    }

    /**
     * Reads the arguments without touching anything, so that nobody is asked about a call that cannot run.
     *
     * @throws ToolException if an argument is missing, unknown or out of range
     */
    Call prepare(JsonNode arguments) throws ToolException;

    /** One call with its arguments understood. */
    @FunctionalInterface
    interface Call {

        ToolResult run() throws ToolException, IOException, InterruptedException;
    }
}
