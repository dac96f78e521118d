package dev.sallyport.gateway.door;

import java.io.Closeable;
import java.io.IOException;
import java.net.SocketAddress;
import java.nio.channels.SelectableChannel;
import java.nio.channels.SelectionKey;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import org.eclipse.jetty.io.Connection;
import org.eclipse.jetty.io.EndPoint;
import org.eclipse.jetty.io.ManagedSelector;
import org.eclipse.jetty.io.SelectorManager;
import org.eclipse.jetty.server.AbstractConnector;
import org.eclipse.jetty.server.ConnectionFactory;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.util.thread.Scheduler;
import org.jspecify.annotations.Nullable;

/**
 * Accepts from the sockets of all children. One of Jetty's own connectors per child would cost a thread and more than
 * 100 KiB each.
 */
final class DoorConnector extends AbstractConnector {

    // Longer than anything that is held: Jetty would end a request that waits for a person or a model.
    private static final Duration IDLE = Duration.ofMinutes(30);
    private static final int SELECTORS = 1;
    private static final int BACKLOG = 128;

    private final Map<SocketAddress, Doorway> doorways = new ConcurrentHashMap<>();
    private final SelectorManager selectors;

    DoorConnector(Server server, ConnectionFactory factory) {
        super(server, null, null, null, 0, factory);
        setIdleTimeout(IDLE.toMillis());
        selectors = new Sockets(getExecutor(), getScheduler());
        installBean(selectors, true);
    }

    static int backlog() {
        return BACKLOG;
    }

    void accept(ServerSocketChannel channel, Doorway doorway) throws IOException {
        channel.configureBlocking(false);
        doorways.put(channel.getLocalAddress(), doorway);
        Closeable acceptor = selectors.acceptor(channel);
        doorway.listensBy(channel, acceptor);
    }

    void forget(SocketAddress address) {
        doorways.remove(address);
    }

    @Override
    protected void accept(int acceptor) {
        throw new IllegalStateException("there are no acceptor threads");
    }

    @Override
    public @Nullable Object getTransport() {
        return null;
    }

    /** The only place where it is settled who a connection belongs to. */
    private @Nullable Doorway doorwayOf(SocketChannel channel) throws IOException {
        return doorways.get(channel.getLocalAddress());
    }

    private final class Sockets extends SelectorManager {

        private Sockets(Executor executor, Scheduler scheduler) {
            super(executor, scheduler, SELECTORS);
        }

        @Override
        protected void accepted(SelectableChannel accepted) throws IOException {
            SocketChannel channel = (SocketChannel) accepted;
            Doorway doorway = doorwayOf(channel);
            if (doorway == null || !doorway.admits()) {
                channel.close();
                return;
            }
            channel.configureBlocking(false);
            accept(channel);
        }

        @Override
        protected EndPoint newEndPoint(SelectableChannel selectable, ManagedSelector selector, SelectionKey key)
                throws IOException {
            SocketChannel channel = (SocketChannel) selectable;
            Doorway doorway = doorwayOf(channel);
            if (doorway == null) {
                throw new IOException("the door was closed");
            }
            DoorEndPoint endPoint = new DoorEndPoint(channel, selector, key, getScheduler(), doorway);
            endPoint.setIdleTimeout(getIdleTimeout());
            if (!doorway.connected(endPoint)) {
                throw new IOException("the door was closed");
            }
            return endPoint;
        }

        @Override
        public Connection newConnection(SelectableChannel channel, EndPoint endPoint, @Nullable Object attachment) {
            return getDefaultConnectionFactory().newConnection(DoorConnector.this, endPoint);
        }

        @Override
        protected void endPointOpened(EndPoint endPoint) {
            super.endPointOpened(endPoint);
            onEndPointOpened(endPoint);
        }

        @Override
        protected void endPointClosed(EndPoint endPoint) {
            onEndPointClosed(endPoint);
            super.endPointClosed(endPoint);
        }
    }
}
