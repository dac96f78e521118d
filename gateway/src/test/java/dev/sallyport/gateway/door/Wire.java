package dev.sallyport.gateway.door;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.nio.channels.SocketChannel;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import tools.jackson.databind.JsonNode;

/** One connection to a door that sends exactly the bytes it is told to, as a hostile child would. */
final class Wire implements AutoCloseable {

    private final SocketChannel channel;
    private final InputStream in;

    private Wire(SocketChannel channel) {
        this.channel = channel;
        this.in = new BufferedInputStream(Channels.newInputStream(channel));
    }

    static Wire to(Path directory) throws IOException {
        return new Wire(SocketChannel.open(UnixDomainSocketAddress.of(directory.resolve("door.sock"))));
    }

    /** One request on a connection of its own. */
    static Answer ask(Path directory, String request) throws IOException {
        try (Wire wire = to(directory)) {
            wire.send(request);
            return wire.answer();
        }
    }

    static Answer get(Path directory, String target) throws IOException {
        return ask(directory, "GET " + target + " HTTP/1.1\r\nHost: door\r\n\r\n");
    }

    static Answer post(Path directory, String target, String body, String... headers) throws IOException {
        return ask(directory, request("POST", target, body, headers));
    }

    static Answer put(Path directory, String target, String body, String... headers) throws IOException {
        return ask(directory, request("PUT", target, body, headers));
    }

    static String request(String method, String target, String body, String... headers) {
        StringBuilder text = new StringBuilder(method + " " + target + " HTTP/1.1\r\nHost: door\r\n");
        for (String header : headers) {
            text.append(header).append("\r\n");
        }
        return text + "Content-Length: " + body.getBytes(UTF_8).length + "\r\n\r\n" + body;
    }

    Wire send(String text) throws IOException {
        return send(text.getBytes(UTF_8));
    }

    Wire send(byte[] bytes) throws IOException {
        ByteBuffer buffer = ByteBuffer.wrap(bytes);
        while (buffer.hasRemaining()) {
            channel.write(buffer);
        }
        return this;
    }

    /** Status and headers; the body is left on the wire. */
    Answer head() throws IOException {
        String status = line();
        List<String> headers = new ArrayList<>();
        for (String line = line(); !line.isEmpty(); line = line()) {
            headers.add(line);
        }
        return new Answer(Integer.parseInt(status, 9, 12, 10), headers, "");
    }

    Answer answer() throws IOException {
        Answer head = head();
        if (head.status() == 100) {
            return answer();
        }
        ByteArrayOutputStream body = new ByteArrayOutputStream();
        if ("chunked".equals(head.header("transfer-encoding"))) {
            for (byte[] chunk = chunk(); chunk.length > 0; chunk = chunk()) {
                body.writeBytes(chunk);
            }
        } else {
            String length = head.header("content-length");
            body.writeBytes(length == null ? in.readAllBytes() : in.readNBytes(Integer.parseInt(length)));
        }
        return new Answer(head.status(), head.headers(), body.toString(UTF_8));
    }

    /** The next chunk of a chunked body, empty at its end. */
    byte[] chunk() throws IOException {
        String size = line();
        // Jetty sends the end of a chunk together with the next one.
        byte[] chunk = in.readNBytes(Integer.parseInt(size.isEmpty() ? line() : size, 16));
        if (chunk.length == 0) {
            line();
        }
        return chunk;
    }

    /** Reads chunks until one of them holds an event of this type. */
    String event(String type) throws IOException {
        while (true) {
            byte[] chunk = chunk();
            if (chunk.length == 0) {
                throw new IOException("the stream ended before " + type);
            }
            String text = new String(chunk, UTF_8);
            if (text.contains("event: " + type + "\n")) {
                return text;
            }
        }
    }

    String read(int bytes) throws IOException {
        return new String(in.readNBytes(bytes), UTF_8);
    }

    /** Everything until the other side closes; a reset counts as closing. */
    String rest() {
        ByteArrayOutputStream rest = new ByteArrayOutputStream();
        try {
            in.transferTo(rest);
        } catch (IOException e) {
            return rest.toString(UTF_8);
        }
        return rest.toString(UTF_8);
    }

    void shutdownOutput() throws IOException {
        channel.shutdownOutput();
    }

    private String line() throws IOException {
        ByteArrayOutputStream line = new ByteArrayOutputStream();
        for (int next = in.read(); next != '\n'; next = in.read()) {
            if (next < 0) {
                throw new IOException("closed after: " + line);
            }
            line.write(next);
        }
        String text = line.toString(ISO_8859_1);
        return text.endsWith("\r") ? text.substring(0, text.length() - 1) : text;
    }

    @Override
    public void close() throws IOException {
        channel.close();
    }

    record Answer(int status, List<String> headers, String body) {

        String header(String name) {
            return headers.stream()
                    .filter(line -> line.toLowerCase(Locale.ROOT).startsWith(name + ":"))
                    .map(line -> line.substring(name.length() + 1).strip())
                    .findFirst()
                    .orElse(null);
        }

        JsonNode json() {
            return Json.MAPPER.readTree(body);
        }

        String code() {
            return json().path("code").asString("");
        }
    }
}
