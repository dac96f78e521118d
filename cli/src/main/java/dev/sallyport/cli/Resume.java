package dev.sallyport.cli;

import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

@Command(
        name = "resume",
        description = "Goes on with the conversation of a child that is over, in a new child under what holds now, and"
                + " waits for it as run does. A clone starts from the branch that the old one left.",
        footer = {
            "",
            "Examples:",
            "  sallyport resume CHILD 'now mend the second test'",
            "  sallyport resume CHILD - < task.md"
        })
final class Resume extends ChildVerb {

    @Parameters(
            index = "1",
            arity = "0..1",
            paramLabel = "PROMPT",
            description = "The task. `-` reads it from standard input, which keeps it out of the process list.")
    private @Nullable String prompt;

    @Option(names = "--prompt-file", paramLabel = "FILE", description = "A file that holds the task.")
    private @Nullable Path promptFile;

    @Option(names = "--detach", description = "Does not wait: prints the child's id.")
    private boolean detach;

    @Option(names = "--raw", description = Raw.DESCRIPTION)
    private boolean raw;

    Resume(Environment environment) {
        super(environment);
    }

    @Override
    int run() {
        String task = ChildOptions.task(environment(), prompt, promptFile);
        if (task == null) {
            throw Failure.of("usage", "nothing to do (expected: a prompt or --prompt-file)", "sallyport resume --help");
        }
        Output output = output();
        Raw text = Raw.of(raw, environment().terminal(), output);
        Connection connection = connect();
        Spawner spawner = new Spawner(connection, null);
        return detach
                ? Run.detached(spawner.resume(child(), task), output)
                : Run.attended(connection, () -> spawner.resume(child(), task), text);
    }
}
