package dev.sallyport.cli;

import java.io.IOException;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;

/** A test against a fake installation of its own. */
abstract class WithSallyport {

    @TempDir
    Path temporary;

    FakeSallyport sallyport;

    @BeforeEach
    void start() throws IOException {
        sallyport = new FakeSallyport(temporary);
    }

    @AfterEach
    void stop() {
        sallyport.close();
    }
}
