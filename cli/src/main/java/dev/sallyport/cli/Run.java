package dev.sallyport.cli;

import dev.sallyport.identity.ChildId;
import dev.sallyport.identity.SessionId;
import java.nio.file.Path;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

@Command(
        name = "run",
        description = "Starts a child and waits for it: events to standard error, the result to standard output, the"
                + " child's own exit code. Ctrl-C cancels it.",
        customSynopsis = {
            "sallyport run [--agent NAME] [PROMPT|-] [--prompt-file FILE] [--batch FILE]",
            "              [--harness builtin|command] [--dir PATH]",
            "              [--workspace none|read-only|read-write|clone]",
            "              [--network none|HOST[:PORT],...] [--limit cpu=...,memory=...,pids=...,wall=...]",
            "              [--budget cost=...,tokens=...,turns=...,egress=...,children=...]",
            "              [--model PROVIDER/ID] [--parent FILE] [--inherit-context]",
            "              [--session ID] [--detach] [-o text|json] [-- CMD...]"
        },
        footer = {
            "",
            "Examples:",
            "  sallyport run --agent reviewer 'review the last commit'",
            "  sallyport run --workspace clone - < task.md",
            "  sallyport run --workspace read-only -- sh -c 'make test'"
        })
final class Run extends Verb implements Main.TakesCommand {

    @Mixin
    private final ChildOptions child = new ChildOptions();

    @Option(
            names = "--batch",
            paramLabel = "FILE",
            description = "Starts one child for each line of the file, a spawn as JSON or YAML; prints the results in"
                    + " that order. The other options hold for lines that do not say otherwise.")
    private @Nullable Path batch;

    @Option(
            names = "--session",
            paramLabel = "ID",
            description = "The session that the child belongs to (default: this terminal's).")
    private @Nullable SessionId session;

    @Option(names = "--detach", description = "Does not wait: prints the child's id.")
    private boolean detach;

    @Option(names = "--raw", description = Raw.DESCRIPTION)
    private boolean raw;

    Run(Environment environment) {
        super(environment);
    }

    @Override
    public void command(List<String> words) {
        child.command(words);
    }

    @Override
    int run() {
        if (batch == null && !child.hasTask()) {
            throw Failure.of(
                    "usage",
                    "nothing to do (expected: a prompt, --prompt-file, --batch, or a command after `--`)",
                    "sallyport run --help");
        }
        Output output = output();
        Raw text = Raw.of(raw, environment().terminal(), output);
        if (batch != null) {
            List<Json> bodies = Batch.read(environment().directory().resolve(batch), child.body(environment()));
            Connection connection = connect();
            return new Batch(connection, new Spawner(connection, session), text).run(bodies, detach);
        }
        Json body = child.body(environment());
        Connection connection = connect();
        Spawner spawner = new Spawner(connection, session);
        return detach ? detached(spawner.spawn(body), output) : attended(connection, () -> spawner.spawn(body), text);
    }

    static int detached(Json child, Output output) {
        warn(child, output);
        if (output.json()) {
            output.json(child.with("outcome", "detached"));
        } else {
            output.line(child.text("id"));
        }
        return ExitCode.OK;
    }

    /** Starts a child and waits for it; returns its exit code. */
    static int attended(Connection connection, Supplier<Json> start, Raw text) {
        Output output = text.output();
        try (CancelOnInterrupt interrupt = new CancelOnInterrupt(connection, output)) {
            Json started = interrupt.watch(start);
            output.note("sallyport: child %s started".formatted(started.text("id")));
            warn(started, output);
            Live live = new Live(started.text("harness").equals("command"), text);
            Json result = new Follower(connection, output).follow(new ChildId(started.text("id")), live);
            Result.print(live.hasPrinted() ? result.with("output", "") : result, text);
            return Outcome.exitCode(result);
        }
    }

    static void warn(Json child, Output output) {
        long files = child.number("uncommittedFiles");
        if (files > 0) {
            output.note("sallyport: warning: %d uncommitted %s not visible to child %s"
                    .formatted(files, files == 1 ? "file is" : "files are", child.text("id")));
        }
    }

    /** Shows events as they come. What a program of the command harness prints is the result, so it goes where the result goes. */
    private static final class Live implements Consumer<Json> {

        private final boolean program;
        private final Raw text;
        private boolean printed;

        Live(boolean program, Raw text) {
            this.program = program && !text.output().json();
            this.text = text;
        }

        @Override
        public void accept(Json event) {
            Json data = event.get("data");
            if (!program
                    || !event.text("source").equals("child")
                    || !event.text("type").equals("output")) {
                text.output().note(EventText.line(event));
            } else if (data.text("stream").equals("stderr")) {
                text.output().notePart(data.text("text"));
            } else {
                printed = true;
                text.part(data.text("text"));
            }
        }

        boolean hasPrinted() {
            return printed;
        }
    }
}
