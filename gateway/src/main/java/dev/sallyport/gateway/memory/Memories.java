package dev.sallyport.gateway.memory;

import dev.sallyport.identity.ChildId;
import dev.sallyport.identity.MemoryId;
import dev.sallyport.identity.Tenant;
import dev.sallyport.json.Digests;
import dev.sallyport.memory.MemoryScope;
import java.nio.charset.StandardCharsets;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Clock;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.Optional;
import java.util.TreeMap;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.transaction.support.TransactionOperations;
import tools.jackson.core.type.TypeReference;
import tools.jackson.databind.json.JsonMapper;

/**
 * All memories. A version never changes; what a child or a person writes is the next one. Two children that had the same
 * version and changed different files are put together; where they changed the same, the later one's is kept as a version
 * that is not in effect, until a person chooses.
 */
public final class Memories {

    /** Versions that are kept of one memory. */
    static final int KEPT = 100;

    private static final TypeReference<TreeMap<String, String>> TEXTS = new TypeReference<>() {};

    private static final String LISTED = """
            select m.*, v.bytes, l.at,
                (select count(*) from memory_version c where c.memory = m.id and c.conflict and c.version > coalesce(
                    (select max(p.version) from memory_version p where p.memory = m.id and p.principal is not null), 0)) as conflicts
            from memory m join memory_version v on v.memory = m.id and v.version = m.current
                join memory_version l on l.memory = m.id and l.version = m.latest
            """;

    private final JdbcClient db;
    private final TransactionOperations transactions;
    private final RandomGenerator random;
    private final Clock clock;
    private final JsonMapper json;

    public Memories(
            JdbcClient db, TransactionOperations transactions, RandomGenerator random, Clock clock, JsonMapper json) {
        this.db = db;
        this.transactions = transactions;
        this.random = random;
        this.clock = clock;
        this.json = json;
    }

    /**
     * A memory as it was at one moment.
     *
     * @param id null while there is none
     * @param version 0 while there is none
     */
    public record Recalled(@Nullable MemoryId id, int version, MemoryFiles files) {

        static final Recalled NOTHING = new Recalled(null, 0, MemoryFiles.NONE);
    }

    /**
     * What became of what a child wrote.
     *
     * @param id null while there is none
     * @param version that holds it; the one it had before if it changed nothing
     */
    public record Kept(@Nullable MemoryId id, int version, Outcome outcome) {}

    /** What a child's version is among the others. */
    public enum Outcome {
        UNCHANGED,
        KEPT,
        /** Put together with what another child wrote meanwhile. */
        MERGED,
        /** There, and not in effect. */
        CONFLICT;

        public String wire() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    /** @param at of its latest version */
    record Memory(MemoryId id, MemoryKey key, int version, int latest, int bytes, long conflicts, Instant at) {}

    /** @param base what its author had before; 0 for nothing */
    record Version(
            int version,
            int base,
            Instant at,
            @Nullable String child,
            @Nullable String principal,
            boolean conflict,
            int bytes) {}

    public Recalled recall(MemoryKey key) {
        return db.sql("""
                select m.id, m.current, v.files from memory m join memory_version v on v.memory = m.id and v.version = m.current
                where m.tenant = ? and m.owner = ? and m.scope = ? and m.project = ? and m.agent = ?
                """)
                .params(params(key))
                .query((row, _) -> new Recalled(new MemoryId(row.getString(1)), row.getInt(2), files(row.getString(3))))
                .optional()
                .orElse(Recalled.NOTHING);
    }

    private static List<Object> params(MemoryKey key) {
        return List.of(
                key.tenant().value(),
                key.owner(),
                key.scope().wire(),
                Objects.requireNonNullElse(key.project(), ""),
                key.agent());
    }

    /** Empty if it is gone. */
    public Optional<MemoryFiles> files(MemoryId id, int version) {
        return db.sql("select files from memory_version where memory = ? and version = ?")
                .params(id.value(), version)
                .query(String.class)
                .optional()
                .map(this::files);
    }

    private MemoryFiles files(String text) {
        return new MemoryFiles(json.readValue(text, TEXTS));
    }

    private String text(MemoryFiles files) {
        return json.writeValueAsString(files.texts());
    }

    /**
     * Keeps what a child wrote. The same again has the same answer.
     *
     * @param had what the child was given
     * @throws MemoryRefusedException if the memory was deleted since, or the same run has written another version
     */
    public Kept keep(MemoryKey key, Recalled had, ChildId child, int incarnation, MemoryFiles sent)
            throws MemoryRefusedException {
        if (sent.equals(had.files())) {
            return new Kept(had.id(), had.version(), Outcome.UNCHANGED);
        }
        Attempt attempt = Objects.requireNonNull(transactions.execute(_ -> {
            try {
                return new Attempt(kept(key, had, child, incarnation, sent), null);
            } catch (MemoryRefusedException e) {
                return new Attempt(null, e);
            }
        }));
        if (attempt.refused != null) {
            throw attempt.refused;
        }
        return Objects.requireNonNull(attempt.kept);
    }

    private record Attempt(@Nullable Kept kept, @Nullable MemoryRefusedException refused) {}

    /** A memory whose row is locked: whoever writes a version of it waits for whoever does. */
    private record Locked(MemoryId id, int current, int latest) {}

    private Kept kept(MemoryKey key, Recalled had, ChildId child, int incarnation, MemoryFiles sent)
            throws MemoryRefusedException {
        Locked memory = locked(key, had);
        String digest = Digests.sha256(text(sent).getBytes(StandardCharsets.UTF_8));
        Optional<Kept> before = earlier(memory, child, incarnation, digest);
        if (before.isPresent()) {
            return before.get();
        }
        Author author = new Author(child, incarnation, digest, null);
        if (memory.current == had.version()) {
            return new Kept(memory.id, insert(memory, had.version(), author, false, sent), Outcome.KEPT);
        }
        MemoryFiles now = files(memory.id, memory.current).orElse(MemoryFiles.NONE);
        Optional<MemoryFiles> merged = MemoryFiles.merged(had.files(), now, sent);
        return merged.isPresent()
                ? new Kept(memory.id, insert(memory, had.version(), author, false, merged.get()), Outcome.MERGED)
                : new Kept(memory.id, insert(memory, had.version(), author, true, sent), Outcome.CONFLICT);
    }

    private Locked locked(MemoryKey key, Recalled had) throws MemoryRefusedException {
        if (had.id() == null) {
            db.sql("""
                    insert into memory (tenant, owner, scope, project, agent, id, created_at) values (?, ?, ?, ?, ?, ?, ?)
                    on conflict do nothing
                    """)
                    .params(params(key))
                    .params(MemoryId.random(random).value(), now())
                    .update();
        }
        Locked memory = db.sql("""
                select id, current, latest from memory
                where tenant = ? and owner = ? and scope = ? and project = ? and agent = ? for update
                """)
                .params(params(key))
                .query((row, _) -> new Locked(new MemoryId(row.getString(1)), row.getInt(2), row.getInt(3)))
                .optional()
                .orElse(null);
        // What a person removed does not come back with a child that still had a copy.
        if (memory == null || (had.id() != null && !had.id().equals(memory.id))) {
            throw new MemoryRefusedException("memory-deleted", "the memory was deleted while the child ran");
        }
        return memory;
    }

    private Optional<Kept> earlier(Locked memory, ChildId child, int incarnation, String digest)
            throws MemoryRefusedException {
        record Earlier(int version, String sent, boolean conflict) {}
        Optional<Earlier> earlier = db.sql(
                        "select version, sent, conflict from memory_version where memory = ? and child = ? and incarnation = ?")
                .params(memory.id.value(), child.value(), incarnation)
                .query((row, _) -> new Earlier(row.getInt(1), row.getString(2), row.getBoolean(3)))
                .optional();
        if (earlier.isEmpty()) {
            return Optional.empty();
        }
        if (!earlier.get().sent().equals(digest)) {
            throw new MemoryRefusedException("memory-written", "this child has written its memory already");
        }
        return Optional.of(new Kept(
                memory.id, earlier.get().version(), earlier.get().conflict() ? Outcome.CONFLICT : Outcome.KEPT));
    }

    private record Author(
            @Nullable ChildId child,
            @Nullable Integer incarnation,
            @Nullable String sent,
            @Nullable String principal) {}

    private int insert(Locked memory, int base, Author author, boolean conflict, MemoryFiles files) {
        int version = memory.latest + 1;
        db.sql("""
                insert into memory_version (memory, version, base, at, child, incarnation, sent, principal, conflict, bytes, files)
                values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
                """)
                .params(memory.id.value(), version, base, now())
                .param(author.child == null ? null : author.child.value())
                .param(author.incarnation)
                .param(author.sent)
                .param(author.principal)
                .params(conflict, files.bytes(), text(files))
                .update();
        db.sql("update memory set latest = ?, current = ? where id = ?")
                .params(version, conflict ? memory.current : version, memory.id.value())
                .update();
        db.sql("delete from memory_version where memory = ? and version <= ? and version <> ?")
                .params(memory.id.value(), version - KEPT, memory.current)
                .update();
        return version;
    }

    private OffsetDateTime now() {
        return clock.instant().atOffset(ZoneOffset.UTC);
    }

    /** @param owner null for those of all users */
    List<Memory> list(Tenant tenant, @Nullable String owner) {
        return db.sql(LISTED + " where m.tenant = :tenant and (:owner::text is null or m.owner = :owner)"
                        + " order by m.agent, m.project, m.scope, m.owner")
                .param("tenant", tenant.value())
                .param("owner", owner)
                .query((row, _) -> memory(row))
                .list();
    }

    Optional<Memory> find(MemoryId id) {
        return db.sql(LISTED + " where m.id = ?")
                .param(id.value())
                .query((row, _) -> memory(row))
                .optional();
    }

    private static Memory memory(ResultSet row) throws SQLException {
        String project = row.getString("project");
        return new Memory(
                new MemoryId(row.getString("id")),
                new MemoryKey(
                        new Tenant(row.getString("tenant")),
                        row.getString("owner"),
                        MemoryScope.parse(row.getString("scope")),
                        project.isEmpty() ? null : project,
                        row.getString("agent")),
                row.getInt("current"),
                row.getInt("latest"),
                row.getInt("bytes"),
                row.getLong("conflicts"),
                row.getObject("at", OffsetDateTime.class).toInstant());
    }

    /** The newest first. */
    List<Version> versions(MemoryId id) {
        return db.sql("""
                select version, base, at, child, principal, conflict, bytes from memory_version where memory = ?
                order by version desc
                """)
                .param(id.value())
                .query((row, _) -> new Version(
                        row.getInt("version"),
                        row.getInt("base"),
                        row.getObject("at", OffsetDateTime.class).toInstant(),
                        row.getString("child"),
                        row.getString("principal"),
                        row.getBoolean("conflict"),
                        row.getInt("bytes")))
                .list();
    }

    /** Makes an earlier version, or one in conflict, the next. @return false if there is no such version */
    boolean revert(MemoryId id, int version, String principal) {
        return Boolean.TRUE.equals(transactions.execute(_ -> {
            Optional<Locked> memory = db.sql("select id, current, latest from memory where id = ? for update")
                    .param(id.value())
                    .query((row, _) -> new Locked(id, row.getInt(2), row.getInt(3)))
                    .optional();
            Optional<MemoryFiles> files = files(id, version);
            if (memory.isEmpty() || files.isEmpty()) {
                return false;
            }
            insert(memory.get(), version, new Author(null, null, null, principal), false, files.get());
            return true;
        }));
    }

    /** With all its versions. */
    boolean delete(MemoryId id) {
        return db.sql("delete from memory where id = ?").param(id.value()).update() == 1;
    }
}
