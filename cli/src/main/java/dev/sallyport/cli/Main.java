package dev.sallyport.cli;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.sallyport.identity.ChildId;
import dev.sallyport.identity.SessionId;
import dev.sallyport.text.Nearest;
import java.io.PrintWriter;
import java.util.Arrays;
import java.util.List;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.TypeConversionException;

/** The command line of Sallyport. */
public final class Main {

    private static final List<String> VERBS = List.of(
            "run",
            "ps",
            "inspect",
            "logs",
            "events",
            "transcript",
            "result",
            "cancel",
            "steer",
            "resume",
            "rm",
            "diff",
            "apply",
            "explain",
            "agents",
            "trust",
            "asks",
            "review",
            "memory",
            "credentials",
            "mcp",
            "demo");

    private Main() {}

    public static void main(String[] args) {
        System.exit(run(Environment.ofProcess(), args));
    }

    static int run(Environment environment, String... args) {
        if (args.length == 1 && args[0].equals("ps")) {
            // picocli is compiled for so old a Java that no AOT cache takes it: it would make this verb three times as
            // slow (P25).
            return plainly(new Ps(environment), environment);
        }
        List<String> words = List.of(args);
        Object verb = words.isEmpty() ? null : verb(words.getFirst(), environment);
        if (verb == null && !words.isEmpty() && !words.getFirst().startsWith("-")) {
            return unknown(words.getFirst(), new Output(environment.out(), environment.err(), asksForJson(words)));
        }
        int dashes = words.indexOf("--");
        if (verb instanceof TakesCommand taker && dashes >= 0) {
            taker.command(words.subList(dashes + 1, words.size()));
            words = words.subList(0, dashes);
        }
        CommandLine root = new CommandLine(new Sallyport());
        if (verb == null) {
            VERBS.forEach(name -> root.addSubcommand(name, verb(name, environment)));
        } else {
            root.addSubcommand(words.getFirst(), verb);
        }
        Output output = new Output(environment.out(), environment.err(), asksForJson(words));
        root.setOut(new PrintWriter(environment.out(), true, UTF_8))
                .setErr(new PrintWriter(environment.err(), true, UTF_8))
                .setUsageHelpWidth(100)
                // A prompt may begin with `@`; picocli would read a file of that name.
                .setExpandAtFiles(false)
                .registerConverter(ChildId.class, text -> converted(ChildId::new, text))
                .registerConverter(SessionId.class, text -> converted(SessionId::new, text))
                .setParameterExceptionHandler((problem, arguments) -> misused(problem, output))
                .setExecutionExceptionHandler((problem, command, parsed) -> failed(problem, environment, output));
        return root.execute(words.toArray(String[]::new));
    }

    private static int plainly(Verb verb, Environment environment) {
        try {
            return verb.call();
        } catch (RuntimeException e) {
            return failed(e, environment, verb.output());
        }
    }

    /** Of a command line whose words after {@code --} are a program for the child. */
    interface TakesCommand {
        void command(List<String> words);
    }

    @Command(
            name = "sallyport",
            description = "Runs delegated AI agents where they can do no more than they may.",
            versionProvider = Version.class,
            synopsisSubcommandLabel = "VERB",
            exitCodeOnInvalidInput = 125,
            exitCodeListHeading = "%nExit codes%n",
            exitCodeList = {
                "0:done; for run, resume and result, the child completed",
                "120:refused by authority",
                "124:the child timed out",
                "125:Sallyport could not",
                "130:interrupted, or the child was cancelled",
                "other:the child's own code"
            },
            footerHeading = "%nEnvironment%n",
            footer = {
                "  SALLYPORT_HOME         the data directory of the Sallyport that runs here",
                "                         (default: $${XDG_STATE_HOME:-~/.local/state}/sallyport)",
                "  SALLYPORT_GATEWAY      a gateway elsewhere (https), with",
                "  SALLYPORT_PERMISSIONS  its permission-service and",
                "  SALLYPORT_TOKEN_FILE   a file that holds the token for both",
                "",
                "More about a verb: sallyport VERB --help"
            })
    @SuppressWarnings("UnusedVariable") // picocli looks at the annotations
    private static final class Sallyport {

        @Option(
                names = {"-h", "--help"},
                usageHelp = true,
                description = "Shows this help.")
        private boolean help;

        @Option(
                names = {"-V", "--version"},
                versionHelp = true,
                description = "Shows the version.")
        private boolean version;
    }

    /** The version in the jar's manifest. */
    static final class Version implements CommandLine.IVersionProvider {

        @Override
        public String[] getVersion() {
            return new String[] {"sallyport " + number()};
        }

        static String number() {
            String version = Main.class.getPackage().getImplementationVersion();
            return version == null ? "unpackaged" : version;
        }
    }

    private static @Nullable Object verb(String name, Environment environment) {
        return switch (name) {
            case "run" -> new Run(environment);
            case "ps" -> new Ps(environment);
            case "inspect" -> new Inspect(environment);
            case "logs" -> new Logs(environment);
            case "events" -> new Events(environment);
            case "transcript" -> new Transcript(environment);
            case "result" -> new Result(environment);
            case "cancel" -> new Cancel(environment);
            case "steer" -> new Steer(environment);
            case "resume" -> new Resume(environment);
            case "rm" -> new Remove(environment);
            case "diff" -> new Diff(environment);
            case "apply" -> new Apply(environment);
            case "explain" -> new Explain(environment);
            case "agents" -> Agents.command(environment);
            case "trust" -> Trust.command(environment);
            case "asks" -> Asks.command(environment);
            case "review" -> new Review(environment);
            case "memory" -> Memory.command(environment);
            case "credentials" -> Credentials.command(environment);
            case "mcp" -> new Mcp(environment);
            case "demo" -> new Demo(environment);
            default -> null;
        };
    }

    // Needed before and even if picocli understands the command line, to say in JSON that it does not.
    private static boolean asksForJson(List<String> words) {
        return words.contains("-ojson")
                || words.contains("-o=json")
                || words.contains("--output=json")
                || Arrays.asList("-o", "--output").stream().anyMatch(option -> {
                    int at = words.indexOf(option);
                    return at >= 0 && at + 1 < words.size() && words.get(at + 1).equals("json");
                });
    }

    private static <T> T converted(Function<String, T> conversion, String text) {
        try {
            return conversion.apply(text);
        } catch (IllegalArgumentException e) {
            throw new TypeConversionException(e.getMessage());
        }
    }

    private static int unknown(String verb, Output output) {
        output.failure(Failure.of(
                "usage",
                "no verb `" + verb + "`",
                Nearest.to(verb, VERBS)
                        .map(near -> "did you mean " + near + "?")
                        .orElse("sallyport --help lists them")));
        return ExitCode.FAILED;
    }

    private static int misused(ParameterException problem, Output output) {
        CommandLine command = problem.getCommandLine();
        output.failure(Failure.of(
                "usage",
                String.valueOf(problem.getMessage()),
                "%s --help".formatted(command.getCommandSpec().qualifiedName())));
        return ExitCode.FAILED;
    }

    private static int failed(Exception problem, Environment environment, Output output) {
        if (problem instanceof Failure failure) {
            output.failure(failure);
            return failure.exitCode();
        }
        output.failure(Failure.of("internal", "a bug in sallyport: " + problem, "SALLYPORT_DEBUG=1 shows where"));
        if (environment.variable("SALLYPORT_DEBUG").isPresent()) {
            problem.printStackTrace(environment.err());
        }
        return ExitCode.FAILED;
    }
}
