package dev.sallyport.cli;

import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

@Command(name = "inspect", description = "Shows everything about a child.")
final class Inspect extends ChildVerb {

    @Option(names = "--authority", description = "What it may do and who decided that, instead.")
    private boolean authority;

    Inspect(Environment environment) {
        super(environment);
    }

    @Override
    int run() {
        Api gateway = connect().gateway();
        Output output = output();
        String path = path(authority ? "/authority" : "");
        if (authority && !output.json()) {
            output.text(gateway.getText(path, "text/plain"));
        } else if (output.json()) {
            output.json(gateway.get(path));
        } else {
            output.fields(gateway.get(path));
        }
        return ExitCode.OK;
    }
}
