package dev.sallyport.standalone;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class DatabaseTest {

    @TempDir
    private Path directory;

    @Test
    void refusesSqlWithoutThePassword() throws Exception {
        try (Home home = Home.open(directory);
                Database database = Database.start(home)) {
            assertThatThrownBy(() -> connect(database.url(), ""))
                    .isInstanceOf(SQLException.class)
                    .hasMessageContaining("password");
            assertThatThrownBy(() -> connect(database.url(), "guess"))
                    .isInstanceOf(SQLException.class)
                    .hasMessageContaining("password");
            assertThat(database.letsInWithoutPassword()).isFalse();
            assertThat(settings(database)).containsExactly("on", "on", "", "127.0.0.1", "scram-sha-256");
        }
    }

    /** S22, and crashes at the worst moment: nothing that was committed may be lost, and the next start must not hang. */
    @Test
    void keepsEveryCommittedRowThroughTwoKills() throws Exception {
        Process first = committing("create table t (n int)", "insert into t values (1)");
        ProcessHandle orphan = postmaster();
        first.destroyForcibly().waitFor();
        assertThat(orphan.isAlive()).isTrue();

        Process second = committing("insert into t values (2)");
        assertThat(orphan.isAlive()).isFalse();
        List<ProcessHandle> family = postmaster().descendants().toList();
        postmaster().destroyForcibly();
        family.forEach(ProcessHandle::destroyForcibly);
        family.forEach(process -> process.onExit().join());
        second.destroyForcibly().waitFor();

        try (Home home = Home.open(directory);
                Database third = Database.start(home)) {
            assertThat(count(third)).isEqualTo(2);
        }
    }

    /** After a reboot the number in the file may be anybody's. */
    @Test
    void neverEndsAProcessThatIsNoPostmaster() throws Exception {
        Process bystander = new ProcessBuilder("sleep", "60").start();
        try (Home home = Home.open(directory)) {
            Database.start(home).close();
            Files.writeString(directory.resolve("postgres/postmaster.pid"), bystander.pid() + "\n");

            Database.start(home).close();

            assertThat(bystander.isAlive()).isTrue();
        } finally {
            bystander.destroyForcibly();
        }
    }

    /** A process of its own that has committed these statements and is now waiting to be killed. */
    private Process committing(String... statements) throws IOException {
        Process process = java(Committing.class, Stream.concat(Stream.of(directory.toString()), Stream.of(statements)));
        assertThat(process.inputReader(StandardCharsets.UTF_8)
                        .lines()
                        .filter("committed"::equals)
                        .findFirst())
                .hasValue("committed");
        return process;
    }

    private static Process java(Class<?> main, Stream<String> arguments) throws IOException {
        List<String> command = Stream.concat(
                        Stream.of(
                                ProcessHandle.current().info().command().orElseThrow(),
                                "-cp",
                                System.getProperty("java.class.path"),
                                main.getName()),
                        arguments)
                .toList();
        return new ProcessBuilder(command).redirectErrorStream(true).start();
    }

    static final class Committing {

        public static void main(String[] arguments) throws Exception {
            Home home = Home.open(Path.of(arguments[0]));
            Database database = Database.start(home);
            for (String sql : List.of(arguments).subList(1, arguments.length)) {
                update(database, sql);
            }
            System.out.println("committed");
            Thread.currentThread().join();
        }
    }

    @Test
    void twoProcessesNeverShareADirectory() throws Exception {
        try (Home home = Home.open(directory)) {
            assertThat(home.resolve("lock")).exists();
            Process process = java(OtherProcess.class, Stream.of(directory.toString()));

            assertThat(new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8))
                    .contains("another sallyport uses the data directory");
        }
    }

    /** Tries to open a home that is taken. */
    static final class OtherProcess {

        public static void main(String[] arguments) throws IOException {
            try (Home home = Home.open(Path.of(arguments[0]))) {
                System.out.println("opened " + home.resolve(""));
            } catch (Home.InUseException e) {
                System.out.println(e.getMessage());
            }
        }
    }

    @Test
    void secretsAreForTheOwnerOnly() throws Exception {
        try (Home home = Home.open(directory)) {
            String secret = home.secret("key");

            assertThat(home.secret("key")).isEqualTo(secret);
            assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(home.resolve("key"))))
                    .isEqualTo("rw-------");
            assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(directory)))
                    .isEqualTo("rwx------");
        }
    }

    private ProcessHandle postmaster() throws IOException {
        long pid = Long.parseLong(Files.readAllLines(directory.resolve("postgres/postmaster.pid"))
                .getFirst()
                .trim());
        return ProcessHandle.of(pid).orElseThrow();
    }

    private static Connection connect(String url, String password) throws SQLException {
        return DriverManager.getConnection(url, "postgres", password);
    }

    private static void update(Database database, String sql) throws SQLException {
        try (Connection connection = connect(database.url(), database.password());
                Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }

    private static int count(Database database) throws SQLException {
        try (Connection connection = connect(database.url(), database.password());
                Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery("select count(*) from t")) {
            rows.next();
            return rows.getInt(1);
        }
    }

    private static List<String> settings(Database database) throws SQLException {
        try (Connection connection = connect(database.url(), database.password());
                Statement statement = connection.createStatement();
                ResultSet row =
                        statement.executeQuery("select current_setting('fsync'), current_setting('synchronous_commit'),"
                                + " current_setting('unix_socket_directories'), current_setting('listen_addresses'),"
                                + " (select string_agg(distinct auth_method, ' ') from pg_hba_file_rules)")) {
            row.next();
            return List.of(row.getString(1), row.getString(2), row.getString(3), row.getString(4), row.getString(5));
        }
    }
}
