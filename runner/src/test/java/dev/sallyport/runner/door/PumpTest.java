package dev.sallyport.runner.door;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.Channels;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class PumpTest {

    @TempDir
    Path directory;

    private Path socket;
    private ServerSocketChannel door;
    private Pump pump;

    @BeforeEach
    void open() throws IOException {
        socket = directory.resolve("door.sock");
        listen();
        pump = Pump.open(0, socket);
    }

    @AfterEach
    void close() throws IOException {
        pump.close();
        door.close();
    }

    @Test
    void listensNowhereButOnOneAddress() {
        assertThatThrownBy(() -> new Socket("127.0.0.2", pump.port())).isInstanceOf(ConnectException.class);
    }

    @Test
    void passesAnEndOnAndKeepsTheOtherDirectionOpen() throws Exception {
        CompletableFuture<String> heard = serve((in, out) -> {
            String all = new String(in.readAllBytes(), UTF_8);
            out.write("answer after the end".getBytes(UTF_8));
            return all;
        });

        try (Socket caller = connect()) {
            caller.getOutputStream().write("question".getBytes(UTF_8));
            caller.shutdownOutput();

            assertThat(new String(caller.getInputStream().readAllBytes(), UTF_8))
                    .isEqualTo("answer after the end");
        }
        assertThat(heard.get()).isEqualTo("question");
    }

    @Test
    void movesLargeStreamsBothWaysAtOnceUnchanged() throws Exception {
        byte[] up = bytes(1, 24 << 20);
        byte[] down = bytes(2, 24 << 20);
        CompletableFuture<byte[]> heard = serve((in, out) -> {
            Thread writer = Thread.ofVirtual().start(() -> write(out, down));
            byte[] all = in.readNBytes(up.length);
            writer.join();
            return all;
        });

        try (Socket caller = connect()) {
            OutputStream out = caller.getOutputStream();
            Thread writer = Thread.ofVirtual().start(() -> write(out, up));

            assertThat(caller.getInputStream().readNBytes(down.length)).isEqualTo(down);
            writer.join();
        }
        assertThat(heard.get()).isEqualTo(up);
    }

    @Test
    void closesCallersWhileTheDoorIsGoneAndServesThemWhenItIsBack() throws Exception {
        door.close();
        Files.delete(socket);
        assertThatThrownBy(this::ask).isInstanceOf(IOException.class);

        listen();
        CompletableFuture<String> heard = serve((in, out) -> {
            out.write('!');
            return new String(in.readNBytes(1), UTF_8);
        });

        assertThat(ask()).isEqualTo('!');
        assertThat(heard.get()).isEqualTo("?");
    }

    @Test
    void endsTheCallerWhenTheDoorDiesInTheMiddle() throws Exception {
        CompletableFuture<SocketChannel> accepted = new CompletableFuture<>();
        Thread.ofVirtual().start(() -> {
            try {
                accepted.complete(door.accept());
            } catch (IOException e) {
                accepted.completeExceptionally(e);
            }
        });

        try (Socket caller = connect()) {
            caller.getOutputStream().write(1);
            accepted.get().close();

            assertThat(readOrReset(caller)).isEqualTo(-1);
        }
    }

    @Test
    void servesManyConnectionsAndReusesTheirPlaces() throws Exception {
        for (int round = 0; round < 3; round++) {
            List<Socket> callers = new ArrayList<>();
            List<CompletableFuture<Integer>> heard = new ArrayList<>();
            for (int i = 0; i < 100; i++) {
                heard.add(serve((in, out) -> {
                    int said = in.read();
                    out.write(said);
                    return said;
                }));
                callers.add(connect());
            }
            for (Socket caller : callers) {
                caller.getOutputStream().write('x');
            }
            for (Socket caller : callers) {
                assertThat(caller.getInputStream().read()).isEqualTo('x');
                caller.close();
            }
            for (CompletableFuture<Integer> said : heard) {
                assertThat(said.get()).isEqualTo('x');
            }
        }
    }

    @Test
    void holdsNoMoreConnectionsThanItHasPlaces() throws Exception {
        List<Socket> callers = new ArrayList<>();
        for (int i = 0; i <= 128; i++) {
            var _ = serve((in, out) -> {
                int said = in.read();
                out.write(said);
                return in.read();
            });
            Socket caller = connect();
            callers.add(caller);
            caller.getOutputStream().write('x');
            if (i < 128) {
                assertThat(caller.getInputStream().read()).isEqualTo('x');
            }
        }
        Socket last = callers.getLast();
        last.setSoTimeout(300);
        assertThatThrownBy(() -> last.getInputStream().read()).isInstanceOf(SocketTimeoutException.class);

        callers.getFirst().close();

        last.setSoTimeout(20_000);
        assertThat(last.getInputStream().read()).isEqualTo('x');
        for (Socket caller : callers) {
            caller.close();
        }
    }

    private interface Side<T> {

        T talk(InputStream in, OutputStream out) throws Exception;
    }

    private <T> CompletableFuture<T> serve(Side<T> side) {
        CompletableFuture<T> result = new CompletableFuture<>();
        Thread.ofVirtual().start(() -> {
            try (SocketChannel channel = door.accept()) {
                result.complete(side.talk(Channels.newInputStream(channel), Channels.newOutputStream(channel)));
            } catch (Exception e) {
                result.completeExceptionally(e);
            }
        });
        return result;
    }

    private void listen() throws IOException {
        door = ServerSocketChannel.open(StandardProtocolFamily.UNIX).bind(UnixDomainSocketAddress.of(socket));
    }

    private Socket connect() throws IOException {
        return new Socket(InetAddress.getLoopbackAddress(), pump.port());
    }

    private int ask() throws IOException {
        try (Socket caller = connect()) {
            caller.getOutputStream().write('?');
            int answer = caller.getInputStream().read();
            if (answer < 0) {
                throw new IOException("closed");
            }
            return answer;
        }
    }

    private static int readOrReset(Socket caller) {
        try {
            return caller.getInputStream().read();
        } catch (IOException reset) {
            return -1;
        }
    }

    private static void write(OutputStream out, byte[] bytes) {
        try {
            out.write(bytes);
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    private static byte[] bytes(long seed, int length) {
        byte[] bytes = new byte[length];
        new Random(seed).nextBytes(bytes);
        return bytes;
    }
}
