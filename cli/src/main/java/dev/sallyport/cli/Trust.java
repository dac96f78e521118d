package dev.sallyport.cli;

import dev.sallyport.text.VisibleText;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Looking at what a project brings for agents, and letting it do more than narrow (P6). */
@Command(
        name = "trust",
        description =
                "Shows what a directory brings for agents and, after a yes at the terminal, lets those very files count"
                        + " for you until one of them changes.",
        customSynopsis = {"sallyport trust [DIR] [--show]", "sallyport trust ls", "sallyport trust revoke [DIR]"})
final class Trust extends Verb {

    private static final List<String> FILES = List.of("SINCE", "FILE", "WHAT IT DOES");

    @Parameters(paramLabel = "DIR", arity = "0..1", description = "The project's directory (default: here).")
    private @Nullable Path directory;

    @Option(names = "--show", description = "Only shows.")
    private boolean show;

    private Trust(Environment environment) {
        super(environment);
    }

    static CommandLine command(Environment environment) {
        return new CommandLine(new Trust(environment))
                .addSubcommand("ls", new Ls(environment))
                .addSubcommand("revoke", new Revoke(environment));
    }

    @Override
    int run() {
        String where = String.valueOf(ChildOptions.directory(environment(), directory));
        // What is trusted is the person's: a session of another name would see another state.
        Connection connection =
                show ? connect() : Connection.openChecked(environment(), tokenFile(), Connection.As.PERSON);
        Json project = connection.gateway().get("/v1/trust/project" + Api.query("directory", where));
        shown(project);
        if (show || project.text("state").equals("trusted")) {
            return ExitCode.OK;
        }
        if (project.list("files").isEmpty()) {
            output().note("sallyport: nothing there needs trust");
            return ExitCode.OK;
        }
        String name = project.text("directory");
        // On the terminal itself: an agent's tool has none (S23).
        if (!environment()
                .terminal()
                .confirm("sallyport: trust these files of %s?".formatted(VisibleText.line(name)))) {
            throw Failure.of(
                    "terminal-required", "nothing was trusted: this needs a person who says yes at the terminal");
        }
        connection.gateway().post("/v1/trust", Json.object("directory", name, "digest", project.text("digest")));
        output().note("sallyport: trusted %s until one of them changes; `sallyport trust revoke` takes it back"
                .formatted(name));
        return ExitCode.OK;
    }

    private void shown(Json project) {
        Output output = output();
        if (output.json()) {
            output.json(project);
            return;
        }
        output.line("%s: %s".formatted(project.text("directory"), project.text("state")));
        output.line("digest %s".formatted(project.text("digest")));
        if (!project.list("files").isEmpty()) {
            output.table(
                    FILES,
                    project.list("files").stream()
                            .map(file -> List.of(file.text("change"), file.text("path"), file.text("says")))
                            .toList());
        }
        project.list("removed").forEach(path -> output.line("gone since: " + path.text()));
        project.list("warnings").forEach(warning -> output.note("warning: " + warning.text()));
    }

    @Command(name = "ls", description = "Lists the projects that you trust.")
    static final class Ls extends Verb {

        Ls(Environment environment) {
            super(environment);
        }

        @Override
        int run() {
            Json answer = connect().gateway().get("/v1/trust");
            Output output = output();
            if (output.json()) {
                output.json(answer);
            } else {
                output.table(
                        List.of("PROJECT", "TRUSTED AT", "DIGEST"),
                        answer.list("trusted").stream()
                                .map(one -> List.of(one.text("directory"), one.text("trustedAt"), one.text("digest")))
                                .toList());
            }
            return ExitCode.OK;
        }
    }

    @Command(
            name = "revoke",
            description = "Lets the files of a project only narrow again; its children that run go on.")
    static final class Revoke extends Verb {

        @Parameters(paramLabel = "DIR", arity = "0..1", description = "As `trust ls` shows it (default: here).")
        private @Nullable Path directory;

        Revoke(Environment environment) {
            super(environment);
        }

        @Override
        int run() {
            String where = where();
            connectAsPerson().gateway().delete("/v1/trust" + Api.query("directory", where));
            output().done("revoked " + where, Json.object("directory", where, "trusted", false));
            return ExitCode.OK;
        }

        /** One that is gone can be revoked, too. */
        private String where() {
            Path path = directory == null
                    ? environment().directory()
                    : environment().directory().resolve(directory);
            try {
                return Files.exists(path) ? path.toRealPath().toString() : path.toString();
            } catch (IOException e) {
                return path.toString();
            }
        }
    }
}
