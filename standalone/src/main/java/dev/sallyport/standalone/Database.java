package dev.sallyport.standalone;

import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * The PostgreSQL of a laptop, kept in the data directory. The library is made for tests: its defaults lose rows on a
 * crash and let everybody in, so both are put right before anything of ours connects (S22).
 */
final class Database implements AutoCloseable {

    private static final String USER = "postgres";

    /** Loopback with a password and nothing else: no Unix socket, no trust. */
    private static final String SCRAM_ONLY = """
            host all all 127.0.0.1/32 scram-sha-256
            """;

    private final EmbeddedPostgres postgres;
    private final String password;

    private Database(EmbeddedPostgres postgres, String password) {
        this.postgres = postgres;
        this.password = password;
    }

    static Database start(Home home) throws IOException, SQLException {
        Path data = home.resolve("postgres");
        String password = home.secret("postgres.secret");
        endOrphan(data);
        // The marker is written after the password took effect: a crash before that starts over with the same password.
        Path secured = home.resolve("postgres.secured");
        if (!Files.exists(secured)) {
            secure(home, data, password);
            Files.createFile(secured);
        }
        return new Database(
                builder(home, data).setConnectConfig("password", password).start(), password);
    }

    private static EmbeddedPostgres.Builder builder(Home home, Path data) {
        return EmbeddedPostgres.builder()
                .setDataDirectory(data)
                .setOverrideWorkingDirectory(home.resolve("postgres-binaries").toFile())
                .setCleanDataDirectory(false)
                .setRegisterShutdownHook(false)
                .setPGStartupWait(Duration.ofSeconds(60))
                .setServerConfig("fsync", "on")
                .setServerConfig("synchronous_commit", "on")
                .setServerConfig("full_page_writes", "on")
                .setServerConfig("password_encryption", "scram-sha-256")
                .setServerConfig("unix_socket_directories", "")
                .setServerConfig("listen_addresses", "127.0.0.1")
                .setServerConfig("max_connections", "60")
                .setServerConfig("shared_buffers", "32MB");
    }

    private static void secure(Home home, Path data, String password) throws IOException, SQLException {
        try (EmbeddedPostgres trusting = builder(home, data).start();
                Connection connection = trusting.getPostgresDatabase().getConnection();
                Statement statement = connection.createStatement()) {
            // The password is base64: no quote to escape.
            statement.execute("alter user " + USER + " password '" + password + "'");
            Files.writeString(data.resolve("pg_hba.conf"), SCRAM_ONLY);
            statement.execute("select pg_reload_conf()");
        }
    }

    /**
     * A postmaster outlives a parent that was killed, and a second one would not start on its directory. Only a process
     * that really is a postmaster is ended: after a reboot the number may be anybody's, and then the file only stands in
     * the way, since PostgreSQL takes any process of that number for its own.
     */
    private static void endOrphan(Path data) throws IOException {
        Path pidFile = data.resolve("postmaster.pid");
        if (!Files.exists(pidFile)) {
            return;
        }
        List<String> lines = Files.readAllLines(pidFile);
        Optional<ProcessHandle> postmaster = lines.isEmpty()
                ? Optional.empty()
                : ProcessHandle.of(Long.parseLong(lines.getFirst().trim()))
                        .filter(process -> process.info().command().orElse("").endsWith("/postgres"));
        if (postmaster.isPresent()) {
            end(postmaster.get());
        }
        Files.deleteIfExists(pidFile);
    }

    private static void end(ProcessHandle postmaster) throws IOException {
        List<ProcessHandle> backends = postmaster.descendants().toList();
        postmaster.destroy();
        try {
            postmaster.onExit().get(20, TimeUnit.SECONDS);
        } catch (TimeoutException e) {
            postmaster.destroyForcibly();
            backends.forEach(ProcessHandle::destroyForcibly);
            postmaster.onExit().join();
        } catch (ExecutionException e) {
            throw new IOException("could not end the database an earlier sallyport left running", e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException("interrupted while ending an earlier database", e);
        }
    }

    String url() {
        return "jdbc:postgresql://127.0.0.1:%d/postgres".formatted(postgres.getPort());
    }

    String user() {
        return USER;
    }

    String password() {
        return password;
    }

    /** For a check at start: whoever leaves the password out must be refused. */
    boolean letsInWithoutPassword() {
        try (Connection connection = DriverManager.getConnection(url(), USER, "")) {
            return connection.isValid(1);
        } catch (SQLException e) {
            return false;
        }
    }

    @Override
    public void close() throws IOException {
        postgres.close();
    }
}
