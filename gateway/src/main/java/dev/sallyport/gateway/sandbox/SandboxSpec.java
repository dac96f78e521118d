package dev.sallyport.gateway.sandbox;

import dev.sallyport.containment.Limits;
import dev.sallyport.containment.RuntimeClass;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * What to run. There is deliberately no field for privileges, environment, command, working directory or networking: a
 * caller that cannot express them cannot be tricked into asking for them (S12). What is to be done is not here either: the
 * child fetches it at its door (P3).
 *
 * @param doorDirectory on the host, absolute; becomes {@code /run/sallyport} in the sandbox, read-only (S9)
 * @param extensions on the host, absolute; becomes {@value #EXTENSIONS} in the sandbox, read-only; null for none (P8)
 */
public record SandboxSpec(
        SandboxId id,
        ImageId image,
        SandboxUser user,
        Path doorDirectory,
        @Nullable Path extensions,
        WorkspaceMount workspace,
        Limits limits,
        RuntimeClass runtime) {

    public static final String EXTENSIONS = "/opt/sallyport/extensions";

    public SandboxSpec {
        if (extensions != null && !extensions.isAbsolute()) {
            throw new IllegalArgumentException("extensions: `%s` (expected: absolute)".formatted(extensions));
        }
        if (!doorDirectory.isAbsolute()) {
            throw new IllegalArgumentException("doorDirectory: `%s` (expected: absolute)".formatted(doorDirectory));
        }
    }

    /** Without extensions. */
    public SandboxSpec(
            SandboxId id,
            ImageId image,
            SandboxUser user,
            Path doorDirectory,
            WorkspaceMount workspace,
            Limits limits,
            RuntimeClass runtime) {
        this(id, image, user, doorDirectory, null, workspace, limits, runtime);
    }
}
