package dev.sallyport.gateway.door;

import dev.sallyport.containment.HostPort;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.concurrent.ConcurrentMap;
import org.eclipse.jetty.io.Connection;
import org.eclipse.jetty.io.EndPoint;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.server.handler.ConnectHandler;
import org.eclipse.jetty.util.Callback;
import org.eclipse.jetty.util.Promise;

/**
 * Tunnels to the hosts of a child's network list and to nothing else.
 *
 * <p>One canonical name is matched, asked about, resolved and logged; the addresses that were checked are the ones dialled,
 * so that a second answer of DNS changes nothing (T05).
 */
final class Egress extends ConnectHandler {

    private static final int TUNNEL_BUFFER = 65_536;
    private static final int HTTP_PORT = 80;
    private static final Duration RETRY_PENDING = Duration.ofSeconds(5);
    private static final String CHANNEL = Egress.class.getName() + ".channel";

    private static final String TUNNEL = Egress.class.getName() + ".tunnel";
    private static final String BUDGET = "budget";

    private final Resolver resolver;
    private final AddressCheck addresses;
    private final DoorMetrics metrics;
    private final DoorSettings settings;

    Egress(Resolver resolver, AddressCheck addresses, DoorMetrics metrics, DoorSettings settings) {
        this.resolver = resolver;
        this.addresses = addresses;
        this.metrics = metrics;
        this.settings = settings;
        setBufferSize(TUNNEL_BUFFER);
        setIdleTimeout(settings.tunnelIdle().toMillis());
    }

    /**
     * Judges, dials and answers.
     *
     * @param asked the target of the request as it was sent
     */
    void connect(Occupant occupant, String asked, Request request, Response response, Callback callback)
            throws InterruptedException {
        HostPort target;
        try {
            target = HostPort.parse(asked);
        } catch (IllegalArgumentException e) {
            throw refuse(
                    occupant, Names.shown(asked), "name-refused", 400, Names.shown(String.valueOf(e.getMessage())));
        }
        judge(occupant, target);
        Traffic traffic = traffic(occupant, target);
        SocketChannel channel = dial(target, checkedAddresses(occupant, target));
        request.setAttribute(CHANNEL, channel);
        request.setAttribute(TUNNEL, new Tunnel(occupant, target, traffic));
        handleConnect(request, response, callback, target.toString());
    }

    /** Plain HTTP through the gateway is not offered: nothing could tell the child whether anybody changed the answer. */
    DoorProblem absoluteForm(Occupant occupant, String asked) {
        return refuse(
                occupant,
                Names.shown(asked),
                "absolute-form",
                403,
                "only CONNECT is offered: use https, or a client that tunnels");
    }

    private Traffic traffic(Occupant occupant, HostPort target) {
        try {
            return occupant.traffic();
        } catch (DoorProblem exhausted) {
            observe(occupant, target.toString(), false, BUDGET);
            throw exhausted;
        }
    }

    /** What is known of a tunnel while it carries something. */
    private record Tunnel(Occupant occupant, HostPort target, Traffic traffic) {}

    @Override
    protected void prepareContext(Request request, ConcurrentMap<String, Object> context) {
        context.put(TUNNEL, Objects.requireNonNull(request.getAttribute(TUNNEL)));
    }

    @Override
    protected UpstreamConnection newUpstreamConnection(EndPoint endPoint, ConnectContext context) {
        Tunnel tunnel = (Tunnel) Objects.requireNonNull(context.getRequest().getAttribute(TUNNEL));
        UpstreamConnection connection = super.newUpstreamConnection(endPoint, context);
        connection.addEventListener(new Connection.Listener() {
            @Override
            public void onClosed(Connection closed) {
                Thread.ofVirtual().name("door-tunnel-closed").start(tunnel.traffic()::close);
            }
        });
        return connection;
    }

    /** Both ways. The books are in a database, which no thread that serves all children waits for. */
    @Override
    protected void write(
            EndPoint endPoint, ByteBuffer buffer, Callback callback, ConcurrentMap<String, Object> context) {
        Tunnel tunnel = (Tunnel) Objects.requireNonNull(context.get(TUNNEL));
        if (tunnel.traffic().equals(Traffic.UNLIMITED)) {
            super.write(endPoint, buffer, callback, context);
            return;
        }
        Thread.ofVirtual().name("door-tunnel").start(() -> {
            try {
                if (tunnel.traffic().take(buffer.remaining())) {
                    super.write(endPoint, buffer, callback, context);
                } else {
                    observe(tunnel.occupant(), tunnel.target().toString(), false, BUDGET);
                    callback.failed(new IOException("the egress budget is used up"));
                }
            } catch (RuntimeException e) {
                // What cannot be counted is not carried.
                callback.failed(e);
            }
        });
    }

    private void judge(Occupant occupant, HostPort target) throws InterruptedException {
        if (!occupant.network().allows(target)) {
            throw refuse(
                    occupant,
                    target.toString(),
                    "not-listed",
                    403,
                    target + " is not in the network list of this child");
        }
        if (target.port() == HTTP_PORT) {
            throw refuse(occupant, target.toString(), "plaintext-port", 403, "no tunnel to port 80: use https");
        }
        Verdict verdict = occupant.mayConnect(target, settings.connectWait());
        if (verdict.decision() == Verdict.Decision.PENDING) {
            observe(occupant, target.toString(), false, "ask-pending");
            throw new DoorProblem(
                    403, "ask_pending", target + " waits for a person; ask again later", null, RETRY_PENDING);
        }
        if (verdict.decision() != Verdict.Decision.ALLOWED) {
            throw refuse(
                    occupant,
                    target.toString(),
                    verdict.decision().name().toLowerCase(Locale.ROOT),
                    403,
                    target + ": "
                            + Objects.requireNonNullElse(
                                    verdict.reason(), verdict.decision().wire()));
        }
    }

    private List<InetAddress> checkedAddresses(Occupant occupant, HostPort target) {
        List<InetAddress> found = resolve(target.host());
        if (found.isEmpty()) {
            throw refuse(occupant, target.toString(), "unresolved", 502, target.host() + " has no address");
        }
        // All of them: a name that also leads inside is not a public name.
        if (!found.stream().allMatch(addresses::allows)) {
            throw refuse(
                    occupant,
                    target.toString(),
                    "address-refused",
                    403,
                    target.host() + " has an address that is not public");
        }
        observe(occupant, target.toString(), true, "listed");
        return found;
    }

    private List<InetAddress> resolve(String host) {
        try {
            return resolver.resolve(host);
        } catch (UnknownHostException e) {
            return List.of();
        }
    }

    private SocketChannel dial(HostPort target, List<InetAddress> found) {
        for (InetAddress address : found) {
            try {
                SocketChannel channel = SocketChannel.open();
                try {
                    // By the socket, which has a time limit; the virtual thread waits.
                    channel.socket()
                            .connect(
                                    new InetSocketAddress(address, target.port()),
                                    Math.toIntExact(settings.connectTimeout().toMillis()));
                    channel.socket().setTcpNoDelay(true);
                    channel.configureBlocking(false);
                    return channel;
                } catch (IOException e) {
                    channel.close();
                }
            } catch (IOException e) {
                break;
            }
        }
        throw new DoorProblem(502, "egress-unreachable", target + " does not answer");
    }

    private DoorProblem refuse(Occupant occupant, String target, String reason, int status, String detail) {
        observe(occupant, target, false, reason);
        return new DoorProblem(status, "egress-" + reason, detail);
    }

    private void observe(Occupant occupant, String target, boolean allowed, String reason) {
        metrics.egress(allowed, reason);
        occupant.observed(new Observation.Egress(target, allowed, reason));
    }

    /** Hands over the channel that was dialled; Jetty's own would resolve the name again. */
    @Override
    protected void connectToServer(Request request, String host, int port, Promise<SocketChannel> promise) {
        promise.succeeded((SocketChannel) Objects.requireNonNull(request.getAttribute(CHANNEL)));
    }

    @Override
    protected void onConnectFailure(Request request, Response response, Callback callback, Throwable failure) {
        ProblemBody.write(response, callback, new DoorProblem(502, "egress-unreachable", "the tunnel failed"), true);
    }
}
