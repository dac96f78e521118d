package dev.sallyport.cli;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.URI;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;
import java.util.Set;

/** The directory in which a running Sallyport says where it answers and what proves that one may ask. */
record Home(Path directory) {

    private static final int MAX_LOGIN = 16 * 1024;

    /** Where the two services answer, and which installation they are. */
    record Endpoint(URI gateway, URI permissions, String installation) {}

    static Home of(Environment environment) {
        Path user = Path.of(environment.variable("HOME").orElse(System.getProperty("user.home")));
        return new Home(environment
                .variable("SALLYPORT_HOME")
                .map(Path::of)
                .orElseGet(() -> environment
                        .variable("XDG_STATE_HOME")
                        .map(Path::of)
                        .orElse(user.resolve(".local/state"))
                        .resolve("sallyport")));
    }

    /** @throws Failure if Sallyport is not running */
    Endpoint endpoint() {
        Json json = parse("endpoint.json");
        try {
            return new Endpoint(
                    URI.create(json.text("gateway")), URI.create(json.text("permissions")), json.text("installation"));
        } catch (IllegalArgumentException e) {
            throw Failure.of("endpoint-invalid", "no addresses in " + directory.resolve("endpoint.json"));
        }
    }

    /** What a session's verbs prove themselves with. It changes at each start of Sallyport. */
    String sessionToken() {
        return read("session.token").strip();
    }

    /** A person's token, handed out to this user's processes over a socket and kept in memory only (S23). */
    String login() {
        try (SocketChannel channel = SocketChannel.open(StandardProtocolFamily.UNIX)) {
            channel.connect(UnixDomainSocketAddress.of(directory.resolve("login.sock")));
            channel.write(ByteBuffer.wrap("login\n".getBytes(UTF_8)));
            ByteBuffer answer = ByteBuffer.allocate(MAX_LOGIN);
            while (answer.hasRemaining() && channel.read(answer) >= 0) {
                if (answer.get(answer.position() - 1) == '\n') {
                    break;
                }
            }
            Json json = Json.parse(new String(answer.array(), 0, answer.position(), UTF_8));
            if (json.text("token").isEmpty()) {
                throw Failure.of("login-refused", "sallyport does not let this user log in");
            }
            return json.text("token");
        } catch (IOException e) {
            throw Failure.notRunning();
        } catch (IllegalArgumentException e) {
            throw Failure.of("login-refused", "sallyport does not let this user log in");
        }
    }

    private Json parse(String file) {
        try {
            return Json.parse(read(file));
        } catch (IllegalArgumentException e) {
            throw Failure.of("endpoint-invalid", "not JSON: " + directory.resolve(file));
        }
    }

    private String read(String file) {
        try {
            requirePrivate();
            return Files.readString(directory.resolve(file));
        } catch (NoSuchFileException e) {
            throw Failure.notRunning();
        } catch (IOException e) {
            throw Failure.of("home-unreadable", "cannot read " + directory.resolve(file));
        }
    }

    // Whoever can write here chooses where our token is sent.
    private void requirePrivate() throws IOException {
        Set<PosixFilePermission> permissions = Files.getPosixFilePermissions(directory);
        if (permissions.contains(PosixFilePermission.GROUP_WRITE)
                || permissions.contains(PosixFilePermission.OTHERS_WRITE)) {
            throw Failure.of(
                    "home-not-private",
                    "others may write to " + directory,
                    "make it yours alone: chmod 700 " + directory);
        }
    }
}
