package dev.sallyport.standalone;

import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Arrays;
import java.util.function.Function;
import jdk.net.ExtendedSocketOptions;
import jdk.net.UnixDomainPrincipal;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Where a terminal becomes a person: whoever the kernel says is the same user may ask for a short-lived token that
 * approves. The token lives in memory only, so there is no file, variable or configuration an agent could pick it up from
 * (S23). An agent that runs unsandboxed as this user can do the same as this user: docs/SECURITY.md says so.
 */
final class LoginSocket implements AutoCloseable {

    private static final Logger LOG = LoggerFactory.getLogger(LoginSocket.class);
    private static final byte[] REQUEST = "login\n".getBytes(StandardCharsets.US_ASCII);

    private final ServerSocketChannel server;
    private final Path path;
    private final String owner;
    private final Function<String, String> login;

    private LoginSocket(ServerSocketChannel server, Path path, String owner, Function<String, String> login) {
        this.server = server;
        this.path = path;
        this.owner = owner;
        this.login = login;
    }

    /**
     * @param owner the one user who may log in
     * @param login from the peer's user name to the line of JSON that answers it
     */
    static LoginSocket open(Path path, String owner, Function<String, String> login) throws IOException {
        Files.deleteIfExists(path);
        ServerSocketChannel server = ServerSocketChannel.open(StandardProtocolFamily.UNIX);
        server.bind(UnixDomainSocketAddress.of(path));
        Files.setPosixFilePermissions(path, PosixFilePermissions.fromString("rw-------"));
        LoginSocket socket = new LoginSocket(server, path, owner, login);
        Thread.ofVirtual().name("login").start(socket::serve);
        return socket;
    }

    private void serve() {
        while (server.isOpen()) {
            try {
                SocketChannel peer = server.accept();
                Thread.ofVirtual().name("login-peer").start(() -> answer(peer));
            } catch (ClosedChannelException e) {
                return;
            } catch (IOException e) {
                LOG.warn("login socket: {}", e.getMessage());
            }
        }
    }

    private void answer(SocketChannel peer) {
        try (peer) {
            UnixDomainPrincipal who = peer.getOption(ExtendedSocketOptions.SO_PEERCRED);
            String user = who.user().getName();
            if (!user.equals(owner)) {
                LOG.warn("login refused: peer is another user");
                return;
            }
            ByteBuffer request = ByteBuffer.allocate(REQUEST.length);
            while (request.hasRemaining() && peer.read(request) >= 0) {
                // a slow peer holds up nobody but itself
            }
            if (Arrays.equals(request.array(), REQUEST)) {
                peer.write(ByteBuffer.wrap((login.apply(user) + "\n").getBytes(StandardCharsets.UTF_8)));
            }
        } catch (IOException e) {
            LOG.debug("login peer left: {}", e.getMessage());
        }
    }

    @Override
    public void close() throws IOException {
        server.close();
        Files.deleteIfExists(path);
    }
}
