package dev.sallyport.cli;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

@Command(
        name = "credentials",
        description = "Keys that Sallyport adds outside the children. A value can be set and never be read back.",
        synopsisSubcommandLabel = "set|ls|rm")
final class Credentials extends VerbGroup {

    private Credentials() {}

    static CommandLine command(Environment environment) {
        return new CommandLine(new Credentials())
                .addSubcommand("set", new Set(environment))
                .addSubcommand("ls", new Ls(environment))
                .addSubcommand("rm", new Rm(environment));
    }

    @Command(
            name = "set",
            description =
                    "Sets a credential to what standard input holds, or to what is typed, unseen, at the terminal.")
    static final class Set extends Verb {

        private static final int MAX_BYTES = 64 * 1024;

        @Parameters(paramLabel = "NAME", description = "The credential's name, such as anthropic.")
        private String name = "";

        Set(Environment environment) {
            super(environment);
        }

        @Override
        int run() {
            // Before the value is read: whoever may not set it need not be asked for it.
            boolean typed = environment().terminal().interactive();
            Connection connection = typed ? connectAsPerson() : connectConfirmed();
            byte[] value = typed ? typed() : piped();
            try {
                connection.gateway().put(Api.path("/v1/credentials/{}", name), value);
            } finally {
                Arrays.fill(value, (byte) 0);
            }
            output().done("set credential " + name, Json.object("name", name, "set", true));
            return ExitCode.OK;
        }

        private Connection connectConfirmed() {
            // Standard input is the value, so the person is asked on the terminal itself. An agent's tool has none.
            if (!environment()
                    .terminal()
                    .confirm("sallyport: set credential %s from standard input?".formatted(name))) {
                throw Failure.of(
                        "terminal-required",
                        "this needs a person: run it in an interactive terminal and say yes there");
            }
            return Connection.openChecked(environment(), tokenFile(), Connection.As.PERSON);
        }

        private byte[] typed() {
            char[] typed = environment().terminal().askSecret("value of %s (not shown): ".formatted(name));
            if (typed == null) {
                throw Failure.of("value-missing", "no value was given");
            }
            ByteBuffer encoded = UTF_8.encode(CharBuffer.wrap(typed));
            Arrays.fill(typed, '\0');
            byte[] value = new byte[encoded.remaining()];
            encoded.get(value);
            return checked(value);
        }

        private byte[] piped() {
            try {
                byte[] value = environment().in().readNBytes(MAX_BYTES + 1);
                int end = value.length;
                while (end > 0 && (value[end - 1] == '\n' || value[end - 1] == '\r')) {
                    end--;
                }
                return checked(Arrays.copyOf(value, end));
            } catch (IOException e) {
                throw Failure.of("value-missing", "cannot read the value from standard input");
            }
        }

        private static byte[] checked(byte[] value) {
            if (value.length == 0 || value.length > MAX_BYTES) {
                throw Failure.of(
                        "value-missing", "value: %d bytes (expected: 1 to %d)".formatted(value.length, MAX_BYTES));
            }
            return value;
        }
    }

    @Command(name = "ls", description = "Lists their names and the hosts they are for.")
    static final class Ls extends Verb {

        Ls(Environment environment) {
            super(environment);
        }

        @Override
        int run() {
            Json answer = connectAsPerson().gateway().get("/v1/credentials");
            Output output = output();
            if (output.json()) {
                output.json(answer);
            } else {
                output.table(
                        List.of("CREDENTIAL", "HOSTS"),
                        answer.list("credentials").stream().map(Ls::row).toList());
            }
            return ExitCode.OK;
        }

        private static List<String> row(Json credential) {
            String hosts = credential.list("hosts").stream().map(Json::text).collect(Collectors.joining(", "));
            return List.of(credential.text("name"), Ps.dash(hosts));
        }
    }

    @Command(name = "rm", description = "Removes a credential.")
    static final class Rm extends Verb {

        @Parameters(paramLabel = "NAME", description = "The credential's name.")
        private String name = "";

        Rm(Environment environment) {
            super(environment);
        }

        @Override
        int run() {
            connectAsPerson().gateway().delete(Api.path("/v1/credentials/{}", name));
            output().done("removed credential " + name, Json.object("name", name, "removed", true));
            return ExitCode.OK;
        }
    }
}
