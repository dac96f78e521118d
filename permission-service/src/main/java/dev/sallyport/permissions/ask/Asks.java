package dev.sallyport.permissions.ask;

import static dev.sallyport.permissions.lease.Leases.seconds;

import dev.sallyport.ask.AskState;
import dev.sallyport.ask.Decider;
import dev.sallyport.identity.CallId;
import dev.sallyport.identity.ChildId;
import dev.sallyport.identity.SessionId;
import dev.sallyport.identity.Tenant;
import dev.sallyport.permissions.PermissionException;
import dev.sallyport.permissions.PermissionMetrics;
import dev.sallyport.permissions.PermissionProblem;
import dev.sallyport.permissions.PermissionProperties;
import dev.sallyport.permissions.review.Details;
import dev.sallyport.permissions.review.Event;
import dev.sallyport.permissions.review.ReviewLog;
import dev.sallyport.permissions.review.ReviewLog.Ancestor;
import dev.sallyport.permissions.review.ReviewLog.Call;
import dev.sallyport.permissions.review.ReviewLog.Verdict;
import dev.sallyport.permissions.session.Session;
import dev.sallyport.permissions.session.Sessions;
import dev.sallyport.service.Caller;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import java.security.SecureRandom;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.dao.QueryTimeoutException;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Component;
import org.springframework.transaction.support.TransactionOperations;
import tools.jackson.databind.json.JsonMapper;

/**
 * All asks. Changes happen one after another, under one lock of the database: two answers cannot both win, a limit cannot
 * be passed by asking in parallel, and numbers of changes become visible in their order, so that reading on from one
 * misses nothing.
 */
@Component
public class Asks {

    static final String TOO_MANY = "too many open asks";

    private static final Logger log = LoggerFactory.getLogger(Asks.class);

    private static final Duration PATIENCE = Duration.ofSeconds(10);

    private final JdbcClient database;
    private final TransactionOperations transactions;
    private final ReviewLog review;
    private final Sessions sessions;
    private final JsonMapper json;
    private final MeterRegistry meters;
    private final PermissionProperties properties;
    private final SecureRandom random = new SecureRandom();

    // Not the lock that counts: here they wait without a connection each, which decisions need.
    private final ReentrantLock queue = new ReentrantLock(true);

    Asks(
            JdbcClient database,
            TransactionOperations transactions,
            ReviewLog review,
            Sessions sessions,
            JsonMapper json,
            MeterRegistry meters,
            PermissionProperties properties) {
        this.database = database;
        this.transactions = transactions;
        this.review = review;
        this.sessions = sessions;
        this.json = json;
        this.meters = meters;
        this.properties = properties;
        for (AskState state : AskState.values()) {
            Gauge.builder(PermissionMetrics.ASKS, () -> count(state))
                    .tag(PermissionMetrics.STATE, state.wire())
                    .register(meters);
        }
    }

    /** Runs a change of asks, alone. Whatever must hold together with it belongs inside. */
    public <T> T alone(Supplier<T> change) {
        queue();
        try {
            return transactions.execute(_ -> {
                database.sql("select pg_advisory_xact_lock(7072, 2)").query().listOfRows();
                return change.get();
            });
        } finally {
            queue.unlock();
        }
    }

    private void queue() {
        try {
            if (queue.tryLock(PATIENCE.toMillis(), TimeUnit.MILLISECONDS)) {
                return;
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        throw new QueryTimeoutException("other changes of asks are still on their way");
    }

    /**
     * Puts a question, unless its call was opened before, its child is gone or an ancestor is not as judged; then nothing happens. A child with too many
     * open asks has this one recorded as unavailable.
     */
    public Opened open(Question question, List<Ancestor> ancestors, Details details) {
        Opened opened = alone(() -> {
            Call call = question.call();
            if (pending(call.child()) >= properties.maxOpenAsks()) {
                Details refusal = details.with("reason", TOO_MANY)
                        .with("resolution", "confirmation_unavailable")
                        .with("condition", Absence.TOO_MANY_ASKS.wire());
                return review.open(Event.ASK_UNAVAILABLE, call, ancestors, Verdict.UNAVAILABLE, refusal)
                        ? Opened.REFUSED
                        : Opened.BEFORE;
            }
            AskId id = AskId.random(random);
            if (review.open(
                    Event.ASK_WAITING, call, ancestors, Verdict.PENDING, details.with("requestId", id.value()))) {
                insert(id, question);
                return Opened.ASKED;
            }
            return Opened.BEFORE;
        });
        if (opened == Opened.REFUSED) {
            log.warn(
                    "child {} has {} open asks; a further one is unavailable",
                    question.call().child(),
                    properties.maxOpenAsks());
            meters.counter(
                            PermissionMetrics.ASKS_UNAVAILABLE,
                            PermissionMetrics.CONDITION,
                            Absence.TOO_MANY_ASKS.wire())
                    .increment();
        }
        return opened;
    }

    /** What came of putting a question. */
    public enum Opened {
        ASKED,
        REFUSED,
        /** Somebody was first, or the child is gone. */
        BEFORE
    }

    private int pending(ChildId child) {
        return database.sql("select count(*) from ask where child = :child and state = 'pending'")
                .param("child", child.value())
                .query(Integer.class)
                .single();
    }

    private void insert(AskId id, Question question) {
        Duration timeout = properties.askTimeout().after();
        database.sql("""
                        insert into ask (id, change, tenant, session, child, incarnation, call_id, agent, digest, tool,
                            surface, value, arguments, directory, matched_pattern, origin, message, note, state, expires_at)
                        values (:id, nextval('ask_change'), :tenant, :session, :child, :incarnation, :call, :agent, :digest,
                            :tool, :surface, :value, :arguments, :directory, :pattern, :origin, :message, :note, 'pending',
                            clock_timestamp() + make_interval(secs => cast(:timeout as double precision)))
                        """)
                .param("id", id.value())
                .param("tenant", question.call().tenant().value())
                .param("session", question.call().session().value())
                .param("child", question.call().child().value())
                .param("incarnation", question.call().incarnation())
                .param("call", question.call().id().value())
                .param("agent", question.agent())
                .param("digest", question.call().digest())
                .param("tool", question.tool())
                .param("surface", question.surface())
                .param("value", question.value())
                .param("arguments", question.arguments())
                .param("directory", question.directory())
                .param("pattern", question.matchedPattern())
                .param("origin", question.origin())
                .param("message", question.message())
                .param("note", question.note())
                .param("timeout", timeout == null ? null : seconds(timeout))
                .update();
    }

    /** What a person says. */
    enum Answer {
        APPROVED(AskState.APPROVED, Event.ASK_APPROVED),
        DENIED(AskState.DENIED, Event.ASK_DENIED);

        private final AskState state;
        private final Event event;

        Answer(AskState state, Event event) {
            this.state = state;
            this.event = event;
        }
    }

    /** The ask after an attempt to answer it, and whether it was this attempt that settled it. */
    record Attempt(Ask ask, boolean won) {}

    /**
     * Answers an ask once. The caller has been seen to be an approver of the ask's tenant; whether of this ask is decided
     * here, against the time at which the answer counts.
     *
     * @param via how the answer came
     * @param key idempotency key of the request, if it has one
     * @return the settled ask; an ask past its deadline settles as expired, whatever the answer says
     */
    Attempt answer(AskId id, Caller caller, Answer answer, @Nullable String reason, String via, @Nullable String key) {
        return alone(() -> {
            Ask ask = find(id, caller.tenant()).orElseThrow(() -> notFound(id));
            Instant now = now();
            Session session = sessions.find(ask.question().call().session()).orElseThrow();
            if (!session.answerableBy(caller, ask.createdAt(), now)) {
                throw new PermissionException(
                        PermissionProblem.NOT_AN_APPROVER,
                        "session `%s` names its approvers, and this caller is none of them".formatted(session.id()));
            }
            if (ask.state().isFinal()) {
                if (!isRepeat(ask, caller, answer, key)) {
                    refused(ask, caller, answer, via);
                }
                return new Attempt(ask, isRepeat(ask, caller, answer, key));
            }
            if (ask.expiresAt() != null && !now.isBefore(ask.expiresAt())) {
                Ask expired = expire(ask);
                refused(expired, caller, answer, via);
                return new Attempt(expired, false);
            }
            Decider decider = new Decider.Human(caller.principal(), via);
            Details details = details(ask)
                    .with("resolution", answer.state.wire())
                    .with("principal", caller.principal())
                    .with("via", via)
                    .with("denialReason", answer == Answer.DENIED ? reason : null);
            return new Attempt(settle(ask, answer.state, reason, decider, key, answer.event, details), true);
        });
    }

    private static boolean isRepeat(Ask ask, Caller caller, Answer answer, @Nullable String key) {
        return key != null
                && key.equals(ask.answerKey())
                && ask.state() == answer.state
                && ask.decider() instanceof Decider.Human human
                && human.principal().equals(caller.principal());
    }

    private void refused(Ask ask, Caller caller, Answer answer, String via) {
        review(
                Event.ANSWER_REFUSED,
                ask,
                details(ask)
                        .with("principal", caller.principal())
                        .with("via", via)
                        .with("resolution", answer.state.wire())
                        .with("state", ask.state().wire()));
    }

    /** Must run {@link #alone}. */
    Ask expire(Ask ask) {
        String reason = "nobody answered in time";
        return settle(
                ask,
                AskState.EXPIRED,
                reason,
                new Decider.Policy("ask-timeout"),
                null,
                Event.ASK_EXPIRED,
                details(ask).with("resolution", "confirmation_unavailable").with("reason", reason));
    }

    /** Must run {@link #alone}. */
    Ask abandon(Ask ask, Absence absence) {
        SessionId session = ask.question().call().session();
        // For the child one sentence for all four; which one it was is not its business.
        String reason = "session `%s` is not answering permission requests".formatted(session);
        log.warn("ask {} of session {} is unavailable: {}", ask.id(), session, absence.wire());
        meters.counter(PermissionMetrics.ASKS_UNAVAILABLE, PermissionMetrics.CONDITION, absence.wire())
                .increment();
        return settle(
                ask,
                AskState.UNAVAILABLE,
                reason,
                new Decider.Policy("not-draining"),
                null,
                Event.ASK_UNAVAILABLE,
                details(ask)
                        .with("resolution", "confirmation_unavailable")
                        .with("condition", absence.wire())
                        .with("reason", reason));
    }

    /** Ends what a child that ended still asked. Must run {@link #alone}. */
    public void cancel(ChildId child) {
        pendingOf(child)
                .forEach(ask -> settle(
                        ask,
                        AskState.CANCELLED,
                        "the child ended",
                        new Decider.Policy("child-ended"),
                        null,
                        Event.ASK_CANCELLED,
                        details(ask)));
    }

    /** Ends what an earlier incarnation of a child asked. Must run {@link #alone}. */
    public void supersede(ChildId child) {
        pendingOf(child)
                .forEach(ask -> settle(
                        ask,
                        AskState.SUPERSEDED,
                        "the child started anew",
                        new Decider.Policy("new-incarnation"),
                        null,
                        Event.ASK_SUPERSEDED,
                        details(ask)));
    }

    private List<Ask> pendingOf(ChildId child) {
        return database.sql("select * from ask where child = :child and state = 'pending' order by change")
                .param("child", child.value())
                .query((row, _) -> ask(row))
                .list();
    }

    private Ask settle(
            Ask ask,
            AskState state,
            @Nullable String reason,
            Decider decider,
            @Nullable String key,
            Event event,
            Details details) {
        Ask settled = database.sql("""
                        update ask set change = nextval('ask_change'), state = :state, settled_at = clock_timestamp(),
                            reason = :reason, decider = :decider, answer_key = :key
                        where id = :id and state = 'pending'
                        returning *
                        """)
                .param("id", ask.id().value())
                .param("state", state.wire())
                .param("reason", reason)
                .param("decider", json.writeValueAsString(DeciderView.of(decider)))
                .param("key", key)
                .query((row, _) -> ask(row))
                .single();
        review(event, settled, details);
        if (settled.settledAt() != null) {
            meters.timer(PermissionMetrics.ASK_WAIT, PermissionMetrics.OUTCOME, state.wire())
                    .record(Duration.between(settled.createdAt(), settled.settledAt()));
        }
        return settled;
    }

    private void review(Event event, Ask ask, Details details) {
        Call call = ask.question().call();
        review.append(
                event, call.tenant(), call.session().value(), call.child(), call.incarnation(), call.id(), details);
    }

    private static Details details(Ask ask) {
        return Details.none()
                .with("requestId", ask.id().value())
                .with("agentName", ask.question().agent())
                .with("toolName", ask.question().tool())
                .with("surface", ask.question().surface())
                .with("value", ask.question().value());
    }

    static PermissionException notFound(AskId id) {
        return new PermissionException(PermissionProblem.ASK_NOT_FOUND, "no ask `%s`".formatted(id));
    }

    private Instant now() {
        return database.sql("select clock_timestamp()")
                .query(OffsetDateTime.class)
                .single()
                .toInstant();
    }

    Optional<Ask> find(AskId id, Tenant tenant) {
        return database.sql("select * from ask where id = :id and tenant = :tenant")
                .param("id", id.value())
                .param("tenant", tenant.value())
                .query((row, _) -> ask(row))
                .optional();
    }

    public Optional<Ask> find(ChildId child, int incarnation, CallId call) {
        return database.sql("select * from ask where child = :child and incarnation = :incarnation and call_id = :call")
                .param("child", child.value())
                .param("incarnation", incarnation)
                .param("call", call.value())
                .query((row, _) -> ask(row))
                .optional();
    }

    /** The newest changes first, at most 200, of sessions that the caller may see. */
    List<Ask> list(Caller caller, @Nullable SessionId session, @Nullable AskState state) {
        return database.sql("""
                        select a.* from ask a join session s on s.id = a.session
                        where a.tenant = :tenant
                          and (cast(:session as text) is null or a.session = :session)
                          and (cast(:state as text) is null or a.state = :state)
                          and (not :agent or s.owner = :principal or s.id = :principal)
                        order by a.change desc limit 200
                        """)
                .param("tenant", caller.tenant().value())
                .param("session", session == null ? null : session.value())
                .param("state", state == null ? null : state.wire())
                .param("agent", caller.kind() == Caller.Kind.SESSION)
                .param("principal", caller.principal())
                .query((row, _) -> ask(row))
                .list();
    }

    /** The number of the last change so far. */
    long lastChange() {
        return database.sql("select coalesce(max(change), 0) from ask")
                .query(Long.class)
                .single();
    }

    /**
     * Changes after {@code after}, oldest first, at most 100, of sessions that the caller may drain.
     *
     * @param among these sessions, or every one if empty
     * @param pendingUpTo only what is pending, up to this change; null for all changes
     */
    List<Ask> changes(Caller caller, List<SessionId> among, long after, @Nullable Long pendingUpTo) {
        return database.sql("""
                        select a.* from ask a join session s on s.id = a.session
                        where a.tenant = :tenant and a.change > :after
                          and (:every or a.session = any(:sessions))
                          and (s.approvers = '{}' or :principal = any(s.approvers) or s.escalate_millis is not null)
                          and (cast(:pending as bigint) is null or (a.state = 'pending' and a.change <= :pending))
                        order by a.change limit 100
                        """)
                .param("tenant", caller.tenant().value())
                .param("after", after)
                .param("every", among.isEmpty())
                .param("sessions", among.stream().map(SessionId::value).toArray(String[]::new))
                .param("principal", caller.principal())
                .param("pending", pendingUpTo)
                .query((row, _) -> ask(row))
                .list();
    }

    /** Must run {@link #alone}: pending asks whose deadline is over. */
    List<Ask> overdue(Instant now) {
        return database.sql("select * from ask where state = 'pending' and expires_at <= :now order by change")
                .param("now", now.atOffset(ZoneOffset.UTC))
                .query((row, _) -> ask(row))
                .list();
    }

    /** A pending ask that nobody could answer for the whole grace, and why. */
    record Unanswerable(Ask ask, Absence absence) {}

    /**
     * Pending asks whose session nobody has drained for the grace up to {@code now}. Absence begins with the ask, with the
     * end of the last lease, or once the reconnect window is over, whichever is the latest (S24).
     */
    List<Unanswerable> unanswerable(Instant now) {
        return database.sql("""
                        with life as (
                            select l.*, coalesce(l.ended_at, greatest(l.refreshed_at + make_interval(secs => :staleness),
                                case when l.refreshed_at < c.at then c.at + make_interval(secs => :window) end)) as until
                            from lease l cross join comeback c)
                        select a.*, case
                            when exists (select from lease o where o.tenant = a.tenant and o.ended_at is null
                                           and (last.holder is null
                                                or (o.principal = last.principal and o.holder = last.holder)))
                              then 'other-session'
                            when last.holder is null then 'no-lease'
                            when last.ended_by = 'released' then 'holder-gone'
                            else 'stale' end as absence
                        from ask a
                        join session s on s.id = a.session
                        cross join comeback c
                        left join lateral (
                            select l.* from life l
                            where l.tenant = a.tenant and l.session in (a.session, '*')
                              and (s.approvers = '{}' or l.principal = any(s.approvers) or s.escalate_millis is not null)
                            order by l.until desc limit 1) last on true
                        where a.state = 'pending'
                          and greatest(a.created_at, last.until,
                                  case when s.created_at < c.at then c.at + make_interval(secs => :window) end)
                              + make_interval(secs => :grace) <= :now
                        order by a.change
                        """)
                .param("now", now.atOffset(ZoneOffset.UTC))
                .param("staleness", seconds(properties.staleness()))
                .param("window", seconds(properties.reconnectWindow()))
                .param("grace", seconds(properties.grace()))
                .query((row, _) -> new Unanswerable(ask(row), Absence.parse(row.getString("absence"))))
                .list();
    }

    private double count(AskState state) {
        return database.sql("select count(*) from ask where state = :state")
                .param("state", state.wire())
                .query(Long.class)
                .single();
    }

    private Ask ask(ResultSet row) throws SQLException {
        String decider = row.getString("decider");
        return new Ask(
                new AskId(row.getString("id")),
                row.getLong("change"),
                new Question(
                        new Call(
                                new Tenant(row.getString("tenant")),
                                new SessionId(row.getString("session")),
                                new ChildId(row.getString("child")),
                                row.getInt("incarnation"),
                                new CallId(row.getString("call_id")),
                                row.getString("digest")),
                        row.getString("agent"),
                        row.getString("tool"),
                        row.getString("surface"),
                        row.getString("value"),
                        row.getString("arguments"),
                        row.getString("directory"),
                        row.getString("matched_pattern"),
                        row.getString("origin"),
                        row.getString("message"),
                        row.getString("note")),
                AskState.parse(row.getString("state")),
                time(row, "created_at"),
                optionalTime(row, "expires_at"),
                optionalTime(row, "settled_at"),
                row.getString("reason"),
                decider == null
                        ? null
                        : json.readValue(decider, DeciderView.class).decider(),
                row.getString("answer_key"));
    }

    private static Instant time(ResultSet row, String column) throws SQLException {
        return row.getObject(column, OffsetDateTime.class).toInstant();
    }

    private static @Nullable Instant optionalTime(ResultSet row, String column) throws SQLException {
        OffsetDateTime time = row.getObject(column, OffsetDateTime.class);
        return time == null ? null : time.toInstant();
    }
}
