package dev.sallyport.cli;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.BufferedReader;
import java.io.Closeable;
import java.io.IOException;
import java.io.InputStreamReader;
import org.jspecify.annotations.Nullable;

/** Server-sent events as they come. */
final class EventStream implements Closeable {

    record Event(String id, String type, String data) {}

    private final Http.Response response;
    private final BufferedReader lines;
    private String id = "";

    EventStream(Http.Response response) {
        this.response = response;
        this.lines = new BufferedReader(new InputStreamReader(response.body(), UTF_8));
    }

    /**
     * Waits for the next event.
     *
     * @return null when the service ended the stream
     */
    @Nullable Event next() throws IOException {
        String type = "message";
        StringBuilder data = new StringBuilder();
        for (String line = lines.readLine(); line != null; line = lines.readLine()) {
            if (line.isEmpty()) {
                if (!data.isEmpty()) {
                    return new Event(id, type, data.substring(0, data.length() - 1));
                }
                type = "message";
                continue;
            }
            int colon = line.indexOf(':');
            String field = colon < 0 ? line : line.substring(0, colon);
            String value = colon < 0 ? "" : line.substring(colon + 1);
            if (value.startsWith(" ")) {
                value = value.substring(1);
            }
            switch (field) {
                case "id" -> id = value;
                case "event" -> type = value;
                case "data" -> data.append(value).append('\n');
                default -> {} // a comment, `retry`, or a field of a later version
            }
        }
        return null;
    }

    @Override
    public void close() throws IOException {
        response.close();
    }
}
