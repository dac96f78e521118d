package dev.sallyport.cli;

import dev.sallyport.identity.SessionId;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

@Command(
        name = "asks",
        description = "Questions of children to a person. Answering needs a person at a terminal.",
        synopsisSubcommandLabel = "ls|watch|approve|deny")
final class Asks extends VerbGroup {

    private Asks() {}

    static CommandLine command(Environment environment) {
        return new CommandLine(new Asks())
                .addSubcommand("ls", new Ls(environment))
                .addSubcommand("watch", new Watch(environment))
                .addSubcommand("approve", new Approve(environment))
                .addSubcommand("deny", new Deny(environment));
    }

    /** Returns the ask after the answer. */
    static Ask answer(Connection connection, String ask, String answer, @Nullable String reason) {
        try {
            return new Ask(connection
                    .permissions()
                    .post(
                            Api.path("/v1/asks/{}/answer", ask),
                            Json.object("answer", answer, "reason", reason),
                            Map.of("Idempotency-Key", UUID.randomUUID().toString())));
        } catch (Failure failure) {
            Json winner = failure.body().get("winner");
            throw winner.isNothing() ? failure : failure.saying(" by " + Ask.decider(winner.with("kind", "human")));
        }
    }

    @Command(name = "ls", description = "Lists the asks that wait for an answer.")
    static final class Ls extends Verb {

        private static final List<String> HEAD = List.of("ASK", "CHILD", "AGENT", "STATE", "AGE", "WHAT");

        @Option(names = "--session", paramLabel = "ID", description = "Only this session's.")
        private @Nullable SessionId session;

        @Option(
                names = "--state",
                paramLabel = "STATE",
                description = "Only asks in this state (default: ${DEFAULT-VALUE}); all lists every one.")
        private String state = "pending";

        Ls(Environment environment) {
            super(environment);
        }

        @Override
        int run() {
            Json answer = connect()
                    .permissions()
                    .get("/v1/asks" + Api.query("session", session, "state", state.equals("all") ? null : state));
            Output output = output();
            if (output.json()) {
                output.json(answer);
            } else {
                Instant now = environment().clock().instant();
                output.table(
                        HEAD,
                        answer.list("asks").stream().map(ask -> row(ask, now)).toList());
            }
            return ExitCode.OK;
        }

        private static List<String> row(Json ask, Instant now) {
            return List.of(
                    ask.text("id"),
                    ask.text("child"),
                    Ps.dash(ask.text("agent")),
                    ask.text("state"),
                    Ps.age(ask.text("createdAt"), now),
                    "%s: %s".formatted(ask.text("surface"), ask.text("value")));
        }
    }

    /** One answer to one ask. */
    abstract static class Answering extends Verb {

        @Parameters(paramLabel = "ASK", description = "The ask's id.")
        private String ask = "";

        @Option(names = "--reason", paramLabel = "TEXT", description = "Told to the child.")
        private @Nullable String reason;

        private final String answer;

        Answering(Environment environment, String answer) {
            super(environment);
            this.answer = answer;
        }

        @Override
        int run() {
            Ask settled = answer(connectAsPerson(), ask, answer, reason);
            output().done(
                            "%s %s: %s"
                                    .formatted(
                                            settled.json().text("state"),
                                            ask,
                                            settled.json().text("value")),
                            settled.json());
            return ExitCode.OK;
        }
    }

    @Command(name = "approve", description = "Lets a child do what it asked for, once.")
    static final class Approve extends Answering {

        Approve(Environment environment) {
            super(environment, "approved");
        }
    }

    @Command(name = "deny", description = "Refuses a child what it asked for.")
    static final class Deny extends Answering {

        Deny(Environment environment) {
            super(environment, "denied");
        }
    }

    @Command(
            name = "watch",
            description =
                    "Shows asks as they come and takes the answers. While it runs, its sessions count as answering.")
    static final class Watch extends Verb {

        @Option(names = "--session", paramLabel = "ID", description = "Only these sessions (default: all).")
        private @Nullable List<SessionId> sessions;

        Watch(Environment environment) {
            super(environment);
        }

        @Override
        int run() {
            Connection connection = connectAsPerson();
            Output output = output();
            String which = sessions == null
                    ? "?all=true"
                    : sessions.stream().map(session -> "session=" + session).collect(Collectors.joining("&", "?", ""));
            AskPrompt prompt = new AskPrompt(environment(), connection, output);
            Inbox inbox = new Inbox(connection, "/v1/inbox" + which, output, prompt::tellEnded);
            inbox.open();
            output.note("sallyport: waiting for asks of %s; Ctrl-C ends"
                    .formatted(sessions == null ? "all sessions" : "session " + which.substring(1)));
            try {
                while (true) {
                    Ask ask = inbox.next();
                    if (output.json()) {
                        output.jsonLine(ask.json());
                    } else if (!prompt.settled(ask)) {
                        return ExitCode.OK;
                    }
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                return ExitCode.CANCELLED;
            }
        }
    }
}
