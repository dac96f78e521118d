package dev.sallyport.gateway.sandbox.docker;

import com.github.dockerjava.api.command.BuildImageResultCallback;
import dev.sallyport.gateway.sandbox.ImageId;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** An image whose runner is a shell that runs the script `program` in its door directory, so that each test brings its own attack. */
final class TestImage {

    private static final String DOCKERFILE = """
            FROM sallyport/base:dev
            COPY runner /opt/sallyport/bin/runner
            """;

    private static final String RUNNER = """
            #!/bin/sh
            exec /bin/bash /run/sallyport/program
            """;

    private TestImage() {}

    static ImageId build(DockerEngine engine) {
        return build(engine, "");
    }

    /** Cheap after the first time: the engine keeps the layers. */
    static ImageId build(DockerEngine engine, String instruction) {
        try {
            Path context = Files.createTempDirectory("sallyport-test-image");
            Files.writeString(context.resolve("Dockerfile"), DOCKERFILE + instruction);
            Path runner = Files.writeString(context.resolve("runner"), RUNNER);
            if (!runner.toFile().setExecutable(true, false)) {
                throw new IOException("cannot make " + runner + " executable");
            }
            String id = engine.client()
                    .buildImageCmd(context.toFile())
                    .exec(new BuildImageResultCallback())
                    .awaitImageId();
            ImageId image =
                    new ImageId(engine.client().inspectImageCmd(id).exec().getId());
            Files.delete(runner);
            Files.delete(context.resolve("Dockerfile"));
            Files.delete(context);
            return image;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
