package dev.sallyport.permissions;

import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;

/** One PostgreSQL server per JVM, one database per test class. */
public final class TestDatabase {

    private static final EmbeddedPostgres SERVER = start();

    private final String name;

    private TestDatabase(String name) {
        this.name = name;
    }

    private static EmbeddedPostgres start() {
        try {
            // The library turns durability off; what is measured and killed here should be what runs elsewhere.
            return EmbeddedPostgres.builder()
                    .setServerConfig("fsync", "on")
                    .setServerConfig("synchronous_commit", "on")
                    .start();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    public static TestDatabase create(String name) {
        execute("create database " + name);
        return new TestDatabase(name);
    }

    public String url() {
        return SERVER.getJdbcUrl("postgres", name);
    }

    /** Cuts every connection of this database, as a server that restarts does. */
    public void cut() {
        execute("select pg_terminate_backend(pid) from pg_stat_activity where datname = '%s'".formatted(name));
    }

    /** Refuses new connections until told otherwise. */
    public void refuse(boolean refused) {
        execute("alter database %s with allow_connections %s".formatted(name, !refused));
    }

    private static void execute(String statement) {
        try (Connection connection = SERVER.getPostgresDatabase().getConnection();
                Statement sql = connection.createStatement()) {
            sql.execute(statement);
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }
}
