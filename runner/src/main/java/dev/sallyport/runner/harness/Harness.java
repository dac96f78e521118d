package dev.sallyport.runner.harness;

import java.io.IOException;
import java.util.List;

/** Who drives the turns of a child. */
public interface Harness {

    /** Names of the tools that a model would be shown now. */
    default List<String> tools() {
        return List.of();
    }

    /** Names of the extensions that are active now. */
    default List<String> extensions() {
        return List.of();
    }

    /**
     * Works on the task until its end.
     *
     * @return the child's exit code
     * @throws InterruptedException if the child was cancelled
     * @throws IOException if the door was lost
     */
    int run(Task task) throws IOException, InterruptedException;
}
