package dev.sallyport.cli;

import java.nio.file.Path;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.Option;

/** What every verb has: how it prints and how it proves who asks. */
abstract class Verb implements Callable<Integer> {

    /** How results are printed. */
    enum Format {
        TEXT,
        JSON;

        static final class Converter implements ITypeConverter<Format> {
            @Override
            public Format convert(String value) {
                return switch (value) {
                    case "text" -> TEXT;
                    case "json" -> JSON;
                    default ->
                        throw new picocli.CommandLine.TypeConversionException(
                                "`%s` (expected: text or json)".formatted(value));
                };
            }
        }
    }

    @Option(
            names = {"-h", "--help"},
            usageHelp = true,
            description = "Shows this help.")
    @SuppressWarnings("UnusedVariable") // picocli looks at the annotation
    private boolean help;

    @Option(
            names = {"-o", "--output"},
            paramLabel = "text|json",
            converter = Format.Converter.class,
            description = "How the result is printed. json is complete and stable.")
    private Format format = Format.TEXT;

    @Option(
            names = "--session-token-file",
            paramLabel = "FILE",
            description = "A file that holds the token to use, instead of the local installation's"
                    + " (also: SALLYPORT_TOKEN_FILE).")
    private @Nullable Path tokenFile;

    private final Environment environment;

    Verb(Environment environment) {
        this.environment = environment;
    }

    /** Does it, and says what the process ends with. */
    abstract int run();

    @Override
    public final Integer call() {
        return run();
    }

    Environment environment() {
        return environment;
    }

    Output output() {
        return new Output(environment.out(), environment.err(), format == Format.JSON);
    }

    Connection connect() {
        return Connection.open(environment, tokenFile, Connection.As.SESSION);
    }

    /** @throws Failure unless a person sits at a terminal */
    Connection connectAsPerson() {
        return Connection.open(environment, tokenFile, Connection.As.PERSON);
    }

    @Nullable Path tokenFile() {
        return tokenFile;
    }
}
