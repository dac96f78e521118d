package dev.sallyport.gateway.door;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sallyport.containment.HostPort;
import dev.sallyport.containment.NetworkPolicy;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** T01 to T05, T08 to T12, T15, T19, T20 (exact hosts), T23. The upstream is on loopback, which here counts as public. */
@Timeout(60)
class EgressTest {

    @TempDir
    Path base;

    private final AtomicInteger connections = new AtomicInteger();
    private final CountDownLatch upstreamLeft = new CountDownLatch(1);
    private Upstream upstream;
    private TestDoor door;
    private FakeOccupant child;
    private Path directory;

    @BeforeEach
    void open() throws IOException {
        upstream = new Upstream();
        TestDoor.Builder builder = TestDoor.in(base).limits(16, 16, 20_000, 1000);
        builder.addresses = address -> address.equals(InetAddress.getLoopbackAddress());
        door = builder.start();
        child = door.child();
        child.network = NetworkPolicy.of(List.of(new HostPort("a.test", upstream.port())));
        door.names.put("a.test", List.of(InetAddress.getLoopbackAddress()));
        directory = door.open(child);
    }

    @AfterEach
    void close() throws IOException {
        door.close();
        upstream.close();
    }

    /** Sends every byte back, and counts who came. */
    private final class Upstream implements AutoCloseable {

        private final ServerSocket server = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());

        private final CompletableFuture<Void> accepting;

        Upstream() throws IOException {
            accepting = CompletableFuture.runAsync(this::accept, Thread::startVirtualThread);
        }

        private void accept() {
            while (!server.isClosed()) {
                try {
                    Socket socket = server.accept();
                    connections.incrementAndGet();
                    Thread.startVirtualThread(() -> echo(socket));
                } catch (IOException e) {
                    return;
                }
            }
        }

        private void echo(Socket socket) {
            try (socket) {
                socket.getInputStream().transferTo(socket.getOutputStream());
                upstreamLeft.countDown();
            } catch (IOException e) {
                upstreamLeft.countDown();
            }
        }

        int port() {
            return server.getLocalPort();
        }

        @Override
        public void close() throws IOException {
            server.close();
            // Until then the system may take a connection more.
            accepting.join();
        }
    }

    private static String connect(String target, String... headers) {
        StringBuilder text = new StringBuilder("CONNECT " + target + " HTTP/1.1\r\nHost: " + target + "\r\n");
        for (String header : headers) {
            text.append(header).append("\r\n");
        }
        return text + "\r\n";
    }

    private String listed() {
        return "a.test:" + upstream.port();
    }

    private void assertDenied(Wire.Answer answer, int status, String reason) {
        assertThat(answer.status()).isEqualTo(status);
        assertThat(answer.code()).isEqualTo("egress-" + reason);
        assertThat(answer.header("connection")).isEqualTo("close");
        assertThat(connections).hasValue(0);
        assertThat(child.observations).singleElement().isInstanceOfSatisfying(Observation.Egress.class, seen -> {
            assertThat(seen.allowed()).isFalse();
            assertThat(seen.reason()).isEqualTo(reason);
        });
        assertThat(door.count(DoorMetrics.EGRESS_DECISIONS, "decision", "denied", "reason", reason))
                .isEqualTo(1);
    }

    @Test
    void tunnelsToAListedHost() throws IOException {
        try (Wire wire = Wire.to(directory)) {
            wire.send(connect(listed()));
            assertThat(wire.head().status()).isEqualTo(200);

            wire.send("hello");

            assertThat(wire.read(5)).isEqualTo("hello");
        }
        assertThat(child.observations).containsExactly(new Observation.Egress(listed(), true, "listed"));
        assertThat(door.count(DoorMetrics.EGRESS_DECISIONS, "decision", "allowed"))
                .isEqualTo(1);
        assertThat(door.resolved).containsExactly("a.test");
    }

    @Test
    void carriesManyBytesBothWays() throws Exception {
        byte[] sent = new byte[4 << 20];
        for (int i = 0; i < sent.length; i++) {
            sent[i] = (byte) ('a' + i % 23);
        }
        try (Wire wire = Wire.to(directory)) {
            wire.send(connect(listed()));
            wire.head();

            CompletableFuture<Void> sending = CompletableFuture.runAsync(() -> {
                try {
                    wire.send(sent);
                } catch (IOException e) {
                    throw new AssertionError(e);
                }
            });

            assertThat(wire.read(sent.length)).isEqualTo(new String(sent, java.nio.charset.StandardCharsets.UTF_8));
            sending.join();
        }
    }

    /** Ten bytes, both ways together. */
    private static final class TenBytes implements Traffic {

        private int left = 10;
        private final CountDownLatch closed = new CountDownLatch(1);

        @Override
        public synchronized boolean take(int bytes) {
            if (bytes > left) {
                return false;
            }
            left -= bytes;
            return true;
        }

        @Override
        public void close() {
            closed.countDown();
        }
    }

    @Test // S19
    void aTunnelIsCutWhereItsBudgetEnds() throws Exception {
        TenBytes traffic = new TenBytes();
        child.traffic = () -> traffic;
        try (Wire wire = Wire.to(directory)) {
            wire.send(connect(listed()));
            wire.head();

            wire.send("hello");
            assertThat(wire.read(5)).isEqualTo("hello");
            wire.send("more");

            assertThat(wire.rest()).isEmpty();
        }
        assertThat(traffic.closed.await(10, TimeUnit.SECONDS)).isTrue();
        assertThat(child.observations).contains(new Observation.Egress(listed(), false, "budget"));
    }

    @Test // S19
    void whoHasNothingLeftGetsNoTunnel() throws Exception {
        child.traffic = () -> {
            throw new DoorProblem(402, "budget-egress", "used up");
        };

        assertThat(Wire.ask(directory, connect(listed())).status()).isEqualTo(402);

        assertThat(connections).hasValue(0);
    }

    @Test
    void matchesLogsAndResolvesOneSpelling() throws IOException {
        String spelled = "A.TeSt.:" + upstream.port();

        try (Wire wire = Wire.to(directory)) {
            wire.send(connect(spelled));

            assertThat(wire.head().status()).isEqualTo(200);
        }
        assertThat(door.resolved).containsExactly("a.test");
        assertThat(child.asked).containsExactly(new HostPort("a.test", upstream.port()));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "b.test:%d",
                "x.a.test:%d",
                "xa.test:%d",
                "a.test.evil.test:%d",
                "test:%d",
                "host.docker.internal:%d",
                "host-gateway:%d",
                "kubernetes.default.svc:%d",
                "metadata.google.internal:%d",
                "localhost:%d",
                "xn--80ak6aa92e.test:%d"
            })
    void refusesWhatIsNotListedBeforeItIsResolved(String target) throws IOException {
        assertDenied(Wire.ask(directory, connect(target.formatted(upstream.port()))), 403, "not-listed");
        assertThat(door.resolved).isEmpty();
        assertThat(child.asked).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(ints = {22, 25, 80, 443, 2375, 3128, 6443, 10250})
    void refusesPortsThatAreNotListed(int port) throws IOException {
        assertDenied(Wire.ask(directory, connect("a.test:" + port)), 403, "not-listed");
        assertThat(door.resolved).isEmpty();
    }

    @Test
    void refusesPlaintextEvenWhereItIsListed() throws IOException {
        child.network = NetworkPolicy.of(List.of(new HostPort("a.test", 80)));

        assertDenied(Wire.ask(directory, connect("a.test:80")), 403, "plaintext-port");
        assertThat(door.resolved).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "93.184.216.34:443",
                "2130706433:443",
                "0x7f000001:443",
                "0177.0.0.1:443",
                "127.1:443",
                "127.0.0.1:443",
                "0.0.0.0:443",
                "[::1]:443",
                "[::ffff:127.0.0.1]:443",
                "[64:ff9b::7f00:1]:443",
                "a.test:0",
                "a.test:65536",
                "a.test:+443",
                "a.test:443:443",
                "user@a.test:443",
                "a..test:443",
                "-a.test:443",
                "*.test:443",
                "a.test%00.evil.test:443",
                "evil.test%0d%0a:443"
            })
    void refusesWhatIsNoNameOfAHost(String target) throws IOException {
        Wire.Answer answer = Wire.ask(directory, connect(target));

        assertThat(answer.status()).isEqualTo(400);
        assertThat(connections).hasValue(0);
        assertThat(door.resolved).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = {"evil.test\0.a.test:443", "a.test\t:443", "a.test :443", "a.test\u0001:443"})
    void asksNoDnsAboutControlCharacters(String target) throws IOException {
        try (Wire wire = Wire.to(directory)) {
            wire.send("CONNECT " + target + " HTTP/1.1\r\nHost: a.test\r\n\r\n");

            assertThat(wire.rest()).startsWith("HTTP/1.1 4");
        }
        assertThat(door.resolved).isEmpty();
        assertThat(connections).hasValue(0);
    }

    @Test
    void refusesANameThatLeadsInside() throws Exception {
        door.names.put("a.test", List.of(InetAddress.getByName("169.254.169.254")));

        assertDenied(Wire.ask(directory, connect(listed())), 403, "address-refused");
    }

    @Test
    void refusesANameWithOneAddressThatLeadsInside() throws Exception {
        door.names.put("a.test", List.of(InetAddress.getLoopbackAddress(), InetAddress.getByName("10.0.0.5")));

        assertDenied(Wire.ask(directory, connect(listed())), 403, "address-refused");
    }

    @Test
    void checksTheAddressOfEveryNewConnection() throws Exception {
        try (Wire wire = Wire.to(directory)) {
            wire.send(connect(listed()));
            assertThat(wire.head().status()).isEqualTo(200);
        }

        door.names.put("a.test", List.of(InetAddress.getByName("127.0.0.2")));

        assertThat(Wire.ask(directory, connect(listed())).code()).isEqualTo("egress-address-refused");
        assertThat(connections).hasValue(1);
    }

    @Test
    void dialsTheAddressThatWasCheckedAndAsksDnsOnce() throws IOException {
        try (Wire wire = Wire.to(directory)) {
            wire.send(connect(listed()));

            // `a.test` exists in no real DNS: had anyone resolved it again, there would be no tunnel.
            assertThat(wire.head().status()).isEqualTo(200);
        }
        assertThat(door.resolved).hasSize(1);
    }

    @Test
    void saysThatANameHasNoAddress() throws IOException {
        door.names.remove("a.test");

        assertDenied(Wire.ask(directory, connect(listed())), 502, "unresolved");
    }

    @Test
    void saysThatNobodyAnswers() throws IOException {
        upstream.close();

        Wire.Answer answer = Wire.ask(directory, connect(listed()));

        assertThat(answer.status()).isEqualTo(502);
        assertThat(answer.code()).isEqualTo("egress-unreachable");
    }

    @ParameterizedTest
    @EnumSource(names = {"DENIED", "UNAVAILABLE", "EXPIRED", "CANCELLED"})
    void keepsTheOutcomesOfAskingApart(Verdict.Decision decision) throws IOException {
        child.connection = new Verdict(decision, "because", null);

        Wire.Answer answer = Wire.ask(directory, connect(listed()));

        assertDenied(answer, 403, decision.name().toLowerCase(Locale.ROOT));
        assertThat(answer.json().get("detail").asString()).contains("because");
        assertThat(door.resolved).isEmpty();
    }

    @Test
    void letsTheChildAskAgainWhileAPersonThinks() throws IOException {
        child.connection = new Verdict(Verdict.Decision.PENDING, null, "pqr234abcdefghij");

        Wire.Answer answer = Wire.ask(directory, connect(listed()));

        assertThat(answer.status()).isEqualTo(403);
        assertThat(answer.code()).isEqualTo("ask_pending");
        assertThat(answer.header("retry-after")).isEqualTo("5");
        assertThat(door.resolved).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "http://evil.test/?x=secret",
                "http://a.test/",
                "https://a.test/",
                "http://127.0.0.1:3128/v1/workspace",
                "http://localhost/v1/workspace",
                "http://door/v1/workspace",
                "ftp://a.test/"
            })
    void offersNoPlainHttpNotEvenToItself(String target) throws IOException {
        child.source = new byte[] {1};
        String host = target.replaceFirst("^[a-z]+://", "").replaceFirst("/.*", "");

        Wire.Answer answer = Wire.ask(directory, "GET %s HTTP/1.1\r\nHost: %s\r\n\r\n".formatted(target, host));

        assertThat(answer.status()).isEqualTo(403);
        assertThat(answer.code()).isEqualTo("egress-absolute-form");
        assertThat(door.resolved).isEmpty();
        assertThat(child.observations).hasSize(1);
    }

    @Test
    void judgesTheNextRequestOfAConnectionByItself() throws IOException {
        child.source = new byte[] {1};
        try (Wire wire = Wire.to(directory)) {
            wire.send("GET /v1/workspace HTTP/1.1\r\nHost: a.test\r\n\r\n");
            wire.send("GET http://evil.test/ HTTP/1.1\r\nHost: evil.test\r\n\r\n");

            assertThat(wire.answer().status()).isEqualTo(200);
            assertThat(wire.answer().status()).isEqualTo(403);
        }
    }

    @Test
    void takesNoInstructionFromHeaders() throws IOException {
        assertDenied(
                Wire.ask(
                        directory,
                        connect(
                                "b.test:443",
                                "Proxy-Authorization: Basic YTpi",
                                "X-Forwarded-Host: " + listed(),
                                "Forwarded: host=" + listed())),
                403,
                "not-listed");
    }

    @Test
    void takesTheTargetNotTheHostHeader() throws IOException {
        Wire.Answer answer = Wire.ask(directory, "CONNECT b.test:443 HTTP/1.1\r\nHost: " + listed() + "\r\n\r\n");

        assertThat(answer.status()).isIn(400, 403);
        assertThat(door.resolved).isEmpty();
    }

    @Test
    void closesTheTunnelWithTheChild() throws Exception {
        try (Wire wire = Wire.to(directory)) {
            wire.send(connect(listed()));
            wire.head();
            wire.send("x");
            wire.read(1);

            door.door.close(child.child);

            assertThat(wire.rest()).isEmpty();
            assertThat(upstreamLeft.await(20, TimeUnit.SECONDS)).isTrue();
        }
    }

    @Test
    void letsGoOfTheUpstreamWhenTheChildHangsUp() throws Exception {
        try (Wire wire = Wire.to(directory)) {
            wire.send(connect(listed()));
            wire.head();
        }

        assertThat(upstreamLeft.await(20, TimeUnit.SECONDS)).isTrue();
    }

    @Test
    void interruptsAHeldConnectWhenTheChildEnds() throws Exception {
        child.hold = true;
        try (Wire wire = Wire.to(directory)) {
            wire.send(connect(listed()));
            child.holding.await();

            door.door.close(child.child);

            assertThat(child.released.await(20, TimeUnit.SECONDS)).isTrue();
            wire.rest();
        }
        assertThat(door.resolved).isEmpty();
        assertThat(connections).hasValue(0);
    }

    @Test
    void countsTunnelsAsConnections() throws Exception {
        List<Wire> tunnels = new java.util.ArrayList<>();
        for (int i = 0; i < 16; i++) {
            Wire wire = Wire.to(directory);
            wire.send(connect(listed()));
            assertThat(wire.head().status()).isEqualTo(200);
            tunnels.add(wire);
        }

        try (Wire tooMany = Wire.to(directory)) {
            assertThat(tooMany.rest()).isEmpty();
        }
        for (Wire tunnel : tunnels) {
            tunnel.close();
        }
    }
}
