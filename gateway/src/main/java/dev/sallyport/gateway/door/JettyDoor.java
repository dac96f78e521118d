package dev.sallyport.gateway.door;

import dev.sallyport.identity.ChildId;
import dev.sallyport.identity.InstallationId;
import io.micrometer.core.instrument.MeterRegistry;
import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.ServerSocketChannel;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Path;
import java.util.Collection;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.eclipse.jetty.http.CookieCompliance;
import org.eclipse.jetty.http.HttpCompliance;
import org.eclipse.jetty.http.MultiPartCompliance;
import org.eclipse.jetty.http.UriCompliance;
import org.eclipse.jetty.server.HttpConfiguration;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.util.HostPort;
import org.eclipse.jetty.util.VirtualThreads;
import org.eclipse.jetty.util.thread.QueuedThreadPool;
import org.jspecify.annotations.Nullable;

/** All doors of a host in one Jetty server and one connector of its own (S10). */
public final class JettyDoor implements Door {

    private static final int MOST_THREADS = 32;
    private static final int HEADER_LIMIT = 16 * 1024;

    private final Server server;
    private final DoorConnector connector;
    private final ModelProxy models;
    private final DoorSettings settings;
    private final BodyMemory memory;
    private final Path parent;
    private final Map<ChildId, Doorway> doorways = new ConcurrentHashMap<>();

    private JettyDoor(Server server, DoorConnector connector, ModelProxy models, DoorSettings settings, Path parent) {
        this.server = server;
        this.connector = connector;
        this.models = models;
        this.settings = settings;
        this.memory = new BodyMemory(settings.bodyMemory());
        this.parent = parent;
    }

    /**
     * Makes the parent directories and starts to serve; there is no door yet.
     *
     * @param scripts directory of the scripted models; null for none
     * @throws IllegalArgumentException if the path of a socket would be too long
     * @throws IOException if the directory cannot be used
     */
    public static JettyDoor start(
            DoorSettings settings,
            InstallationId installation,
            Occupants occupants,
            Credentials credentials,
            Collection<Provider> providers,
            @Nullable Path scripts,
            MeterRegistry registry)
            throws IOException {
        return start(
                settings,
                installation,
                occupants,
                credentials,
                providers,
                scripts,
                registry,
                Resolver.system(),
                new PublicAddresses());
    }

    /** As above, with another idea of the network. */
    static JettyDoor start(
            DoorSettings settings,
            InstallationId installation,
            Occupants occupants,
            Credentials credentials,
            Collection<Provider> providers,
            @Nullable Path scripts,
            MeterRegistry registry,
            Resolver resolver,
            AddressCheck addresses)
            throws IOException {
        Path parent = DoorDirectory.prepare(settings.base(), installation);
        DoorMetrics metrics = new DoorMetrics(registry);
        ModelProxy models =
                new ModelProxy(providers, new ScriptedModels(scripts), credentials, metrics, settings.modelBodyLimit());
        Server server = new Server(threads());
        DoorConnector connector = new DoorConnector(server, new DoorConnection.Factory(strictHttp()));
        server.addConnector(connector);
        server.setErrorHandler(new ProblemBody());
        server.setHandler(new Routes(occupants, new Egress(resolver, addresses, metrics, settings), models, settings));
        try {
            server.start();
        } catch (Exception e) {
            throw new IOException("the door did not start", e);
        }
        return new JettyDoor(server, connector, models, settings, parent);
    }

    private static QueuedThreadPool threads() {
        QueuedThreadPool threads = new QueuedThreadPool(MOST_THREADS);
        threads.setName("door");
        threads.setVirtualThreadsExecutor(VirtualThreads.getNamedVirtualThreadsExecutor("door-request-"));
        return threads;
    }

    private static HttpConfiguration strictHttp() {
        HttpConfiguration http = new HttpConfiguration();
        http.setHttpCompliance(HttpCompliance.STRICT);
        http.setUriCompliance(UriCompliance.RFC3986);
        http.setRequestCookieCompliance(CookieCompliance.RFC6265_STRICT);
        http.setMultiPartCompliance(MultiPartCompliance.RFC7578);
        // For requests that name no host. Jetty would take the path of the socket, and warn that it is none.
        http.setServerAuthority(new HostPort("localhost"));
        http.setRequestHeaderSize(HEADER_LIMIT);
        http.setResponseHeaderSize(HEADER_LIMIT);
        http.setSendServerVersion(false);
        http.setSendDateHeader(false);
        return http;
    }

    @Override
    public Path open(ChildId child, int incarnation) {
        DoorDirectory directory = DoorDirectory.of(parent, child);
        Doorway doorway = claim(new Doorway(child, incarnation, directory, settings, memory));
        try {
            directory.create();
        } catch (FileAlreadyExistsException e) {
            doorways.remove(child);
            throw new DoorException.AlreadyOpen(child);
        } catch (IOException e) {
            doorways.remove(child);
            throw new DoorException.Unavailable(directory.path(), e);
        }
        listen(doorway);
        return directory.path();
    }

    @Override
    public Path reopen(ChildId child, int incarnation) {
        DoorDirectory directory = DoorDirectory.of(parent, child);
        Doorway held = doorways.get(child);
        if (held != null && held.incarnation() == incarnation) {
            return directory.path();
        }
        Doorway doorway = claim(new Doorway(child, incarnation, directory, settings, memory));
        try {
            directory.takeOver();
        } catch (DoorException e) {
            doorways.remove(child);
            throw e;
        } catch (IOException e) {
            doorways.remove(child);
            throw new DoorException.Unavailable(directory.path(), e);
        }
        listen(doorway);
        return directory.path();
    }

    private Doorway claim(Doorway doorway) {
        if (doorways.putIfAbsent(doorway.child(), doorway) != null) {
            throw new DoorException.AlreadyOpen(doorway.child());
        }
        return doorway;
    }

    private void listen(Doorway doorway) {
        Path socket = doorway.directory().socket();
        try {
            ServerSocketChannel channel = ServerSocketChannel.open(StandardProtocolFamily.UNIX);
            try {
                channel.bind(UnixDomainSocketAddress.of(socket), DoorConnector.backlog());
                connector.accept(channel, doorway);
                doorway.directory().openToChild();
            } catch (IOException e) {
                channel.close();
                throw e;
            }
        } catch (IOException e) {
            close(doorway.child());
            throw new DoorException.Unavailable(socket, e);
        }
    }

    @Override
    public void close(ChildId child) {
        Doorway doorway = doorways.remove(child);
        // Also without a doorway: an earlier gateway may have left the directory.
        DoorDirectory directory = DoorDirectory.of(parent, child);
        try {
            if (doorway != null) {
                connector.forget(UnixDomainSocketAddress.of(directory.socket()));
                doorway.close();
            }
            directory.remove();
        } catch (IOException e) {
            throw new DoorException.Unavailable(directory.path(), e);
        }
    }

    /** Stops serving but leaves the directories: children that outlive this gateway have them mounted. */
    @Override
    public void close() {
        try {
            for (Doorway doorway : doorways.values()) {
                doorway.close();
            }
            server.stop();
        } catch (Exception e) {
            throw new IllegalStateException("the door did not stop", e);
        } finally {
            models.close();
        }
    }
}
