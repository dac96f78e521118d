package dev.sallyport.cli;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** The command line as a process, as the launcher starts it. */
final class Processes {

    private Processes() {}

    static List<String> sallyport(String... args) {
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:TieredStopAtLevel=1",
                "-XX:+UseSerialGC",
                "-cp",
                System.getProperty(
                        "sallyport.cli.classpath", // for a run without Surefire
                        System.getProperty("surefire.test.class.path", System.getProperty("java.class.path"))),
                "dev.sallyport.cli.Main"));
        command.addAll(Arrays.asList(args));
        return command;
    }

    static Process start(FakeSallyport sallyport, String... args) throws IOException {
        return start(sallyport, sallyport(args));
    }

    /** In a terminal of its own, with what is written to the process typed there. */
    static Process startInTerminal(FakeSallyport sallyport, String... args) throws IOException {
        String line = sallyport(args).stream()
                .map(word -> "'" + word.replace("'", "'\\''") + "'")
                .reduce((left, right) -> left + " " + right)
                .orElseThrow();
        return start(sallyport, List.of("script", "-qefc", line, "/dev/null"));
    }

    private static Process start(FakeSallyport sallyport, List<String> command) throws IOException {
        ProcessBuilder builder = new ProcessBuilder(command);
        builder.environment().putAll(sallyport.variables);
        return builder.start();
    }
}
