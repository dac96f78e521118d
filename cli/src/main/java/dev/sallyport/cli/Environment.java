package dev.sallyport.cli;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.BufferedOutputStream;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.InputStream;
import java.io.PrintStream;
import java.nio.file.Path;
import java.time.Clock;
import java.util.Map;
import java.util.Optional;

/** What a verb takes from the process it runs in. */
record Environment(
        Map<String, String> variables,
        Path directory,
        InputStream in,
        PrintStream out,
        PrintStream err,
        Terminal terminal,
        Clock clock) {

    Environment {
        variables = Map.copyOf(variables);
    }

    static Environment ofProcess() {
        return new Environment(
                System.getenv(),
                Path.of("").toAbsolutePath(),
                System.in,
                stream(FileDescriptor.out),
                stream(FileDescriptor.err),
                new ProcessTerminal(),
                Clock.systemUTC());
    }

    // UTF-8 also where the locale is C, in which the JDK's own streams print question marks.
    private static PrintStream stream(FileDescriptor descriptor) {
        return new PrintStream(new BufferedOutputStream(new FileOutputStream(descriptor)), true, UTF_8);
    }

    /** The variable's value; empty where it is unset or blank. */
    Optional<String> variable(String name) {
        return Optional.ofNullable(variables.get(name)).filter(value -> !value.isBlank());
    }
}
