package dev.sallyport.gateway.door;

import dev.sallyport.identity.ChildId;
import java.io.Closeable;
import java.io.IOException;
import java.nio.channels.ServerSocketChannel;
import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.eclipse.jetty.io.EndPoint;
import org.jspecify.annotations.Nullable;

/** The open door of one incarnation of one child: its socket, and everything that came in by it. */
final class Doorway {

    private static final Duration RETRY = Duration.ofSeconds(1);

    private final ChildId child;
    private final int incarnation;
    private final DoorDirectory directory;
    private final int mostConnections;
    private final int mostRequests;
    private final BodyMemory memory;

    // All guarded by this.
    private final Set<EndPoint> connections = new HashSet<>();
    /** The thread of each request, and how many bytes of memory it holds. */
    private final Map<Thread, Long> busy = new HashMap<>();

    private @Nullable Thread listening;
    private @Nullable ServerSocketChannel channel;
    private @Nullable Closeable acceptor;
    private boolean closed;

    Doorway(ChildId child, int incarnation, DoorDirectory directory, DoorSettings settings, BodyMemory memory) {
        this.child = child;
        this.incarnation = incarnation;
        this.directory = directory;
        this.mostConnections = settings.connectionsPerChild();
        this.mostRequests = settings.requestsPerChild();
        this.memory = memory;
    }

    ChildId child() {
        return child;
    }

    int incarnation() {
        return incarnation;
    }

    DoorDirectory directory() {
        return directory;
    }

    synchronized void listensBy(ServerSocketChannel channel, Closeable acceptor) {
        this.channel = channel;
        this.acceptor = acceptor;
    }

    synchronized boolean admits() {
        return !closed && connections.size() < mostConnections;
    }

    /** Of many accepted at once more were admitted than there is room for. False: the connection is the caller's to close. */
    synchronized boolean connected(EndPoint connection) {
        return admits() && connections.add(connection);
    }

    synchronized void disconnected(EndPoint connection) {
        connections.remove(connection);
    }

    /** Begins a request on the current thread. False if the child has as many as it may. */
    synchronized boolean enter() {
        return !closed && busy.size() < mostRequests && busy.putIfAbsent(Thread.currentThread(), 0L) == null;
    }

    synchronized void leave() {
        Thread current = Thread.currentThread();
        Long held = busy.remove(current);
        memory.giveBack(held == null ? 0 : held);
        if (listening == current) {
            listening = null;
        }
    }

    /**
     * Lets the current request hold more memory, until it leaves.
     *
     * @throws DoorProblem if that is more than one may ever hold, or more than there is for this child now
     */
    synchronized void hold(long bytes) {
        long own = busy.getOrDefault(Thread.currentThread(), 0L) + bytes;
        if (!memory.couldHold(own)) {
            throw new DoorProblem(413, "request-too-large", "body (expected: one that takes less memory)");
        }
        long held = busy.values().stream().mapToLong(Long::longValue).sum();
        if (!memory.take(held, bytes)) {
            throw new DoorProblem(
                    429, "too-much-at-once", "the requests of this child take too much memory", null, RETRY);
        }
        busy.put(Thread.currentThread(), own);
    }

    /**
     * Makes the current request the child's only control stream, since a runner that reconnects left the one before. That
     * one ends when it looks: interrupted in a query it would take a connection of the database's with it, and a child can
     * reconnect a thousand times a second.
     */
    synchronized void listen() {
        listening = Thread.currentThread();
    }

    /** Whether the current request is still the control stream. */
    synchronized boolean isListening() {
        return !closed && listening == Thread.currentThread();
    }

    synchronized boolean isClosed() {
        return closed;
    }

    /** Ends every request and tunnel. The socket file is left alone. */
    void close() throws IOException {
        List<EndPoint> open;
        Closeable accepting;
        ServerSocketChannel listener;
        synchronized (this) {
            closed = true;
            accepting = acceptor;
            listener = channel;
            open = List.copyOf(connections);
            // Under the lock, so that no thread is interrupted after it left.
            busy.keySet().forEach(Thread::interrupt);
        }
        if (accepting != null) {
            accepting.close();
        }
        if (listener != null) {
            listener.close();
        }
        open.forEach(EndPoint::close);
    }
}
