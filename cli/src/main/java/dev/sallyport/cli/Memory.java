package dev.sallyport.cli;

import java.util.List;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

@Command(
        name = "memory",
        description = "What agents remember from one run to the next. Every change is a version; nothing is lost.",
        synopsisSubcommandLabel = "ls|show|versions|diff|revert|rm")
final class Memory extends VerbGroup {

    private static final String ONE = "The memory's id, or its agent where that has only one.";

    private Memory() {}

    static CommandLine command(Environment environment) {
        return new CommandLine(new Memory())
                .addSubcommand("ls", new Ls(environment))
                .addSubcommand("show", new Show(environment))
                .addSubcommand("versions", new Versions(environment))
                .addSubcommand("diff", new Diff(environment))
                .addSubcommand("revert", new Revert(environment))
                .addSubcommand("rm", new Rm(environment));
    }

    /** A verb about one memory. */
    abstract static class One extends Verb {

        @Parameters(index = "0", paramLabel = "MEMORY", description = ONE)
        private String name = "";

        One(Environment environment) {
            super(environment);
        }

        /** The path of the one that is meant. */
        String path(Connection connection) {
            List<Json> meant = connection.gateway().get("/v1/memories").list("memories").stream()
                    .filter(memory -> memory.text("id").equals(name)
                            || memory.text("agent").equals(name))
                    .toList();
            if (meant.isEmpty()) {
                throw Failure.of("memory-not-found", "no memory `%s`; list them: sallyport memory ls".formatted(name));
            }
            if (meant.size() > 1) {
                throw Failure.of(
                        "memory-ambiguous",
                        "`%s` has several memories, name one by its id: %s"
                                .formatted(
                                        name,
                                        meant.stream()
                                                .map(memory -> memory.text("id"))
                                                .collect(Collectors.joining(", "))));
            }
            return Api.path("/v1/memories/{}", meant.getFirst().text("id"));
        }
    }

    @Command(name = "ls", description = "Lists them.")
    static final class Ls extends Verb {

        private static final List<String> HEAD =
                List.of("MEMORY", "AGENT", "SCOPE", "PROJECT", "VERSION", "BYTES", "CONFLICTS", "CHANGED");

        Ls(Environment environment) {
            super(environment);
        }

        @Override
        int run() {
            Json answer = connect().gateway().get("/v1/memories");
            Output output = output();
            if (output.json()) {
                output.json(answer);
            } else {
                output.table(HEAD, answer.list("memories").stream().map(Ls::row).toList());
            }
            return ExitCode.OK;
        }

        private static List<String> row(Json memory) {
            return List.of(
                    memory.text("id"),
                    memory.text("agent"),
                    memory.text("scope"),
                    Ps.dash(memory.text("project")),
                    memory.text("version"),
                    memory.text("bytes"),
                    memory.text("conflicts"),
                    memory.text("changedAt"));
        }
    }

    @Command(name = "show", description = "Shows its files.")
    static final class Show extends One {

        @Option(names = "--version", paramLabel = "N", description = "That version (default: the one in effect).")
        private @Nullable Integer version;

        @Option(names = "--raw", description = Raw.DESCRIPTION)
        private boolean raw;

        Show(Environment environment) {
            super(environment);
        }

        @Override
        int run() {
            Output output = output();
            Raw text = Raw.of(raw, environment().terminal(), output);
            Connection connection = connect();
            Json answer = connection.gateway().get(path(connection) + Api.query("version", version));
            if (output.json()) {
                output.json(answer);
                return ExitCode.OK;
            }
            for (Json file : answer.list("files")) {
                output.line("==> %s <==".formatted(file.text("path")));
                text.whole(file.text("content"));
            }
            return ExitCode.OK;
        }
    }

    @Command(name = "versions", description = "Lists its versions, and who wrote them.")
    static final class Versions extends One {

        Versions(Environment environment) {
            super(environment);
        }

        @Override
        int run() {
            Connection connection = connect();
            Json answer = connection.gateway().get(path(connection) + "/versions");
            Output output = output();
            if (output.json()) {
                output.json(answer);
            } else {
                String inEffect = answer.get("memory").text("version");
                output.table(
                        List.of("VERSION", "BASE", "AT", "BY", "BYTES", ""),
                        answer.list("versions").stream()
                                .map(version -> row(version, inEffect))
                                .toList());
            }
            return ExitCode.OK;
        }

        private static List<String> row(Json version, String inEffect) {
            String child = version.text("child");
            return List.of(
                    version.text("version"),
                    version.text("base"),
                    version.text("at"),
                    child.isEmpty() ? version.text("principal") : "child " + child,
                    version.text("bytes"),
                    version.isTrue("conflict")
                            ? "conflict"
                            : version.text("version").equals(inEffect) ? "in effect" : "");
        }
    }

    @Command(name = "diff", description = "Shows what a version changed, or what is different between two.")
    static final class Diff extends One {

        @Option(names = "--from", paramLabel = "N", description = "Older version (default: what its author had).")
        private @Nullable Integer from;

        @Option(names = "--to", paramLabel = "N", description = "Newer version (default: the one in effect).")
        private @Nullable Integer to;

        @Option(names = "--raw", description = Raw.DESCRIPTION)
        private boolean raw;

        Diff(Environment environment) {
            super(environment);
        }

        @Override
        int run() {
            Output output = output();
            Raw text = Raw.of(raw, environment().terminal(), output);
            Connection connection = connect();
            String diff = connection
                    .gateway()
                    .getText(path(connection) + "/diff" + Api.query("from", from, "to", to), "text/x-diff");
            if (output.json()) {
                output.json(Json.object("diff", diff));
            } else {
                text.whole(diff);
            }
            return ExitCode.OK;
        }
    }

    @Command(
            name = "revert",
            description = "Makes an earlier version, or one in conflict, the next one. Needs a person at a terminal.")
    static final class Revert extends One {

        @Parameters(index = "1", paramLabel = "VERSION", description = "The version to go back to.")
        private int version;

        Revert(Environment environment) {
            super(environment);
        }

        @Override
        int run() {
            Connection connection = connectAsPerson();
            Json memory = connection.gateway().post(path(connection) + "/revert", Json.object("version", version));
            output().done(
                            "version %s of memory %s is version %d again"
                                    .formatted(memory.text("version"), memory.text("id"), version),
                            memory);
            return ExitCode.OK;
        }
    }

    @Command(name = "rm", description = "Removes it with all its versions. Needs a person at a terminal.")
    static final class Rm extends One {

        Rm(Environment environment) {
            super(environment);
        }

        @Override
        int run() {
            Connection connection = connectAsPerson();
            String path = path(connection);
            connection.gateway().delete(path);
            String id = path.substring(path.lastIndexOf('/') + 1);
            output().done("removed memory " + id, Json.object("memory", id, "removed", true));
            return ExitCode.OK;
        }
    }
}
