package dev.sallyport.gateway.sandbox.docker;

import dev.sallyport.gateway.sandbox.SandboxDriver;
import dev.sallyport.gateway.sandbox.SandboxDriverContract;
import dev.sallyport.gateway.sandbox.SandboxId;
import dev.sallyport.gateway.sandbox.SandboxSpec;
import java.io.IOException;
import org.junit.jupiter.api.AfterEach;

class DockerSandboxDriverIT extends SandboxDriverContract {

    private final TestSandboxes ours = new TestSandboxes();
    private final TestSandboxes theirs = new TestSandboxes();

    @AfterEach
    void leaveNothingBehind() throws IOException {
        ours.close();
        theirs.close();
    }

    @Override
    protected SandboxDriver driver() {
        return ours.driver;
    }

    @Override
    protected SandboxDriver foreignDriver() {
        return theirs.driver;
    }

    @Override
    protected SandboxSpec thatStays(SandboxId id) {
        return ours.spec(id, "exec sleep infinity");
    }

    @Override
    protected SandboxSpec thatExits(SandboxId id, int exitCode) {
        return ours.spec(id, "exit " + exitCode);
    }
}
