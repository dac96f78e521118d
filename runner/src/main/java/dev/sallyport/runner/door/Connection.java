package dev.sallyport.runner.door;

import java.io.BufferedOutputStream;
import java.io.Closeable;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.Channels;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.locks.LockSupport;

/**
 * One HTTP/1.1 connection to the door's Unix socket.
 *
 * <p>The JDK's HttpClient cannot speak to a Unix socket. Through our own pump it could, at the price of a second hop for each
 * tool call and some 10 MiB of every idle child; the door is one server that we know, so this little is enough.
 */
final class Connection implements Closeable {

    private static final int CONNECTS = 20;

    private final SocketChannel channel;
    private final HttpInput in;
    private final OutputStream out;

    private Connection(SocketChannel channel) {
        this.channel = channel;
        this.in = new HttpInput(Channels.newInputStream(channel));
        this.out = new BufferedOutputStream(Channels.newOutputStream(channel), 16 * 1024);
    }

    static Connection open(Path socket) throws IOException {
        return new Connection(connect(socket));
    }

    /**
     * A channel to the socket. A full accept queue is an error at once where others would wait (virtual threads connect
     * without blocking), so this tries for a moment.
     */
    static SocketChannel connect(Path socket) throws IOException {
        for (int attempt = 1; ; attempt++) {
            try {
                return SocketChannel.open(UnixDomainSocketAddress.of(socket));
            } catch (IOException e) {
                if (attempt == CONNECTS) {
                    throw e;
                }
                LockSupport.parkNanos(5_000_000);
            }
        }
    }

    Reply get(String path, Map<String, String> headers) throws IOException {
        head("GET", path, headers);
        out.flush();
        return reply();
    }

    Reply post(String path, byte[] json) throws IOException {
        return post(path, json, Map.of());
    }

    Reply post(String path, byte[] json, Map<String, String> more) throws IOException {
        return send("POST", path, json, more);
    }

    Reply put(String path, byte[] json) throws IOException {
        return send("PUT", path, json, Map.of());
    }

    private Reply send(String method, String path, byte[] json, Map<String, String> more) throws IOException {
        Map<String, String> headers = new LinkedHashMap<>(more);
        headers.put("Content-Type", "application/json");
        headers.put("Content-Length", String.valueOf(json.length));
        head(method, path, headers);
        out.write(json);
        out.flush();
        return reply();
    }

    <E extends Exception> Reply put(String path, String contentType, Door.Sink<E> body)
            throws E, IOException, InterruptedException {
        head("PUT", path, Map.of("Content-Type", contentType, "Transfer-Encoding", "chunked"));
        ChunkedOutput chunks = new ChunkedOutput(out);
        body.writeTo(chunks);
        chunks.finish();
        return reply();
    }

    private void head(String method, String path, Map<String, String> headers) throws IOException {
        StringBuilder head = new StringBuilder();
        head.append(method).append(' ').append(path).append(" HTTP/1.1\r\nHost: 127.0.0.1:3128\r\n");
        headers.forEach(
                (name, value) -> head.append(name).append(": ").append(value).append("\r\n"));
        out.write(head.append("\r\n").toString().getBytes(StandardCharsets.ISO_8859_1));
    }

    private Reply reply() throws IOException {
        int status = status(in.line());
        while (status / 100 == 1) {
            in.headers();
            status = status(in.line());
        }
        Map<String, String> headers = in.headers();
        InputStream body = status == 204 || status == 304 ? InputStream.nullInputStream() : in.body(headers, in.rest());
        return new Reply(status, headers, body);
    }

    private static int status(String line) throws IOException {
        if (!line.matches("HTTP/1\\.1 [1-5]\\d\\d( .*)?")) {
            throw new IOException("not an HTTP answer");
        }
        return Integer.parseInt(line.substring(9, 12));
    }

    @Override
    public void close() throws IOException {
        channel.close();
    }
}
