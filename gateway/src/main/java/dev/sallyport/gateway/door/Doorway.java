package dev.sallyport.gateway.door;

import dev.sallyport.identity.ChildId;
import java.io.Closeable;
import java.io.IOException;
import java.nio.channels.ServerSocketChannel;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.eclipse.jetty.io.EndPoint;
import org.jspecify.annotations.Nullable;

/** The open door of one incarnation of one child: its socket, and everything that came in by it. */
final class Doorway {

    private final ChildId child;
    private final int incarnation;
    private final DoorDirectory directory;
    private final int mostConnections;
    private final int mostRequests;

    // All guarded by this.
    private final Set<EndPoint> connections = new HashSet<>();
    private final Set<Thread> busy = new HashSet<>();
    private @Nullable Thread listening;
    private @Nullable ServerSocketChannel channel;
    private @Nullable Closeable acceptor;
    private boolean closed;

    Doorway(ChildId child, int incarnation, DoorDirectory directory, DoorSettings settings) {
        this.child = child;
        this.incarnation = incarnation;
        this.directory = directory;
        this.mostConnections = settings.connectionsPerChild();
        this.mostRequests = settings.requestsPerChild();
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

    /** False if the door was closed meanwhile; the connection is then the caller's to close. */
    synchronized boolean connected(EndPoint connection) {
        return !closed && connections.add(connection);
    }

    synchronized void disconnected(EndPoint connection) {
        connections.remove(connection);
    }

    /** Begins a request on the current thread. False if the child has as many as it may. */
    synchronized boolean enter() {
        return !closed && busy.size() < mostRequests && busy.add(Thread.currentThread());
    }

    synchronized void leave() {
        Thread current = Thread.currentThread();
        busy.remove(current);
        if (listening == current) {
            listening = null;
        }
    }

    /** Makes the current request the child's only control stream; the one before ends, since a runner that reconnects left it. */
    synchronized void listen() {
        if (listening != null) {
            listening.interrupt();
        }
        listening = Thread.currentThread();
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
            busy.forEach(Thread::interrupt);
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
