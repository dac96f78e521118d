package dev.sallyport.cli;

import java.io.IOException;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

@Command(name = "events", description = "Shows what happened to a child, in order.")
final class Events extends ChildVerb {

    @Option(
            names = {"-f", "--follow"},
            description = "Goes on until the child has ended.")
    private boolean follow;

    Events(Environment environment) {
        super(environment);
    }

    @Override
    int run() {
        Output output = output();
        each(connect(), this, follow, output, event -> {
            if (output.json()) {
                output.jsonLine(event);
            } else {
                output.line("%s %s %s".formatted(event.text("seq"), event.text("at"), EventText.full(event)));
            }
        });
        return ExitCode.OK;
    }

    /** Hands over the events so far or, following, until the child has ended. */
    static void each(
            Connection connection,
            ChildVerb verb,
            boolean follow,
            Output output,
            java.util.function.Consumer<Json> consumer) {
        if (follow) {
            new Follower(connection, output).follow(verb.child(), consumer);
            return;
        }
        try (EventStream events =
                connection.gateway().events(verb.path("/events?follow=false"), "", Follower.SILENCE)) {
            for (EventStream.Event event = events.next(); event != null; event = events.next()) {
                consumer.accept(Json.parse(event.data()));
            }
        } catch (IOException e) {
            throw Failure.connectionLost(connection.endpoint().gateway(), e);
        }
    }
}
