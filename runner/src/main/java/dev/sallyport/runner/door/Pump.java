package dev.sallyport.runner.door;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.StandardProtocolFamily;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Path;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Semaphore;
import java.util.concurrent.locks.LockSupport;

/**
 * Makes the door's Unix socket reachable as {@code 127.0.0.1:3128}, where every program finds plain HTTP. It moves bytes and
 * understands none of them. While the gateway is away its callers see closed connections, and afterwards a working port.
 */
public final class Pump implements AutoCloseable {

    private static final int BUFFER = 64 * 1024;

    /** Connections at once; one more is taken and waits, the others wait in the kernel's queue. */
    private static final int MOST = 128;

    private final ServerSocketChannel server;
    private final Path socket;
    private final Semaphore slots = new Semaphore(MOST);
    private final Buffers buffers = new Buffers();

    private Pump(ServerSocketChannel server, Path socket) {
        this.server = server;
        this.socket = socket;
    }

    /**
     * Listens on the loopback address and nowhere else.
     *
     * @param port 0 for any
     */
    public static Pump open(int port, Path socket) throws IOException {
        ServerSocketChannel server = ServerSocketChannel.open(StandardProtocolFamily.INET);
        InetSocketAddress address = new InetSocketAddress(InetAddress.getLoopbackAddress(), port);
        Pump pump = new Pump(server.bind(address, 128), socket);
        Thread.ofVirtual().name("pump").start(pump::accept);
        return pump;
    }

    public int port() throws IOException {
        return ((InetSocketAddress) server.getLocalAddress()).getPort();
    }

    @Override
    public void close() throws IOException {
        server.close();
    }

    private void accept() {
        while (server.isOpen()) {
            try {
                SocketChannel caller = server.accept();
                slots.acquireUninterruptibly();
                Thread.ofVirtual().start(() -> serve(caller));
            } catch (IOException e) {
                if (server.isOpen()) {
                    // Out of file descriptors, most likely: some will be closed.
                    LockSupport.parkNanos(1_000_000);
                }
            }
        }
    }

    private void serve(SocketChannel caller) {
        try (caller;
                SocketChannel door = Connection.connect(socket)) {
            caller.setOption(StandardSocketOptions.TCP_NODELAY, true);
            Thread up = Thread.ofVirtual().start(() -> copy(caller, door));
            copy(door, caller);
            up.join();
        } catch (IOException e) {
            // The caller sees a closed connection, which says what there is to say.
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } finally {
            slots.release();
        }
    }

    /** Copies until the end of one direction and passes that end on; a failure ends both directions. */
    private void copy(SocketChannel from, SocketChannel to) {
        ByteBuffer buffer = buffers.take();
        try {
            while (from.read(buffer) >= 0) {
                buffer.flip();
                while (buffer.hasRemaining()) {
                    to.write(buffer);
                }
                buffer.clear();
            }
            to.shutdownOutput();
        } catch (IOException e) {
            closeBoth(from, to);
        } finally {
            buffers.give(buffer);
        }
    }

    private static void closeBoth(SocketChannel one, SocketChannel other) {
        try (one;
                other) {
            // closing is all
        } catch (IOException e) {
            // nothing is left to close
        }
    }

    /** Direct memory is freed late, so a few buffers are used again. */
    private static final class Buffers {

        private static final int KEPT = 8;

        private final ConcurrentLinkedQueue<ByteBuffer> spare = new ConcurrentLinkedQueue<>();

        ByteBuffer take() {
            ByteBuffer buffer = spare.poll();
            return buffer == null ? ByteBuffer.allocateDirect(BUFFER) : buffer.clear();
        }

        void give(ByteBuffer buffer) {
            if (spare.size() < KEPT) {
                spare.add(buffer);
            }
        }
    }
}
