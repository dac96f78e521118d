package dev.sallyport.cli;

import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

@Command(name = "diff", description = "Shows what a child changed in its clone.")
final class Diff extends ChildVerb {

    @Option(names = "--raw", description = Raw.DESCRIPTION + " A patch for git must be raw.")
    private boolean raw;

    Diff(Environment environment) {
        super(environment);
    }

    @Override
    int run() {
        Output output = output();
        Raw text = Raw.of(raw, environment().terminal(), output);
        String diff = connect().gateway().getText(path("/diff"), "text/x-diff");
        if (output.json()) {
            output.json(Json.object("child", child().value(), "diff", diff));
        } else {
            text.whole(diff);
        }
        return ExitCode.OK;
    }
}
