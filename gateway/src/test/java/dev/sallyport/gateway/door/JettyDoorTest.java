package dev.sallyport.gateway.door;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sallyport.identity.ChildId;
import dev.sallyport.identity.InstallationId;
import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.ServerSocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** S9, S10: the socket is the identity, and there is nothing else behind it. */
@Timeout(60)
class JettyDoorTest {

    private static final String AUTHORIZE = """
            {"callId":"1","tool":"bash","arguments":{"command":"id"},"directory":"/workspace"}""";

    @TempDir
    Path base;

    @Test
    void takesTheSocketForTheChildWhateverTheRequestSays() throws IOException {
        try (TestDoor door = TestDoor.in(base).start()) {
            FakeOccupant a = door.child();
            FakeOccupant b = door.child();
            Path doorOfA = door.open(a);
            door.open(b);

            Wire.Answer answer = Wire.ask(doorOfA, """
                    POST /v1/authorize HTTP/1.1\r
                    Host: %2$s\r
                    X-Forwarded-For: %2$s\r
                    X-Forwarded-Host: %2$s\r
                    Forwarded: for=%2$s;host=%2$s\r
                    X-Child-Id: %2$s\r
                    Authorization: Bearer %2$s\r
                    Cookie: child=%2$s\r
                    Content-Length: %3$d\r
                    \r
                    %1$s""".formatted(AUTHORIZE, b.child, AUTHORIZE.length()));

            assertThat(answer.status()).isEqualTo(200);
            assertThat(a.calls).hasSize(1);
            assertThat(b.calls).isEmpty();
        }
    }

    @Test
    void servesNothingToAChildThatIsNotLiveInThisIncarnation() throws IOException {
        try (TestDoor door = TestDoor.in(base).start()) {
            FakeOccupant child = door.child();
            Path directory = door.door.open(child.child, 2);

            Wire.Answer answer = Wire.post(directory, "/v1/authorize", AUTHORIZE);

            assertThat(answer.status()).isEqualTo(410);
            assertThat(answer.code()).isEqualTo("child-ended");
            assertThat(child.calls).isEmpty();
        }
    }

    @Test
    void servesNothingMoreOnAConnectionThatOutlivesItsChild() throws IOException {
        try (TestDoor door = TestDoor.in(base).start()) {
            FakeOccupant child = door.child();
            try (Wire wire = Wire.to(door.open(child))) {
                wire.send(Wire.request("POST", "/v1/authorize", AUTHORIZE));
                assertThat(wire.answer().status()).isEqualTo(200);

                door.live.remove(child.child);
                wire.send(Wire.request("POST", "/v1/authorize", AUTHORIZE));

                assertThat(wire.answer().status()).isEqualTo(410);
            }
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "GET /",
                "GET /actuator",
                "GET /actuator/health",
                "GET /actuator/prometheus",
                "POST /v1/children:batch",
                "GET /v1/asks",
                "POST /v1/asks/abcdefghijklmnop/answer",
                "GET /v1/inbox?all=true",
                "PUT /v1/sessions/abcdefghijklmnop/lease",
                "POST /v1/decisions",
                "GET /v1/credentials",
                "GET /v1/trust",
                "POST /v1/trust",
                "POST /v1/control",
                "GET /v1/events",
                "DELETE /v1/workspace",
                "GET /console",
                "GET /swagger-ui/index.html",
                "GET /v3/api-docs",
                "GET /model/scripted/v1/messages",
                "POST /model/scripted/v1/models",
                "POST /model/scripted/v1/chat/completions",
                "POST /model/unknown/v1/messages",
                "OPTIONS *"
            })
    void hasNoOtherRoute(String line) throws IOException {
        try (TestDoor door = TestDoor.in(base).start()) {
            Path directory = door.open(door.child());

            Wire.Answer answer = Wire.ask(directory, line + " HTTP/1.1\r\nHost: door\r\n\r\n");

            assertThat(answer.status()).isIn(404, line.endsWith("*") ? 403 : 404);
            assertThat(answer.header("content-type")).isEqualTo("application/problem+json");
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "/v1//workspace",
                "//v1/workspace",
                "/v1/./workspace",
                "/x/../v1/workspace",
                "/v1/%77orkspace",
                "/v1%2fworkspace",
                "/v1/workspace/",
                "/v1/workspace;x=1",
                "/v1/%2e%2e/v1/workspace",
                "/v1/workspace?",
                "/v1/workspace?x=1",
                "/v1/workspace#x",
                "/V1/workspace",
                "/v1/workspace%00",
                "\\v1\\workspace"
            })
    void knowsOneSpellingOfARoute(String target) throws IOException {
        try (TestDoor door = TestDoor.in(base).start()) {
            FakeOccupant child = door.child();
            child.source = new byte[] {1};
            Path directory = door.open(child);

            assertThat(Wire.get(directory, "/v1/workspace").status()).isEqualTo(200);
            assertThat(Wire.get(directory, target).status()).isIn(400, 403, 404);
        }
    }

    @Test
    void keepsEverybodyElseAwayFromTheSocket() throws IOException {
        Path below = base.resolve("doors");
        try (TestDoor door = TestDoor.in(below).start()) {
            Path directory = door.open(door.child());

            assertThat(mode(below)).isEqualTo("rwx------");
            assertThat(mode(directory.getParent())).isEqualTo("rwx------");
            assertThat(mode(directory)).isEqualTo("rwxr-xr-x");
            assertThat(mode(directory.resolve("door.sock"))).isEqualTo("rw-rw-rw-");
        }
    }

    @Test
    void refusesToStartWhereASocketPathWouldBeTooLong() {
        Path deep = Path.of("/tmp/" + "d".repeat(60));

        assertThatThrownBy(() -> TestDoor.in(deep).start())
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("at most 100 bytes, this gives 109");
        assertThat(deep).doesNotExist();
    }

    @Test
    void refusesToStartBelowADirectoryThatOthersCanWrite() throws IOException {
        Path open = Files.createDirectory(base.resolve("open"));
        Files.setPosixFilePermissions(open, PosixFilePermissions.fromString("rwxrwxrwx"));

        assertThatThrownBy(() -> TestDoor.in(open).start()).isInstanceOf(IOException.class);
    }

    @Test
    void refusesToStartBelowALink() throws IOException {
        Path real = Files.createDirectory(base.resolve("real"));
        Path link = Files.createSymbolicLink(base.resolve("link"), real);

        assertThatThrownBy(() -> TestDoor.in(link).start()).isInstanceOf(IOException.class);
    }

    @Test
    void endsTunnelsRequestsAndFilesWithTheChild() throws Exception {
        try (TestDoor door = TestDoor.in(base).start()) {
            FakeOccupant child = door.child();
            FakeOccupant other = door.child();
            child.hold = true;
            Path directory = door.open(child);
            Path doorOfOther = door.open(other);
            try (Wire held = Wire.to(directory)) {
                held.send(Wire.request("POST", "/v1/authorize", AUTHORIZE));
                child.holding.await();

                door.door.close(child.child);

                // Cut off, or told why, as the race between the two goes; never an answer to the call.
                assertThat(held.rest()).matches(rest -> rest.isEmpty() || rest.startsWith("HTTP/1.1 410"));
                assertThat(directory).doesNotExist();
                assertThat(Wire.post(doorOfOther, "/v1/authorize", AUTHORIZE).status())
                        .isEqualTo(200);
            }
            door.door.close(child.child);
        }
    }

    @Test
    void givesAChildOneDoor() throws IOException {
        try (TestDoor door = TestDoor.in(base).start()) {
            FakeOccupant child = door.child();
            Path directory = door.open(child);

            assertThatThrownBy(() -> door.open(child)).isInstanceOf(DoorException.AlreadyOpen.class);
            assertThat(Wire.post(directory, "/v1/authorize", AUTHORIZE).status())
                    .isEqualTo(200);
            assertThat(door.door.reopen(child.child, 1)).isEqualTo(directory);
        }
    }

    @Test
    void servesAChildAgainThatOutlivedTheGateway() throws IOException {
        TestDoor.Builder builder = TestDoor.in(base);
        FakeOccupant child;
        Path directory;
        try (TestDoor crashed = builder.start()) {
            child = crashed.child();
            directory = crashed.open(child);
        }
        assertThat(directory.resolve("door.sock")).exists();

        try (TestDoor door = builder.start()) {
            door.live.put(child.child, child);

            assertThat(door.door.reopen(child.child, 1)).isEqualTo(directory);
            assertThat(Wire.post(directory, "/v1/authorize", AUTHORIZE).status())
                    .isEqualTo(200);
        }
    }

    @Test
    void findsOutWhoeverReplacedTheSocketMeanwhile() throws IOException {
        ChildId child = new ChildId("abcdefghijklmnop");
        InstallationId installation = new InstallationId("abcdefghijklmnop");
        Path directory = base.resolve(installation.value()).resolve(child.value());
        Path socket = directory.resolve("door.sock");
        List<Planting> plantings = List.of(
                () -> Files.writeString(socket, "file"),
                () -> Files.createSymbolicLink(socket, Path.of("/tmp/elsewhere")),
                () -> Files.createDirectory(socket),
                () -> {
                    bind(socket);
                    Files.setAttribute(socket, "unix:uid", 4242);
                },
                () -> {
                    bind(socket);
                    Files.writeString(directory.resolve("more"), "file");
                },
                () -> {
                    Files.delete(directory);
                    Files.createSymbolicLink(directory, Files.createTempDirectory(base, "real"));
                },
                () -> Files.delete(directory),
                () -> Files.setAttribute(directory, "unix:uid", 4242));
        for (Planting planting : plantings) {
            TestDoor.Builder builder = TestDoor.in(base);
            builder.installation = installation;
            try (TestDoor door = builder.start()) {
                Files.createDirectories(directory);

                planting.plant();

                assertThatThrownBy(() -> door.door.reopen(child, 1)).isInstanceOf(DoorException.Tampered.class);
            }
            deleteAll(base.resolve(installation.value()));
        }
    }

    private interface Planting {
        void plant() throws IOException;
    }

    @Test
    void doesNotLetOneChildUseUpTheRequestsOfAnother() throws Exception {
        try (TestDoor door = TestDoor.in(base).limits(2, 10, 1000, 1000).start()) {
            FakeOccupant greedy = door.child();
            FakeOccupant other = door.child();
            greedy.hold = true;
            Path directory = door.open(greedy);
            try (Wire first = Wire.to(directory);
                    Wire second = Wire.to(directory)) {
                first.send(Wire.request("POST", "/v1/authorize", AUTHORIZE));
                second.send(Wire.request("POST", "/v1/authorize", AUTHORIZE));
                awaitCalls(greedy, 2);

                Wire.Answer third = Wire.post(directory, "/v1/authorize", AUTHORIZE);

                assertThat(third.status()).isEqualTo(429);
                assertThat(third.header("retry-after")).isEqualTo("1");
                assertThat(Wire.post(door.open(other), "/v1/authorize", AUTHORIZE)
                                .status())
                        .isEqualTo(200);
            }
        }
    }

    @Test
    void letsNoChildFillTheHeapWithWhatItSends() throws Exception {
        try (TestDoor door = TestDoor.in(base).memory(1 << 20).start()) {
            FakeOccupant greedy = door.child();
            greedy.hold = true;
            Path directory = door.open(greedy);
            String large = authorize("\"" + "x".repeat(60_000) + "\"");
            try (Wire first = Wire.to(directory);
                    Wire second = Wire.to(directory)) {
                first.send(Wire.request("POST", "/v1/authorize", large));
                second.send(Wire.request("POST", "/v1/authorize", large));
                awaitCalls(greedy, 2);

                Wire.Answer third = Wire.post(directory, "/v1/authorize", large);

                assertThat(third.status()).isEqualTo(429);
                assertThat(third.code()).isEqualTo("too-much-at-once");
                FakeOccupant other = door.child();
                Path doorOfOther = door.open(other);
                for (int i = 0; i < 20; i++) {
                    assertThat(Wire.post(doorOfOther, "/v1/authorize", authorize("\"" + "x".repeat(20_000) + "\""))
                                    .status())
                            .isEqualTo(200);
                }
            }
        }
    }

    @Test
    void countsWhatABodyBecomesAndNotOnlyHowLongItIs() throws IOException {
        try (TestDoor door = TestDoor.in(base).memory(1 << 20).start()) {
            Path directory = door.open(door.child());

            Wire.Answer brackets = Wire.post(directory, "/v1/authorize", authorize("[" + "[],".repeat(10_000) + "[]]"));

            assertThat(brackets.status()).isEqualTo(413);
            assertThat(Wire.post(directory, "/v1/authorize", authorize("\"" + "x".repeat(30_000) + "\""))
                            .status())
                    .isEqualTo(200);
        }
    }

    private static String authorize(String command) {
        return AUTHORIZE.replace("\"id\"", command);
    }

    @Test
    void closesConnectionsBeyondTheLimitOfAChild() throws IOException {
        try (TestDoor door = TestDoor.in(base).limits(2, 3, 1000, 1000).start()) {
            Path directory = door.open(door.child());
            List<Wire> open = new ArrayList<>();
            for (int i = 0; i < 3; i++) {
                Wire wire = Wire.to(directory);
                wire.send(Wire.request("POST", "/v1/authorize", AUTHORIZE));
                assertThat(wire.answer().status()).isEqualTo(200);
                open.add(wire);
            }

            try (Wire tooMany = Wire.to(directory)) {
                assertThat(tooMany.rest()).isEmpty();
            }
            assertThat(Wire.post(door.open(door.child()), "/v1/authorize", AUTHORIZE)
                            .status())
                    .isEqualTo(200);
            for (Wire wire : open) {
                wire.close();
            }
        }
    }

    @Test
    void countsConnectionsThatComeAllAtOnce() throws IOException {
        try (TestDoor door = TestDoor.in(base).limits(2, 3, 1000, 1000).start()) {
            Path directory = door.open(door.child());
            List<Wire> all = new ArrayList<>();
            for (int i = 0; i < 400; i++) {
                all.add(Wire.to(directory));
            }

            int served = 0;
            for (Wire wire : all) {
                try {
                    wire.send(Wire.request("POST", "/v1/authorize", AUTHORIZE));
                    served += wire.answer().status() == 200 ? 1 : 0;
                } catch (IOException closed) {
                    // One too many.
                }
            }

            assertThat(served).isBetween(1, 3);
            for (Wire wire : all) {
                wire.close();
            }
        }
    }

    @Test
    void holdsAThousandDoorsWithFewThreads() throws IOException {
        try (TestDoor door = TestDoor.in(base).start()) {
            int before = Thread.activeCount();
            List<Path> directories = new ArrayList<>();
            List<Wire> idle = new ArrayList<>();
            for (int i = 0; i < 1000; i++) {
                directories.add(door.open(door.child()));
                idle.add(Wire.to(directories.getLast()));
            }

            assertThat(Wire.post(directories.getLast(), "/v1/authorize", AUTHORIZE)
                            .status())
                    .isEqualTo(200);
            assertThat(Wire.post(directories.getFirst(), "/v1/authorize", AUTHORIZE)
                            .status())
                    .isEqualTo(200);
            assertThat(Thread.activeCount() - before).isLessThan(40);
            for (Wire wire : idle) {
                wire.close();
            }
        }
    }

    @Test
    void saysNothingAboutAFailureOfOurs() throws IOException {
        try (TestDoor door = TestDoor.in(base).start()) {
            FakeOccupant child = door.child();
            child.verdict = null;

            Wire.Answer answer = Wire.post(door.open(child), "/v1/authorize", AUTHORIZE);

            assertThat(answer.status()).isEqualTo(500);
            assertThat(answer.code()).isEqualTo("internal");
            assertThat(answer.body()).doesNotContain("Exception").doesNotContain("dev.sallyport");
        }
    }

    private static void awaitCalls(FakeOccupant occupant, int count) throws Exception {
        CompletableFuture.runAsync(() -> {
                    while (occupant.calls.size() < count) {
                        Thread.onSpinWait();
                    }
                })
                .get(20, TimeUnit.SECONDS);
    }

    private static void bind(Path socket) throws IOException {
        try (ServerSocketChannel channel = ServerSocketChannel.open(StandardProtocolFamily.UNIX)) {
            channel.bind(UnixDomainSocketAddress.of(socket));
        }
    }

    private static void deleteAll(Path directory) throws IOException {
        try (var found = Files.walk(directory)) {
            for (Path path : found.sorted(java.util.Comparator.reverseOrder()).toList()) {
                Files.delete(path);
            }
        }
    }

    private static String mode(Path path) throws IOException {
        return PosixFilePermissions.toString(Files.getPosixFilePermissions(path));
    }
}
