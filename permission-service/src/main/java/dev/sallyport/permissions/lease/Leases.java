package dev.sallyport.permissions.lease;

import dev.sallyport.identity.Tenant;
import dev.sallyport.permissions.PermissionMetrics;
import dev.sallyport.permissions.PermissionProperties;
import dev.sallyport.permissions.review.Details;
import dev.sallyport.permissions.review.Event;
import dev.sallyport.permissions.review.ReviewLog;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.util.List;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Component;
import org.springframework.transaction.support.TransactionOperations;

/**
 * Who drains which session. A holder that stops refreshing goes stale; only a release ends a lease at once (S24). Several
 * holders may drain one session: any fresh lease will do.
 */
@Component
public class Leases {

    /** Stands for every session of the tenant that the principal may drain. */
    public static final String EVERY_SESSION = "*";

    private static final Logger log = LoggerFactory.getLogger(Leases.class);

    // How long the end of a lease is remembered, so that an unanswered ask can say which of the four cases it was.
    private static final Duration MEMORY = Duration.ofDays(1);

    private final JdbcClient database;
    private final TransactionOperations transactions;
    private final ReviewLog review;
    private final PermissionProperties properties;

    Leases(
            JdbcClient database,
            TransactionOperations transactions,
            ReviewLog review,
            MeterRegistry meters,
            PermissionProperties properties) {
        this.database = database;
        this.transactions = transactions;
        this.review = review;
        this.properties = properties;
        Gauge.builder(PermissionMetrics.LEASE_AGE, this::oldestAge)
                .baseUnit("seconds")
                .register(meters);
    }

    /** Who asks for a lease. The holder's name is theirs alone: another principal of the same name is another holder. */
    public record Holder(Tenant tenant, String principal, String name) {

        private static final java.util.regex.Pattern NAME = java.util.regex.Pattern.compile("[A-Za-z0-9._:/-]{1,128}");

        public Holder {
            if (!NAME.matcher(name).matches()) {
                throw new IllegalArgumentException("holder (expected: 1 to 128 of A-Z a-z 0-9 . _ : / -)");
            }
        }
    }

    /** Begins a new epoch of this holder, for these sessions; what an earlier epoch refreshes from now on is ignored. */
    public List<Lease> acquire(Holder holder, List<String> sessions) {
        return transactions.execute(_ -> {
            long epoch = database.sql("select nextval('lease_epoch')")
                    .query(Long.class)
                    .single();
            return sessions.stream()
                    .sorted()
                    .map(session -> acquire(holder, session, epoch))
                    .toList();
        });
    }

    private Lease acquire(Holder holder, String session, long epoch) {
        Lease lease = database.sql("""
                        insert into lease (tenant, session, principal, holder, epoch)
                        values (:tenant, :session, :principal, :holder, :epoch)
                        on conflict (tenant, session, principal, holder) do update
                        set epoch = excluded.epoch, acquired_at = clock_timestamp(),
                            refreshed_at = clock_timestamp(), ended_at = null, ended_by = null
                        returning *
                        """)
                .param("tenant", holder.tenant().value())
                .param("session", session)
                .param("principal", holder.principal())
                .param("holder", holder.name())
                .param("epoch", epoch)
                .query((row, _) -> lease(row))
                .single();
        review.append(
                Event.LEASE_ACQUIRED,
                holder.tenant(),
                session,
                null,
                null,
                null,
                details(holder.principal(), holder.name(), epoch));
        return lease;
    }

    /** Keeps one lease fresh; empty if this epoch of it is over. */
    public Optional<Lease> refresh(Holder holder, String session, long epoch) {
        return database.sql("""
                        update lease set refreshed_at = greatest(refreshed_at, clock_timestamp())
                        where tenant = :tenant and session = :session and principal = :principal and holder = :holder
                          and epoch = :epoch and ended_at is null
                        returning *
                        """)
                .param("tenant", holder.tenant().value())
                .param("session", session)
                .param("principal", holder.principal())
                .param("holder", holder.name())
                .param("epoch", epoch)
                .query((row, _) -> lease(row))
                .optional();
    }

    /** Keeps all leases of one epoch fresh and says how many there still are. */
    public int refreshAll(long epoch) {
        return database.sql("""
                        update lease set refreshed_at = greatest(refreshed_at, clock_timestamp())
                        where epoch = :epoch and ended_at is null
                        """).param("epoch", epoch).update();
    }

    /** Whether a later incarnation of the holder took over from this epoch. */
    public boolean superseded(Holder holder, long epoch) {
        return database.sql("""
                        select exists (select from lease
                            where tenant = :tenant and principal = :principal and holder = :holder and epoch > :epoch)
                        """)
                .param("tenant", holder.tenant().value())
                .param("principal", holder.principal())
                .param("holder", holder.name())
                .param("epoch", epoch)
                .query(Boolean.class)
                .single();
    }

    /** Ends one lease at once; false if this epoch of it was over already. */
    public boolean release(Holder holder, String session, long epoch) {
        return transactions.execute(_ -> {
            boolean released = database.sql("""
                                    update lease set ended_at = clock_timestamp(), ended_by = 'released'
                                    where tenant = :tenant and session = :session and principal = :principal
                                      and holder = :holder and epoch = :epoch and ended_at is null
                                    """)
                            .param("tenant", holder.tenant().value())
                            .param("session", session)
                            .param("principal", holder.principal())
                            .param("holder", holder.name())
                            .param("epoch", epoch)
                            .update()
                    == 1;
            if (released) {
                review.append(
                        Event.LEASE_RELEASED,
                        holder.tenant(),
                        session,
                        null,
                        null,
                        null,
                        details(holder.principal(), holder.name(), epoch));
            }
            return released;
        });
    }

    private record Stale(Tenant tenant, String session, String principal, String holder, long epoch) {}

    /** Ends what nobody refreshed in time, and forgets what ended long ago. */
    public void endStale(Instant now) {
        transactions.executeWithoutResult(_ -> {
            List<Stale> stale = database.sql("""
                            update lease set ended_by = 'stale', ended_at = fresh_until
                            from (select l.epoch, l.session,
                                         greatest(l.refreshed_at + make_interval(secs => :staleness),
                                                  case when l.refreshed_at < c.at
                                                       then c.at + make_interval(secs => :window) end) as fresh_until
                                  from lease l cross join comeback c where l.ended_at is null) f
                            where lease.epoch = f.epoch and lease.session = f.session and lease.ended_at is null
                              and f.fresh_until <= :now and lease.refreshed_at <= :now - make_interval(secs => :staleness)
                            returning lease.*
                            """)
                    .param("now", now.atOffset(ZoneOffset.UTC))
                    .param("staleness", seconds(properties.staleness()))
                    .param("window", seconds(properties.reconnectWindow()))
                    .query((row, _) -> new Stale(
                            new Tenant(row.getString("tenant")),
                            row.getString("session"),
                            row.getString("principal"),
                            row.getString("holder"),
                            row.getLong("epoch")))
                    .list();
            for (Stale lease : stale) {
                log.info("lease of session {} is stale: holder {}", lease.session(), lease.holder());
                review.append(
                        Event.LEASE_STALE,
                        lease.tenant(),
                        lease.session(),
                        null,
                        null,
                        null,
                        details(lease.principal(), lease.holder(), lease.epoch()));
            }
            database.sql("delete from lease where ended_at < :before")
                    .param("before", now.minus(MEMORY).atOffset(ZoneOffset.UTC))
                    .update();
        });
    }

    /** Age of the longest unrefreshed live lease, in seconds; 0 if there is none. */
    private double oldestAge() {
        return database.sql("""
                        select coalesce(extract(epoch from max(clock_timestamp() - refreshed_at)), 0)::double precision
                        from lease where ended_at is null
                        """).query(Double.class).single();
    }

    /** As {@code make_interval(secs => …)} takes it. */
    public static double seconds(Duration duration) {
        return duration.toMillis() / 1000.0;
    }

    private static Details details(String principal, String holder, long epoch) {
        return Details.none()
                .with("principal", principal)
                .with("holder", holder)
                .with("epoch", String.valueOf(epoch));
    }

    private Lease lease(ResultSet row) throws SQLException {
        Instant refreshedAt =
                row.getObject("refreshed_at", OffsetDateTime.class).toInstant();
        return new Lease(
                row.getString("session"),
                row.getString("holder"),
                row.getLong("epoch"),
                refreshedAt,
                refreshedAt.plus(properties.staleness()));
    }
}
