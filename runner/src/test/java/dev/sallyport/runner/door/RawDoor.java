package dev.sallyport.runner.door;

import java.io.IOException;
import java.io.InputStream;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedDeque;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;

/** Answers requests with bytes as they are written down, the last ones again and again, and knows who came and left. */
public final class RawDoor implements AutoCloseable {

    private final ServerSocketChannel server;
    private final Deque<String> answers;
    private final AtomicInteger came = new AtomicInteger();
    private final AtomicInteger answered = new AtomicInteger();
    private final CountDownLatch left = new CountDownLatch(1);

    public RawDoor(Path socket, String... answers) throws IOException {
        this.answers = new ConcurrentLinkedDeque<>(List.of(answers));
        this.server = ServerSocketChannel.open(StandardProtocolFamily.UNIX).bind(UnixDomainSocketAddress.of(socket));
        Thread.ofVirtual().start(this::accept);
    }

    /** Connections so far. */
    int came() {
        return came.get();
    }

    /** Requests that were there to their end. */
    int answered() {
        return answered.get();
    }

    /** Returns when somebody has closed a connection. */
    void awaitLeaving() throws InterruptedException {
        left.await();
    }

    private void accept() {
        try {
            while (true) {
                SocketChannel peer = server.accept();
                came.incrementAndGet();
                Thread.ofVirtual().start(() -> talk(peer));
            }
        } catch (IOException e) {
            // closed
        }
    }

    private void talk(SocketChannel peer) {
        try (peer) {
            HttpInput in = new HttpInput(Channels.newInputStream(peer));
            while (true) {
                in.line();
                in.body(in.headers(), InputStream.nullInputStream()).readAllBytes();
                String answer = answers.size() > 1 ? answers.remove() : answers.element();
                answered.incrementAndGet();
                peer.write(ByteBuffer.wrap(answer.getBytes(StandardCharsets.US_ASCII)));
            }
        } catch (IOException e) {
            left.countDown();
        }
    }

    @Override
    public void close() throws IOException {
        server.close();
    }
}
