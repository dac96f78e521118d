package dev.sallyport.runner.door;

import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.Channels;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/** The outside end of a door, for whoever plays the gateway: the rehearsal in this image, and tests. */
public final class DoorServer implements AutoCloseable {

    private final Path socket;
    private final Handler handler;
    private final ServerSocketChannel server;
    private final Set<SocketChannel> connections = ConcurrentHashMap.newKeySet();

    /** Answers one request; an exception closes the connection without an answer. */
    @FunctionalInterface
    public interface Handler {

        void handle(Request request, Responder answer) throws IOException, InterruptedException;
    }

    /**
     * What a child sent.
     *
     * @param headers by lower-case name
     */
    public record Request(String method, String path, Map<String, String> headers, InputStream body) {}

    private DoorServer(Path socket, Handler handler, ServerSocketChannel server) {
        this.socket = socket;
        this.handler = handler;
        this.server = server;
    }

    public static DoorServer open(Path socket, Handler handler) throws IOException {
        ServerSocketChannel server = ServerSocketChannel.open(StandardProtocolFamily.UNIX);
        DoorServer door = new DoorServer(socket, handler, server.bind(UnixDomainSocketAddress.of(socket)));
        Thread.ofVirtual().start(door::accept);
        return door;
    }

    /** Ends every connection, as a gateway that dies does. */
    @Override
    public void close() throws IOException {
        server.close();
        Files.deleteIfExists(socket);
        for (SocketChannel connection : connections) {
            connection.close();
        }
    }

    private void accept() {
        try {
            while (true) {
                SocketChannel connection = server.accept();
                connections.add(connection);
                Thread.ofVirtual().start(() -> serve(connection));
            }
        } catch (IOException e) {
            // closed
        }
    }

    private void serve(SocketChannel connection) {
        try (connection) {
            HttpInput in = new HttpInput(Channels.newInputStream(connection));
            OutputStream out = new BufferedOutputStream(Channels.newOutputStream(connection));
            while (true) {
                String[] words = in.line().split(" ", 3);
                Map<String, String> headers = in.headers();
                InputStream body =
                        words[0].equals("CONNECT") ? in.rest() : in.body(headers, InputStream.nullInputStream());
                Responder answer = new Responder(out);
                handler.handle(new Request(words[0], words[1], headers, body), answer);
                answer.finish();
                body.transferTo(OutputStream.nullOutputStream());
            }
        } catch (IOException e) {
            // the other end is gone
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } finally {
            connections.remove(connection);
        }
    }

    /** One answer, whole or streamed. */
    public static final class Responder {

        private final OutputStream out;
        private final ChunkedOutput chunks;
        private boolean streaming;

        Responder(OutputStream out) {
            this.out = out;
            this.chunks = new ChunkedOutput(out);
        }

        public void json(int status, String json) throws IOException {
            byte[] body = json.getBytes(StandardCharsets.UTF_8);
            head(status, "Content-Type: application/json\r\nContent-Length: %d\r\n".formatted(body.length));
            out.write(body);
            out.flush();
        }

        /** A body that ends when the handler returns. */
        public OutputStream stream(String contentType) throws IOException {
            head(200, "Content-Type: %s\r\nTransfer-Encoding: chunked\r\n".formatted(contentType));
            out.flush();
            streaming = true;
            return chunks;
        }

        /** Sends one server-sent event on a stream. */
        public void event(long id, String type, String data) throws IOException {
            chunks.write(
                    "id: %d\nevent: %s\ndata: %s\n\n".formatted(id, type, data).getBytes(StandardCharsets.UTF_8));
            chunks.flush();
        }

        /** Says yes to a CONNECT; what follows are bare bytes. */
        public OutputStream tunnel() throws IOException {
            head(200, "");
            out.flush();
            return out;
        }

        private void head(int status, String headers) throws IOException {
            out.write("HTTP/1.1 %d -\r\n%s\r\n".formatted(status, headers).getBytes(StandardCharsets.ISO_8859_1));
        }

        void finish() throws IOException {
            if (streaming) {
                chunks.finish();
            }
        }
    }
}
