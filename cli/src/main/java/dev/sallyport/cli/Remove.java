package dev.sallyport.cli;

import picocli.CommandLine.Command;

@Command(name = "rm", description = "Forgets a child that has ended: its record and its events. Its branch stays.")
final class Remove extends ChildVerb {

    Remove(Environment environment) {
        super(environment);
    }

    @Override
    int run() {
        connect().gateway().delete(path(""));
        output().done("removed child " + child(), Json.object("child", child().value(), "removed", true));
        return ExitCode.OK;
    }
}
