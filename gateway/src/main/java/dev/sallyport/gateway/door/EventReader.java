package dev.sallyport.gateway.door;

import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.Closeable;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.Optional;

/** Reads server-sent events, none longer than a bound. */
final class EventReader implements Closeable {

    /**
     * One event that has data.
     *
     * @param name empty where the stream gave none
     */
    record Event(String name, String data) {}

    private final InputStream in;
    private final int limit;

    EventReader(InputStream in, int limit) {
        this.in = new BufferedInputStream(in);
        this.limit = limit;
    }

    /** The next event with data; empty at the end of the stream. */
    Optional<Event> next() throws IOException {
        String name = "";
        StringBuilder data = new StringBuilder();
        boolean any = false;
        while (true) {
            Optional<String> read = line();
            if (read.isEmpty()) {
                // What no empty line ends was not sent whole.
                return Optional.empty();
            }
            String line = read.get();
            if (line.isEmpty()) {
                if (any) {
                    return Optional.of(new Event(name, data.toString()));
                }
                name = "";
            } else if (line.startsWith("event:")) {
                name = line.substring(6).strip();
            } else if (line.startsWith("data:")) {
                data.append(any ? "\n" : "").append(line.substring(5).strip());
                any = true;
                if (data.length() > limit) {
                    throw new IOException("an event is longer than %d".formatted(limit));
                }
            }
        }
    }

    private Optional<String> line() throws IOException {
        ByteArrayOutputStream line = new ByteArrayOutputStream(256);
        while (true) {
            int next = in.read();
            if (next < 0) {
                return Optional.empty();
            }
            if (next == '\n') {
                String text = line.toString(StandardCharsets.UTF_8);
                return Optional.of(text.endsWith("\r") ? text.substring(0, text.length() - 1) : text);
            }
            if (line.size() >= limit) {
                throw new IOException("a line is longer than %d bytes".formatted(limit));
            }
            line.write(next);
        }
    }

    @Override
    public void close() throws IOException {
        in.close();
    }
}
