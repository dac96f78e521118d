package dev.sallyport.cli;

import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

@Command(name = "logs", description = "Shows what a child wrote: its output and what it said.")
final class Logs extends ChildVerb {

    @Option(
            names = {"-f", "--follow"},
            description = "Goes on until the child has ended.")
    private boolean follow;

    @Option(names = "--raw", description = Raw.DESCRIPTION)
    private boolean raw;

    Logs(Environment environment) {
        super(environment);
    }

    @Override
    int run() {
        Output output = output();
        Raw text = Raw.of(raw, environment().terminal(), output);
        Events.each(connect(), this, follow, output, event -> {
            if (!EventText.written(event).isEmpty()) {
                if (output.json()) {
                    output.jsonLine(event);
                } else {
                    text.part(EventText.written(event));
                }
            }
        });
        return ExitCode.OK;
    }
}
