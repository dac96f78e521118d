package dev.sallyport.agentfile;

import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/** Where a user keeps agents, skills and settings. */
public final class AgentDirectory {

    private AgentDirectory() {}

    /**
     * The configured directory, {@code ~} at its start being the user's home.
     *
     * @param configured null or empty for {@code ~/.pi/agent}
     */
    public static Path of(@Nullable String configured, Path home) {
        if (configured == null || configured.isEmpty()) {
            return home.resolve(".pi/agent");
        }
        if (configured.equals("~")) {
            return home;
        }
        return configured.startsWith("~/") ? home.resolve(configured.substring(2)) : Path.of(configured);
    }
}
