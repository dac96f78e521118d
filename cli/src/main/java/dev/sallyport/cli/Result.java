package dev.sallyport.cli;

import java.util.Optional;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

@Command(
        name = "result",
        description = "Shows the result of a child that has ended, and ends with the child's own code as run does.")
final class Result extends ChildVerb {

    @Option(names = "--wait", description = "Waits for the child's end.")
    private boolean wait;

    @Option(names = "--raw", description = Raw.DESCRIPTION)
    private boolean raw;

    Result(Environment environment) {
        super(environment);
    }

    @Override
    int run() {
        Output output = output();
        Raw text = Raw.of(raw, environment().terminal(), output);
        Connection connection = connect();
        Optional<Json> result = wait
                ? Optional.of(new Follower(connection, output).await(child()))
                : connection.gateway().result(child(), null);
        if (result.isEmpty()) {
            throw Failure.of(
                    "child-not-ended",
                    "child %s has not ended".formatted(child()),
                    "wait for it: sallyport result --wait " + child());
        }
        print(result.get(), text);
        return Outcome.exitCode(result.get());
    }

    /** The result to standard output, what became of the child to standard error. */
    static void print(Json result, Raw text) {
        if (text.output().json()) {
            text.output().json(result);
            return;
        }
        text.whole(result.text("output"));
        text.output().note("sallyport: " + Outcome.summary(result));
    }
}
