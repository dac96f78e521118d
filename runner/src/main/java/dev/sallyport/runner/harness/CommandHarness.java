package dev.sallyport.runner.harness;

import dev.sallyport.runner.door.Event;
import dev.sallyport.runner.door.Outbox;
import dev.sallyport.runner.tool.Subprocess;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.CharsetDecoder;
import java.nio.charset.CodingErrorAction;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/** Runs one program; what it does is bound by the kernel and the door alone (P1). The task goes to its standard input (P3). */
public final class CommandHarness implements Harness {

    /** Bytes of output that are reported, both streams together. */
    private static final long MOST_OUTPUT = 8L << 20;

    private final Outbox outbox;
    private final List<String> command;
    private final Path directory;
    private final Map<String, String> environment;
    private final OutputBudget budget = new OutputBudget();

    public CommandHarness(Outbox outbox, List<String> command, Path directory, Map<String, String> environment) {
        this.outbox = outbox;
        this.command = List.copyOf(command);
        this.directory = directory;
        this.environment = Map.copyOf(environment);
    }

    @Override
    public int run(Task task) throws IOException, InterruptedException {
        try {
            Subprocess.Exit exit = Subprocess.run(
                    command,
                    directory,
                    environment,
                    task.prompt().getBytes(StandardCharsets.UTF_8),
                    new Reported("stdout"),
                    new Reported("stderr"));
            return exit.code();
        } catch (IOException e) {
            outbox.emit(Event.error("command-not-started", String.valueOf(e.getMessage())));
            return 126;
        } finally {
            long unsaid = budget.unsaid();
            if (unsaid > 0) {
                outbox.emit(Event.output("stderr", "[%d bytes of output not reported]\n".formatted(unsaid)));
            }
        }
    }

    static final class OutputBudget {

        private long left = MOST_OUTPUT;
        private long unsaid;

        synchronized boolean spend(int bytes) {
            if (bytes > left) {
                left = 0;
                unsaid += bytes;
                return false;
            }
            left -= bytes;
            return true;
        }

        synchronized long unsaid() {
            return unsaid;
        }
    }

    /** One stream as events; characters that a read cuts in two are put together again. */
    private final class Reported implements Subprocess.Sink {

        private final String stream;
        private final CharsetDecoder decoder = StandardCharsets.UTF_8
                .newDecoder()
                .onMalformedInput(CodingErrorAction.REPLACE)
                .onUnmappableCharacter(CodingErrorAction.REPLACE);
        private ByteBuffer rest = ByteBuffer.allocate(0);

        Reported(String stream) {
            this.stream = stream;
        }

        @Override
        public void accept(byte[] buffer, int length) {
            if (!budget.spend(length)) {
                return;
            }
            ByteBuffer bytes = ByteBuffer.allocate(rest.remaining() + length);
            bytes.put(rest).put(buffer, 0, length).flip();
            CharBuffer text = CharBuffer.allocate(bytes.remaining());
            decoder.decode(bytes, text, false);
            rest = bytes;
            try {
                outbox.emit(Event.output(stream, text.flip().toString()));
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
    }
}
