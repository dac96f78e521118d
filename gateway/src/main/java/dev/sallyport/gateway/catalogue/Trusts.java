package dev.sallyport.gateway.catalogue;

import dev.sallyport.gateway.error.GatewayException.ProjectChanged;
import dev.sallyport.identity.Tenant;
import dev.sallyport.project.Project;
import java.nio.file.Path;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Timestamp;
import java.time.Clock;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.transaction.support.TransactionOperations;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * Which projects people trust, each for themselves (P6). A project is the canonical path of its directory: the same repository
 * elsewhere is another one. Of one directory only what was trusted last counts.
 */
public final class Trusts {

    private static final String LIVE = "tenant = :tenant and principal = :principal and ended_at is null";

    private final JdbcClient db;
    private final TransactionOperations transactions;
    private final JsonMapper json;
    private final Clock clock;

    public Trusts(JdbcClient db, TransactionOperations transactions, JsonMapper json, Clock clock) {
        this.db = db;
        this.transactions = transactions;
        this.json = json;
        this.clock = clock;
    }

    /** Whose trust it is: nobody's counts for anybody else. */
    public record User(Tenant tenant, String principal) {}

    /**
     * What a person trusts.
     *
     * @param digest over all that they saw
     * @param files digest of each, by path
     */
    public record Trust(String directory, String digest, Map<String, String> files, Instant at) {}

    List<Trust> of(User user) {
        return query(user, "", Map.of());
    }

    Optional<Trust> of(User user, Path directory) {
        return query(user, " and directory = :directory", Map.of("directory", directory.toString())).stream()
                .findFirst();
    }

    private List<Trust> query(User user, String condition, Map<String, String> more) {
        return db.sql("select directory, digest, files, trusted_at from trust where %s%s order by directory"
                        .formatted(LIVE, condition))
                .param("tenant", user.tenant().value())
                .param("principal", user.principal())
                .params(more)
                .query(this::trust)
                .list();
    }

    private Trust trust(ResultSet row, int number) throws SQLException {
        Map<String, String> files = new LinkedHashMap<>();
        for (Map.Entry<String, JsonNode> file :
                json.readTree(row.getString("files")).properties()) {
            files.put(file.getKey(), file.getValue().asString());
        }
        return new Trust(
                row.getString("directory"),
                row.getString("digest"),
                files,
                row.getTimestamp("trusted_at").toInstant());
    }

    /**
     * Takes the place of whatever the user trusted there before.
     *
     * @throws ProjectChanged if somebody of that name trusted something else there at the same moment
     */
    Trust add(User user, Path directory, Project.Whole seen) {
        Map<String, String> files = new LinkedHashMap<>();
        seen.entries().forEach(entry -> files.put(entry.path(), entry.digest()));
        Instant now = clock.instant();
        boolean added = Boolean.TRUE.equals(transactions.execute(_ -> {
            end(user, directory.toString(), now);
            return db.sql("""
                            insert into trust (tenant, principal, directory, digest, files, trusted_at)
                            values (:tenant, :principal, :directory, :digest, :files::jsonb, :at)
                            on conflict do nothing
                            """)
                            .param("tenant", user.tenant().value())
                            .param("principal", user.principal())
                            .param("directory", directory.toString())
                            .param("digest", seen.digest())
                            .param("files", json.writeValueAsString(files))
                            .param("at", Timestamp.from(now))
                            .update()
                    == 1;
        }));
        if (!added) {
            throw new ProjectChanged(directory.toString());
        }
        return of(user, directory).orElseThrow(() -> new ProjectChanged(directory.toString()));
    }

    /** False if there was nothing to end. */
    boolean end(User user, String directory) {
        return end(user, directory, clock.instant());
    }

    private boolean end(User user, String directory, Instant now) {
        return db.sql("update trust set ended_at = :at where %s and directory = :directory".formatted(LIVE))
                        .param("at", Timestamp.from(now))
                        .param("tenant", user.tenant().value())
                        .param("principal", user.principal())
                        .param("directory", directory)
                        .update()
                > 0;
    }
}
