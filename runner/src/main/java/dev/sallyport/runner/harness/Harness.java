package dev.sallyport.runner.harness;

import java.io.IOException;

/** Who drives the turns of a child. */
public interface Harness {

    /**
     * Works on the task until its end.
     *
     * @return the child's exit code
     * @throws InterruptedException if the child was cancelled
     * @throws IOException if the door was lost
     */
    int run(String prompt) throws IOException, InterruptedException;
}
