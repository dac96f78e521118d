package dev.sallyport.agentfile;

import dev.sallyport.text.ShellWord;
import java.nio.file.Path;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * Whether a person lets the files of a project do more than narrow (P6). Nobody does until they say so.
 *
 * @param project null where there is none
 */
public record ProjectTrust(@Nullable Path project, State state) {

    static final ProjectTrust NONE = new ProjectTrust(null, State.UNTRUSTED);

    /** What a person said, and whether it is still about these files. */
    public enum State {
        UNTRUSTED,
        /** Other files were trusted; what these say nobody has seen. */
        CHANGED,
        TRUSTED;

        /** {@code untrusted}, {@code changed} or {@code trusted}. */
        public String wire() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    public boolean granted() {
        return state == State.TRUSTED;
    }

    /** For people, while it is not granted. */
    public String reason() {
        String name = project == null ? "its project" : "project `%s`".formatted(project);
        return state == State.CHANGED ? name + " was changed since it was trusted" : name + " is not trusted";
    }

    /** What is said of a file that does not count for this reason. */
    public String notHonoured() {
        return "not honoured, %s (run `%s`)".formatted(reason(), remedy());
    }

    /** The command that a person runs to look at the files and trust them. */
    public String remedy() {
        return project == null ? "sallyport trust" : "sallyport trust " + ShellWord.of(project.toString());
    }
}
