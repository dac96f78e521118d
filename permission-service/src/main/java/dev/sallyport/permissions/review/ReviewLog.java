package dev.sallyport.permissions.review;

import dev.sallyport.identity.CallId;
import dev.sallyport.identity.ChildId;
import dev.sallyport.identity.SessionId;
import dev.sallyport.identity.Tenant;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Component;
import org.springframework.transaction.support.TransactionOperations;
import tools.jackson.databind.json.JsonMapper;

/** The review log. Entries are only ever added: the database refuses the rest. */
@Component
public class ReviewLog {

    private final JdbcClient database;
    private final TransactionOperations transactions;
    private final JsonMapper json;

    public ReviewLog(JdbcClient database, TransactionOperations transactions, JsonMapper json) {
        this.database = database;
        this.transactions = transactions;
        this.json = json;
    }

    /** One call of one incarnation of a child, with the digest of what it asked for (S26). */
    public record Call(Tenant tenant, SessionId session, ChildId child, int incarnation, CallId id, String digest) {}

    /** An ancestor in the incarnation whose narrowing a call was judged by. */
    public record Ancestor(ChildId id, int incarnation) {}

    /** The first thing said to a call. */
    public enum Verdict {
        ALLOWED,
        DENIED,
        UNAVAILABLE,
        PENDING;

        public String wire() {
            return name().toLowerCase(java.util.Locale.ROOT);
        }

        static Verdict parse(String wire) {
            return valueOf(wire.toUpperCase(java.util.Locale.ROOT));
        }
    }

    /** How a call was opened, for whoever asks again. */
    public record Opening(String digest, Verdict verdict, Map<String, String> details) {}

    /** What a reader of the log is shown. */
    public record Entry(
            long position,
            Instant at,
            String event,
            String session,
            @Nullable String child,
            @Nullable Integer incarnation,
            @Nullable String callId,
            @Nullable String decision,
            Map<String, String> details) {}

    /** Adds an entry about a session or, with a child, about that child. */
    public void append(
            Event event,
            Tenant tenant,
            String session,
            @Nullable ChildId child,
            @Nullable Integer incarnation,
            @Nullable CallId call,
            Details details) {
        database.sql("""
                        insert into review (tenant, session, child, incarnation, call_id, event, details)
                        values (:tenant, :session, :child, :incarnation, :call, :event, :details)
                        """)
                .param("tenant", tenant.value())
                .param("session", session)
                .param("child", child == null ? null : child.value())
                .param("incarnation", incarnation)
                .param("call", call == null ? null : call.value())
                .param("event", event.wire())
                .param("details", json.writeValueAsString(details.fields()))
                .update();
    }

    /**
     * Writes the first entry about a call, in one statement: it is the decision itself and not a report of one.
     *
     * @return whether this was the first, the child is live and its ancestors are as judged; if not, nothing was written
     */
    public boolean open(Event event, Call call, List<Ancestor> ancestors, Verdict verdict, Details details) {
        return database.sql("""
                        insert into review (tenant, session, child, incarnation, call_id, digest, decision, event, details)
                        select tenant, session, id, incarnation, :call, :digest, :decision, :event, :details
                        from child
                        where id = :child and tenant = :tenant and session = :session and incarnation = :incarnation
                          and ended_at is null
                          and not exists (
                              select from unnest(:ancestors::text[], :incarnations::int[]) as judged(id, incarnation)
                              where not exists (
                                  select from child as now
                                  where now.id = judged.id and now.incarnation = judged.incarnation))
                        on conflict (child, incarnation, call_id) where decision is not null do nothing
                        """)
                        .param("call", call.id().value())
                        .param("digest", call.digest())
                        .param("decision", verdict.wire())
                        .param("event", event.wire())
                        .param("details", json.writeValueAsString(details.fields()))
                        .param("child", call.child().value())
                        .param("tenant", call.tenant().value())
                        .param("session", call.session().value())
                        .param("incarnation", call.incarnation())
                        .param(
                                "ancestors",
                                ancestors.stream()
                                        .map(ancestor -> ancestor.id().value())
                                        .toArray(String[]::new))
                        .param(
                                "incarnations",
                                ancestors.stream().map(Ancestor::incarnation).toArray(Integer[]::new))
                        .update()
                == 1;
    }

    public Optional<Opening> opening(ChildId child, int incarnation, CallId call) {
        return database.sql("""
                        select digest, decision, details from review
                        where child = :child and incarnation = :incarnation and call_id = :call and decision is not null
                        """)
                .param("child", child.value())
                .param("incarnation", incarnation)
                .param("call", call.value())
                .query((row, _) ->
                        new Opening(row.getString("digest"), Verdict.parse(row.getString("decision")), details(row)))
                .optional();
    }

    /**
     * Entries after a position, oldest first. None is skipped by reading on from the last position seen.
     *
     * @param owner only what belongs to this principal's sessions; null for the whole tenant
     */
    public List<Entry> read(
            Tenant tenant,
            @Nullable String owner,
            @Nullable SessionId session,
            @Nullable ChildId child,
            long after,
            int limit) {
        return transactions.execute(_ -> {
            // Waits for entries on their way; see place_entry in the schema.
            database.sql("select pg_advisory_xact_lock(7072, 1)").query().listOfRows();
            return database.sql("""
                            select r.* from review r
                            where r.tenant = :tenant and r.position > :after
                              and (cast(:session as text) is null or r.session = :session)
                              and (cast(:child as text) is null or r.child = :child)
                              and (cast(:owner as text) is null
                                   or exists (select from session s where s.id = r.session and s.owner = :owner))
                            order by r.position limit :limit
                            """)
                    .param("tenant", tenant.value())
                    .param("after", after)
                    .param("session", session == null ? null : session.value())
                    .param("child", child == null ? null : child.value())
                    .param("owner", owner)
                    .param("limit", limit)
                    .query((row, _) -> entry(row))
                    .list();
        });
    }

    private Entry entry(ResultSet row) throws SQLException {
        return new Entry(
                row.getLong("position"),
                row.getObject("at", OffsetDateTime.class).toInstant(),
                row.getString("event"),
                row.getString("session"),
                row.getString("child"),
                row.getObject("incarnation", Integer.class),
                row.getString("call_id"),
                row.getString("decision"),
                details(row));
    }

    private Map<String, String> details(ResultSet row) throws SQLException {
        return json.readValue(
                row.getString("details"),
                json.getTypeFactory().constructMapType(TreeMap.class, String.class, String.class));
    }
}
