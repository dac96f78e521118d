package dev.sallyport.gateway;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.concurrent.atomic.AtomicInteger;
import javax.sql.DataSource;
import org.flywaydb.core.Flyway;
import org.springframework.jdbc.core.simple.JdbcClient;

/** Databases on one embedded PostgreSQL. */
public final class TestDatabase {

    private static final AtomicInteger COUNT = new AtomicInteger();
    private static final EmbeddedPostgres POSTGRES = start();

    private TestDatabase() {}

    private static EmbeddedPostgres start() {
        try {
            return EmbeddedPostgres.builder().start();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** JDBC URL of an empty database. */
    public static String url() {
        String name = "test" + COUNT.incrementAndGet();
        try (Connection connection = POSTGRES.getPostgresDatabase().getConnection();
                var statement = connection.createStatement()) {
            statement.execute("create database " + name);
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
        return POSTGRES.getJdbcUrl("postgres", name);
    }

    /** Shared by all tests of this process, one after the other; emptied for each. */
    public static DataSource empty() {
        JdbcClient.create(Shared.DATABASE)
                .sql("truncate child, credential, installation, memory cascade")
                .update();
        return Shared.DATABASE;
    }

    private static final class Shared {

        private static final HikariDataSource DATABASE = migrated();

        private static HikariDataSource migrated() {
            HikariConfig config = new HikariConfig();
            config.setJdbcUrl(url());
            config.setSchema("gateway");
            config.setMaximumPoolSize(20);
            HikariDataSource database = new HikariDataSource(config);
            Flyway.configure()
                    .dataSource(database)
                    .schemas("gateway")
                    .defaultSchema("gateway")
                    .locations("classpath:db/gateway")
                    .load()
                    .migrate();
            return database;
        }
    }
}
