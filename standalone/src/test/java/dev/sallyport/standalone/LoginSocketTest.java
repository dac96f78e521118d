package dev.sallyport.standalone;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** S23: only the same user becomes a person who approves. */
@Timeout(30)
class LoginSocketTest {

    private static final String US = System.getProperty("user.name");

    @TempDir
    private Path directory;

    @Test
    void theOwnerLogsIn() throws IOException {
        try (LoginSocket _ = open(US)) {
            assertThat(said("login\n")).isEqualTo("a token for " + US + "\n");
        }
    }

    @Test
    void anotherUserGetsNothing() throws IOException {
        try (LoginSocket _ = open("somebody-else")) {
            assertThat(said("login\n")).isEmpty();
        }
    }

    @Test
    void whoeverSaysSomethingElseGetsNothing() throws IOException {
        try (LoginSocket _ = open(US)) {
            assertThat(said("logon\n")).isEmpty();
            assertThat(said("log")).isEmpty();
        }
    }

    @Test
    void aPeerThatSaysNothingHoldsUpNobody() throws IOException {
        try (LoginSocket _ = open(US);
                SocketChannel silent = SocketChannel.open(UnixDomainSocketAddress.of(path()))) {
            assertThat(silent.isConnected()).isTrue();
            assertThat(said("login\n")).startsWith("a token");
        }
    }

    @Test
    void theSocketIsForItsOwnerOnlyAndGoesWithIt() throws IOException {
        try (LoginSocket _ = open(US)) {
            assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(path())))
                    .isEqualTo("rw-------");
        }

        assertThat(path()).doesNotExist();
    }

    private LoginSocket open(String owner) throws IOException {
        return LoginSocket.open(path(), owner, user -> "a token for " + user);
    }

    private Path path() {
        return directory.resolve("login.sock");
    }

    private String said(String request) {
        try (SocketChannel peer = SocketChannel.open(UnixDomainSocketAddress.of(path()))) {
            peer.write(ByteBuffer.wrap(request.getBytes(StandardCharsets.US_ASCII)));
            peer.shutdownOutput();
            return new String(Channels.newInputStream(peer).readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException closedWithOurWordsUnread) {
            return "";
        }
    }
}
