package dev.sallyport.runner.door;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Map;
import java.util.function.Consumer;
import tools.jackson.core.JacksonException;

/** Server-sent events across connections: each command is handed on once, whatever breaks in between. */
final class ControlStream {

    private final Consumer<Command> commands;
    private String last = "";

    ControlStream(Consumer<Command> commands) {
        this.commands = commands;
    }

    Map<String, String> headers() {
        Map<String, String> headers = new HashMap<>(Map.of("Accept", "text/event-stream"));
        if (!last.isEmpty()) {
            headers.put("Last-Event-ID", last);
        }
        return headers;
    }

    /** Reads until the stream ends; an event that is cut off in the middle will come again. */
    void follow(InputStream body) throws IOException {
        BufferedReader lines = new BufferedReader(new InputStreamReader(body, StandardCharsets.UTF_8));
        String id = last;
        String type = "";
        StringBuilder data = new StringBuilder();
        for (String line = lines.readLine(); line != null; line = lines.readLine()) {
            if (line.isEmpty()) {
                if (!data.isEmpty()) {
                    last = id;
                    hand(type, data.toString());
                }
                type = "";
                data.setLength(0);
            } else if (line.startsWith("id:")) {
                id = value(line);
            } else if (line.startsWith("event:")) {
                type = value(line);
            } else if (line.startsWith("data:")) {
                data.append(data.isEmpty() ? "" : "\n").append(value(line));
            }
        }
    }

    private void hand(String type, String data) throws IOException {
        try {
            commands.accept(new Command(type, Json.read(data)));
        } catch (JacksonException e) {
            throw new IOException("control event `%s` is not JSON".formatted(type), e);
        }
    }

    private static String value(String line) {
        String value = line.substring(line.indexOf(':') + 1);
        return value.startsWith(" ") ? value.substring(1) : value;
    }
}
