package dev.sallyport.cli;

import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

@Command(
        name = "agents",
        description = "The agent definitions that a directory has.",
        synopsisSubcommandLabel = "ls|show")
final class Agents extends VerbGroup {

    private Agents() {}

    static CommandLine command(Environment environment) {
        return new CommandLine(new Agents())
                .addSubcommand("ls", new Ls(environment))
                .addSubcommand("show", new Show(environment));
    }

    @Command(name = "ls", description = "Lists them, and what each one shadows.")
    static final class Ls extends Verb {

        private static final List<String> HEAD = List.of("AGENT", "SOURCE", "ENABLED", "ORIGIN", "DESCRIPTION");

        @Option(names = "--dir", paramLabel = "PATH", description = "Looked up from there (default: here).")
        private @Nullable Path directory;

        Ls(Environment environment) {
            super(environment);
        }

        @Override
        int run() {
            Json answer = connect()
                    .gateway()
                    .get("/v1/agents" + Api.query("directory", ChildOptions.directory(environment(), directory)));
            Output output = output();
            if (output.json()) {
                output.json(answer);
                return ExitCode.OK;
            }
            output.table(HEAD, answer.list("agents").stream().map(Ls::row).toList());
            answer.list("warnings").forEach(warning -> output.note("warning: " + warning.text()));
            return ExitCode.OK;
        }

        private static List<String> row(Json agent) {
            return List.of(
                    agent.text("name"),
                    agent.text("source"),
                    !agent.isTrue("enabled") ? "no" : agent.isTrue("trusted") ? "yes" : "untrusted",
                    agent.text("origin"),
                    agent.text("description"));
        }
    }

    @Command(name = "show", description = "Shows one of them.")
    static final class Show extends Verb {

        @Parameters(paramLabel = "NAME", description = "The agent's name.")
        private String name = "";

        @Option(names = "--dir", paramLabel = "PATH", description = "Looked up from there (default: here).")
        private @Nullable Path directory;

        Show(Environment environment) {
            super(environment);
        }

        @Override
        int run() {
            Json agent = connect()
                    .gateway()
                    .get(Api.path("/v1/agents/{}", name)
                            + Api.query("directory", ChildOptions.directory(environment(), directory)));
            if (output().json()) {
                output().json(agent);
            } else {
                output().fields(agent);
            }
            return ExitCode.OK;
        }
    }
}
