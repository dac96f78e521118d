package dev.sallyport.bench;

import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Locale;

/** One keep-alive connection to a child's door, with nothing in it that takes time. */
final class DoorConnection implements AutoCloseable {

    private final SocketChannel channel;
    private final InputStream in;

    DoorConnection(Path socket) throws IOException {
        channel = SocketChannel.open(StandardProtocolFamily.UNIX);
        channel.connect(UnixDomainSocketAddress.of(socket));
        in = new BufferedInputStream(Channels.newInputStream(channel));
    }

    /** The body of the answer; anything but 200 is a failure of the bench. */
    String post(String path, String json) throws IOException {
        byte[] body = json.getBytes(StandardCharsets.UTF_8);
        String head = "POST %s HTTP/1.1\r\nHost: door\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n"
                .formatted(path, body.length);
        ByteBuffer request = ByteBuffer.allocate(head.length() + body.length);
        request.put(head.getBytes(StandardCharsets.US_ASCII)).put(body).flip();
        while (request.hasRemaining()) {
            channel.write(request);
        }
        String status = line();
        int length = 0;
        for (String header = line(); !header.isEmpty(); header = line()) {
            if (header.toLowerCase(Locale.ROOT).startsWith("content-length:")) {
                length = Integer.parseInt(
                        header.substring("content-length:".length()).trim());
            }
        }
        String answer = new String(in.readNBytes(length), StandardCharsets.UTF_8);
        if (!status.contains(" 200 ")) {
            throw new IOException(status + " " + answer);
        }
        return answer;
    }

    private String line() throws IOException {
        StringBuilder line = new StringBuilder();
        for (int c = in.read(); c != '\n'; c = in.read()) {
            if (c < 0) {
                throw new IOException("the door closed the connection");
            }
            if (c != '\r') {
                line.append((char) c);
            }
        }
        return line.toString();
    }

    @Override
    public void close() throws IOException {
        channel.close();
    }
}
