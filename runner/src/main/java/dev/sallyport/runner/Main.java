package dev.sallyport.runner;

import java.nio.file.Path;
import java.time.Duration;

/** Starts the runner in its container, where everything has its fixed place (S12). */
public final class Main {

    private static final Path SOCKET = Path.of("/run/sallyport/door.sock");
    private static final int PORT = 3128;
    private static final Duration PATIENCE = Duration.ofMinutes(10);

    private Main() {}

    public static void main(String[] arguments) {
        Thread.setDefaultUncaughtExceptionHandler((_, e) -> complain(e));
        System.exit(run(arguments));
    }

    @SuppressWarnings(
            "CatchingUnchecked") // the top of the process: whatever it is, it ends as a failure in one sentence
    private static int run(String[] arguments) {
        try {
            return arguments.length == 1 && arguments[0].equals("rehearse")
                    ? Rehearsal.run()
                    : new Runner(SOCKET, PORT, PATIENCE).run();
        } catch (Exception e) {
            complain(e);
            return Runner.COULD_NOT;
        }
    }

    private static void complain(Throwable e) {
        System.err.println("sallyport runner: " + e);
    }
}
