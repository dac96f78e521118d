package dev.sallyport.cli;

import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

@Command(name = "cancel", description = "Ends a child.")
final class Cancel extends ChildVerb {

    @Option(names = "--reason", paramLabel = "TEXT", description = "Why; it stands in the child's record.")
    private @Nullable String reason;

    Cancel(Environment environment) {
        super(environment);
    }

    @Override
    int run() {
        Json told = connect().gateway().post(path("/cancel"), Json.object("reason", reason));
        output().done("cancelling child " + child(), told);
        return ExitCode.OK;
    }
}
