package dev.sallyport.cli;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

@Command(name = "steer", description = "Sends a running child a message.")
final class Steer extends ChildVerb {

    @Parameters(index = "1", paramLabel = "MESSAGE", description = "The message. `-` reads it from standard input.")
    private String message = "";

    Steer(Environment environment) {
        super(environment);
    }

    @Override
    int run() {
        Json told = connect().gateway().post(path("/steer"), Json.object("message", text()));
        output().done("steering child " + child(), told);
        return ExitCode.OK;
    }

    private String text() {
        try {
            return message.equals("-") ? new String(environment().in().readAllBytes(), UTF_8) : message;
        } catch (IOException e) {
            throw Failure.of("message-unreadable", "cannot read the message from standard input");
        }
    }
}
