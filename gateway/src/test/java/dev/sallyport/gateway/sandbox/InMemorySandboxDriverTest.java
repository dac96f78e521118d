package dev.sallyport.gateway.sandbox;

import dev.sallyport.containment.RuntimeClass;
import java.nio.file.Path;

class InMemorySandboxDriverTest extends SandboxDriverContract {

    private final InMemorySandboxDriver.Engine engine = new InMemorySandboxDriver.Engine();
    private final InMemorySandboxDriver driver = new InMemorySandboxDriver(engine, "one");
    private final InMemorySandboxDriver foreign = new InMemorySandboxDriver(engine, "two");

    @Override
    protected SandboxDriver driver() {
        return driver;
    }

    @Override
    protected SandboxDriver foreignDriver() {
        return foreign;
    }

    @Override
    protected SandboxSpec thatStays(SandboxId id) {
        return new SandboxSpec(
                id,
                InMemorySandboxDriver.IMAGE,
                new SandboxUser(20_000, 20_000),
                Path.of("/run/sallyport/one/" + id.child()),
                new WorkspaceMount.None(),
                LIMITS,
                RuntimeClass.RUNC);
    }

    @Override
    protected SandboxSpec thatExits(SandboxId id, int exitCode) {
        driver.exit(id, exitCode);
        return thatStays(id);
    }
}
