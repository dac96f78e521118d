package dev.sallyport.runner.tool;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;

/** A program with its output, ended with all that it started when its time is over or its caller is interrupted. */
public final class Subprocess {

    /** How long output is still read after the program ended: what it left in the background may hold the pipe for ever. */
    private static final Duration DRAIN = Duration.ofMillis(250);

    /** What a program that is told to stop has to do so. */
    private static final Duration GRACE = Duration.ofSeconds(2);

    private static final String MARK = "SALLYPORT_PROGRAM";

    /** Takes a part of the output; called by one thread per stream. The buffer is reused afterwards. */
    @FunctionalInterface
    public interface Sink {

        void accept(byte[] buffer, int length);
    }

    /**
     * How the program ended.
     *
     * @param code 128 + n if signal n ended it
     */
    public record Exit(int code, boolean timedOut) {}

    private Subprocess() {}

    /** Both streams into one sink, killed at the deadline. */
    static Exit run(
            List<String> command, Path directory, Map<String, String> environment, Duration timeout, Sink output)
            throws IOException, InterruptedException {
        ProcessBuilder builder = builder(command, directory, environment).redirectErrorStream(true);
        return run(builder, new byte[0], timeout, List.of(output));
    }

    /** Runs for as long as it takes. */
    public static Exit run(
            List<String> command,
            Path directory,
            Map<String, String> environment,
            byte[] input,
            Sink output,
            Sink errors)
            throws IOException, InterruptedException {
        return run(builder(command, directory, environment), input, Duration.ofDays(365), List.of(output, errors));
    }

    private static ProcessBuilder builder(List<String> command, Path directory, Map<String, String> environment) {
        // A session of its own, so that `kill 0` in a script does not reach the runner.
        List<String> words = new ArrayList<>(List.of("setsid", "--"));
        words.addAll(command);
        ProcessBuilder builder = new ProcessBuilder(words).directory(directory.toFile());
        builder.environment().putAll(environment);
        builder.environment().put(MARK, UUID.randomUUID().toString());
        return builder;
    }

    private static Exit run(ProcessBuilder builder, byte[] input, Duration timeout, List<Sink> sinks)
            throws IOException, InterruptedException {
        String mark = MARK + "=" + builder.environment().get(MARK);
        Process process = builder.start();
        List<Reader> readers = new ArrayList<>();
        readers.add(new Reader(process.getInputStream(), sinks.getFirst()));
        if (sinks.size() > 1) {
            readers.add(new Reader(process.getErrorStream(), sinks.getLast()));
        }
        ProcessTree tree = new ProcessTree(process.pid(), mark);
        try {
            Thread.ofPlatform().daemon().name("stdin").start(() -> feed(process.getOutputStream(), input));
            boolean ended = process.waitFor(timeout);
            if (!ended) {
                tree.kill();
            }
            int code = process.waitFor();
            return new Exit(code, !ended);
        } catch (InterruptedException e) {
            // Time to tidy up, then the end for all of it. The process's own destroy would close its output.
            process.toHandle().destroy();
            awaitTermination(process);
            tree.kill();
            throw e;
        } finally {
            for (Reader reader : readers) {
                reader.finish();
            }
        }
    }

    private static void awaitTermination(Process process) {
        try {
            process.waitFor(GRACE);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private static void feed(OutputStream out, byte[] input) {
        try (out) {
            out.write(input);
        } catch (IOException e) {
            // the program did not want all of it
        }
    }

    private static final class Reader {

        private final InputStream in;
        private final Sink sink;
        private final Thread thread;

        Reader(InputStream in, Sink sink) {
            this.in = in;
            this.sink = sink;
            this.thread = Thread.ofPlatform().daemon().name("output").start(this::read);
        }

        private void read() {
            byte[] buffer = new byte[8192];
            try {
                for (int length = in.read(buffer); length >= 0; length = in.read(buffer)) {
                    sink.accept(buffer, length);
                }
            } catch (IOException e) {
                // closed by the JDK when the program ended
            }
        }

        void finish() {
            boolean interrupted = Thread.interrupted();
            try {
                thread.join(DRAIN);
            } catch (InterruptedException e) {
                interrupted = true;
            }
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }
}
