package dev.sallyport.cli;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** What a command line says about the child it wants. */
final class ChildOptions {

    @Option(names = "--agent", paramLabel = "NAME", description = "The agent definition; without it, an ad hoc agent.")
    private @Nullable String agent;

    @Parameters(
            arity = "0..1",
            paramLabel = "PROMPT",
            description = "The task. `-` reads it from standard input, which keeps it out of the process list.")
    private @Nullable String prompt;

    @Option(names = "--prompt-file", paramLabel = "FILE", description = "A file that holds the task.")
    private @Nullable Path promptFile;

    @Option(
            names = "--harness",
            paramLabel = "builtin|command",
            description = "What drives the child. A command after `--` means command.")
    private @Nullable String harness;

    @Option(
            names = "--dir",
            paramLabel = "PATH",
            description = "Where the child works and where its agents are looked up (default: here).")
    private @Nullable Path directory;

    @Option(
            names = "--workspace",
            paramLabel = "none|read-only|read-write|clone",
            description = "How the child has that directory.")
    private @Nullable String workspace;

    @Option(
            names = "--network",
            paramLabel = "none|HOST[:PORT]",
            split = ",",
            description = "The hosts that the child may reach, separated by commas.")
    private @Nullable List<String> network;

    @Option(
            names = "--limit",
            paramLabel = "NAME=VALUE",
            split = ",",
            description = "Limits of the child: cpu=1.5,memory=1g,pids=256,wall=15m.")
    private @Nullable Map<String, String> limits;

    @Option(
            names = "--budget",
            paramLabel = "NAME=VALUE",
            split = ",",
            description =
                    "What the child and all below it may use up: cost=1.50,tokens=200k,turns=20,egress=10m,children=3.")
    private @Nullable Map<String, String> budgets;

    @Option(names = "--model", paramLabel = "PROVIDER/ID", description = "The model that drives the child.")
    private @Nullable String model;

    @Option(
            names = "--profile",
            paramLabel = "NAME",
            description = "A ceiling by name: explore, review, general, none, read-only, read-only-with-safe-bash,"
                    + " full-tools, or one of your subagents.json.")
    private @Nullable String profile;

    @Option(
            names = "--parent",
            paramLabel = "FILE",
            description =
                    "Where the task comes from, as JSON: {systemPrompt, messages: [{role, content}]}. An agent that"
                            + " appends to its parent's prompt, or inherits its conversation, gets these.")
    private @Nullable Path parent;

    @Option(names = "--inherit-context", description = "Puts the conversation of --parent before the task.")
    private boolean inheritContext;

    private List<String> command = List.of();

    /** What stands after {@code --}. */
    void command(List<String> command) {
        this.command = List.copyOf(command);
    }

    boolean hasTask() {
        return prompt != null || promptFile != null || !command.isEmpty();
    }

    /** The body of a spawn without its session; fields that were not said are absent. */
    Json body(Environment environment) {
        if (!command.isEmpty() && "builtin".equals(harness)) {
            throw Failure.of("usage", "a command after `--` needs --harness command");
        }
        return Json.object(
                "agent",
                agent,
                "prompt",
                task(environment, prompt, promptFile),
                "harness",
                harness == null && !command.isEmpty() ? "command" : harness,
                "command",
                command.isEmpty() ? null : command,
                "directory",
                directory(environment, directory),
                "workspace",
                workspace,
                "network",
                List.of("none").equals(network) ? List.<String>of() : network,
                "limits",
                limits == null ? null : limits(limits),
                "budgets",
                budgets,
                "model",
                model,
                "profile",
                profile,
                "inheritContext",
                inheritContext ? true : null,
                "parent",
                parent == null ? null : parent(environment.directory().resolve(parent)));
    }

    private static Json parent(Path file) {
        try {
            Json parent = Json.parse(Files.readString(file));
            if (!parent.asMap().isEmpty()) {
                return parent;
            }
        } catch (IOException | IllegalArgumentException e) {
            // said below
        }
        throw Failure.of(
                "parent-unreadable",
                "no parent in `%s` (expected: JSON such as {\"systemPrompt\": \"...\", \"messages\": []})"
                        .formatted(file));
    }

    /**
     * The task as it was said, or read from where it was said to be; null if nothing was said.
     *
     * @throws Failure if it was said twice
     */
    static @Nullable String task(Environment environment, @Nullable String prompt, @Nullable Path promptFile) {
        if (prompt != null && promptFile != null) {
            throw Failure.of("usage", "a prompt and --prompt-file (expected: one of them)");
        }
        try {
            if (promptFile != null) {
                return Files.readString(environment.directory().resolve(promptFile));
            }
            return "-".equals(prompt) ? new String(environment.in().readAllBytes(), UTF_8) : prompt;
        } catch (IOException e) {
            throw Failure.of("prompt-unreadable", "cannot read the prompt: " + (promptFile == null ? "-" : promptFile));
        }
    }

    /**
     * The directory spelled out, or the one we are in. To a gateway elsewhere only what was said: a directory here means nothing there.
     *
     * @throws Failure if it does not exist
     */
    static @Nullable String directory(Environment environment, @Nullable Path said) {
        if (environment.variable("SALLYPORT_GATEWAY").isPresent()) {
            return said == null ? null : said.toString();
        }
        Path path =
                said == null ? environment.directory() : environment.directory().resolve(said);
        try {
            return path.toRealPath().toString();
        } catch (IOException e) {
            throw Failure.of("directory-missing", "no such directory: `%s`".formatted(path));
        }
    }

    private static Map<String, Object> limits(Map<String, String> limits) {
        Map<String, Object> values = new LinkedHashMap<>(limits);
        values.computeIfPresent("pids", (name, value) -> {
            try {
                return Integer.valueOf(value.toString());
            } catch (NumberFormatException e) {
                throw Failure.of("usage", "--limit pids: `%s` (expected: a number)".formatted(value));
            }
        });
        return values;
    }
}
