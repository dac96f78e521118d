package dev.sallyport.cli;

import dev.sallyport.identity.ChildId;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.snakeyaml.engine.v2.api.Load;
import org.snakeyaml.engine.v2.api.LoadSettings;
import org.snakeyaml.engine.v2.exceptions.YamlEngineException;

/** Many children at once: all are started before the first is waited for, and their results come in the order of the file (P4). */
final class Batch {

    private final Connection connection;
    private final Spawner spawner;
    private final Raw text;

    Batch(Connection connection, Spawner spawner, Raw text) {
        this.connection = connection;
        this.spawner = spawner;
        this.text = text;
    }

    /**
     * Reads one spawn body a line; blank lines and lines that begin with {@code #} are left out.
     *
     * @param defaults fields of lines that do not say otherwise
     * @throws Failure if any line is no such body: then nothing is to be started
     */
    static List<Json> read(Path file, Json defaults) {
        List<String> lines;
        try {
            lines = Files.readAllLines(file);
        } catch (IOException e) {
            throw Failure.of("batch-unreadable", "cannot read the batch: `%s`".formatted(file));
        }
        List<Json> bodies = new ArrayList<>();
        for (int number = 1; number <= lines.size(); number++) {
            String line = lines.get(number - 1).strip();
            if (!line.isEmpty() && !line.startsWith("#")) {
                bodies.add(body(file, number, line).merged(defaults));
            }
        }
        if (bodies.isEmpty()) {
            throw Failure.of("batch-invalid", "%s: no line with a spawn".formatted(file));
        }
        return bodies;
    }

    /**
     * Returns 0 if all children completed with 0, else the code of the first that did not.
     *
     * @throws Failure that says what is wrong with which line: then none was started
     */
    int run(List<Json> bodies, boolean detach) {
        try (CancelOnInterrupt interrupt = new CancelOnInterrupt(connection, text.output())) {
            List<Json> children = interrupt.watchAll(() -> spawner.batch(bodies));
            children.forEach(child -> Run.warn(child, text.output()));
            Follower follower = new Follower(connection, text.output());
            int code = ExitCode.OK;
            for (Json child : children) {
                ChildId id = new ChildId(child.text("id"));
                Json result = detach ? child.with("outcome", "detached") : follower.await(id);
                interrupt.ended(id);
                print(result, detach);
                code = code == ExitCode.OK && !detach ? Outcome.exitCode(result) : code;
            }
            return code;
        }
    }

    private void print(Json result, boolean detach) {
        Output output = text.output();
        if (output.json()) {
            output.jsonLine(result);
        } else if (detach) {
            output.line(result.text("id"));
        } else {
            output.line("--- %s %s".formatted(result.text("child"), result.text("outcome")));
            Result.print(result, text);
        }
    }

    private static Json body(Path file, int number, String line) {
        try {
            Json body = line.startsWith("{") && json(line).isPresent()
                    ? json(line).get()
                    : new Json(new Load(LoadSettings.builder().build()).loadFromString(line));
            if (!body.asMap().isEmpty()) {
                return body;
            }
        } catch (YamlEngineException e) {
            // said below
        }
        throw Failure.of(
                "batch-invalid",
                "%s:%d: no spawn (expected: fields on one line, such as {agent: reviewer, prompt: look})"
                        .formatted(file, number));
    }

    private static Optional<Json> json(String line) {
        try {
            return Optional.of(Json.parse(line));
        } catch (IllegalArgumentException e) {
            return Optional.empty();
        }
    }
}
