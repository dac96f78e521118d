package dev.sallyport.gateway.child;

import dev.sallyport.containment.Budgets;
import dev.sallyport.gateway.budget.BudgetExhausted;
import dev.sallyport.gateway.budget.Kind;
import dev.sallyport.gateway.budget.Ledger;
import dev.sallyport.gateway.child.Child.Decisions;
import dev.sallyport.gateway.child.Child.Reported;
import dev.sallyport.gateway.child.Child.Spent;
import dev.sallyport.gateway.child.Child.Usage;
import dev.sallyport.gateway.door.ModelUse;
import dev.sallyport.identity.ChildId;
import dev.sallyport.identity.SessionId;
import dev.sallyport.identity.Tenant;
import java.nio.file.Path;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Timestamp;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.springframework.dao.DuplicateKeyException;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.transaction.support.TransactionOperations;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;

/**
 * The rows of all children. INVARIANT: every change of state is one conditional statement that also writes the state into
 * the timeline, so that of two who race exactly one wins and nobody sees a state without its event.
 */
final class Children {

    /** How many ended children a list shows. */
    static final int ENDED_SHOWN = 10;

    /** The index over {@code resumes} says the same: at most one child goes on with a conversation. */
    static final String GOES_ON = "(ended_at is null or started_at is not null)";

    private static final String SELECT = """
        select c.*, d.*, r.resumed_by, coalesce((
            select json_object_agg(kind, json_build_object('most', most, 'used', used, 'held', held))
            from budget where child = c.id), '{}') as budgets
        from child c left join lateral (
            select count(*) filter (where decision = 'allowed') as allowed,
                   count(*) filter (where decision = 'denied') as denied,
                   count(*) filter (where asked) as asked,
                   count(*) filter (where decision = 'allowed' and human) as approved,
                   count(*) filter (where decision = 'unavailable') as unavailable
            from decision where child = c.id) d on true left join lateral (
            select id as resumed_by from child where resumes = c.id and %s) r on true
        """.formatted(GOES_ON);

    private final JdbcClient db;
    private final TransactionOperations transactions;
    private final Admission admission;
    private final Ledger ledger;
    private final JsonMapper json;
    private final Clock clock;

    Children(
            JdbcClient db,
            TransactionOperations transactions,
            Admission admission,
            Ledger ledger,
            JsonMapper json,
            Clock clock) {
        this.db = db;
        this.transactions = transactions;
        this.admission = admission;
        this.ledger = ledger;
        this.json = json;
        this.clock = clock;
    }

    /**
     * What a spawn adds; the rest of a row starts empty.
     *
     * @param request as JSON, for a resume
     * @param turns that were used for it already
     */
    record NewChild(
            ChildId id,
            Tenant tenant,
            SessionId session,
            String owner,
            String principal,
            @Nullable ChildId parent,
            @Nullable String idempotencyKey,
            String requestDigest,
            Terms terms,
            boolean sharesWrites,
            Budgets budgets,
            int turns,
            @Nullable String base,
            String authority,
            String explanation,
            String request,
            @Nullable Resumed resumed) {}

    /**
     * The child that a new one goes on with.
     *
     * @param history its conversation as JSON
     */
    record Resumed(ChildId child, String history) {}

    /** A child as its idempotency key finds it. */
    record Earlier(ChildId id, String requestDigest) {}

    /**
     * Takes in all of them or none.
     *
     * @return false if an idempotency key of theirs is taken: then nothing was inserted
     * @throws NotAdmitted if one of them may not be: then nothing was inserted either
     * @throws BudgetExhausted likewise, if there may be no more children below its parent
     */
    boolean insert(List<NewChild> some) {
        return Boolean.TRUE.equals(transactions.execute(transaction -> {
            admission.enter();
            for (NewChild child : some) {
                admission.require(child);
                if (!insert(child)) {
                    transaction.setRollbackOnly();
                    return false;
                }
                ledger.open(child.id(), child.parent(), child.budgets(), child.turns());
            }
            return true;
        }));
    }

    private boolean insert(NewChild child) {
        Resumed resumed = child.resumed();
        return db.sql("""
            with c as (
                insert into child (id, tenant, session, owner, principal, parent, idempotency_key, request_digest, terms,
                    base, authority, explanation, resumes, state, created_at, last_seq)
                values (?, ?, ?, ?, ?, ?, ?, ?, ?::json, ?, ?::json, ?, ?, 'queued', ?, 1)
                on conflict (tenant, principal, idempotency_key) where idempotency_key is not null do nothing
                returning id, created_at),
            a as (insert into asked select id, ?, ? from c)
            insert into event select id, 1, created_at, 'gateway', 'state', '{"state":"queued"}' from c
            """)
                        .params(Arrays.asList(
                                child.id().value(),
                                child.tenant().value(),
                                child.session().value(),
                                child.owner(),
                                child.principal(),
                                child.parent() == null ? null : child.parent().value(),
                                child.idempotencyKey(),
                                child.requestDigest(),
                                json.writeValueAsString(child.terms()),
                                child.base(),
                                child.authority(),
                                child.explanation(),
                                resumed == null ? null : resumed.child().value(),
                                now(),
                                child.request(),
                                resumed == null ? null : resumed.history()))
                        .update()
                == 1;
    }

    Optional<Earlier> earlier(Tenant tenant, String principal, String idempotencyKey) {
        return db.sql("select id, request_digest from child where tenant = ? and principal = ? and idempotency_key = ?")
                .params(tenant.value(), principal, idempotencyKey)
                .query((row, _) -> new Earlier(new ChildId(row.getString(1)), row.getString(2)))
                .optional();
    }

    Optional<Child> find(ChildId id) {
        return db.sql(SELECT + "where c.id = ?")
                .param(id.value())
                .query(this::child)
                .optional();
    }

    /** All that have not ended, and the last {@value #ENDED_SHOWN} that have; newest first. */
    List<Child> list(Tenant tenant, @Nullable SessionId session, @Nullable String owner) {
        String visible = "where c.tenant = :tenant and (:session::text is null or c.session = :session)"
                + " and (:owner::text is null or c.owner = :owner)";
        List<Child> children =
                new ArrayList<>(query(SELECT + visible + " and c.ended_at is null", tenant, session, owner));
        children.addAll(query(
                SELECT + visible + " and c.ended_at is not null order by c.ended_at desc limit " + ENDED_SHOWN,
                tenant,
                session,
                owner));
        children.sort((a, b) -> b.createdAt().compareTo(a.createdAt()));
        return children;
    }

    private List<Child> query(String sql, Tenant tenant, @Nullable SessionId session, @Nullable String owner) {
        return db.sql(sql)
                .param("tenant", tenant.value())
                .param("session", session == null ? null : session.value())
                .param("owner", owner)
                .query(this::child)
                .list();
    }

    /** Those that something is still to be done for, oldest first. */
    List<Child> unsettled() {
        return db.sql(SELECT + "where not c.settled order by c.created_at, c.id")
                .query(this::child)
                .list();
    }

    /** Those that are over, and nothing is left to do for, oldest first. */
    List<Child> overBefore(Instant end, int limit) {
        return db.sql(SELECT + "where c.settled and c.ended_at < ? order by c.ended_at limit ?")
                .params(end.atOffset(ZoneOffset.UTC), limit)
                .query(this::child)
                .list();
    }

    /** The source of every mount that a live child can write (S5). */
    List<Path> writable() {
        return writable("");
    }

    List<Path> writableByOthers(ChildId child) {
        return writable(child.value());
    }

    /** The source of every mount that any child could write, also one that is forgotten. */
    List<Path> everWritable() {
        return db.sql("select path from written").query(String.class).list().stream()
                .map(Path::of)
                .toList();
    }

    private List<Path> writable(String except) {
        return db.sql("""
            select distinct writes_to from child where ended_at is null and id <> ? and writes_to is not null
            """).param(except).query(String.class).list().stream()
                .map(Path::of)
                .toList();
    }

    /** What was asked for when it was spawned, as JSON; empty for a row of old, and where nothing said is kept. */
    Optional<String> request(ChildId id) {
        return asked("request", id);
    }

    /** The conversation that it goes on with, as JSON. */
    Optional<String> history(ChildId id) {
        return asked("history", id);
    }

    private Optional<String> asked(String column, ChildId id) {
        return db.sql("select %s from asked where child = ? and %s is not null".formatted(column, column))
                .param(id.value())
                .query(String.class)
                .optional();
    }

    /** The resolved authority as JSON. */
    String authority(ChildId id) {
        return text("select authority::text from child where id = ?", id);
    }

    /** The resolved authority as a table. */
    String explanation(ChildId id) {
        return text("select explanation from child where id = ?", id);
    }

    private String text(String sql, ChildId id) {
        return db.sql(sql).param(id.value()).query(String.class).single();
    }

    /**
     * Reserves a uid that no other live child has (S7).
     *
     * @return empty if all are taken
     */
    Optional<Integer> claimUid(ChildId id, int first, int last) {
        while (true) {
            try {
                // At random, so that two that claim at once seldom meet, and what a number left behind is seldom met
                // again.
                return db.sql("""
                    update child set uid = (
                        select u from generate_series(?, ?) u
                        where not exists (select 1 from child where uid = u) order by random() limit 1)
                    where id = ? and ended_at is null returning uid
                    """)
                        .params(first, last, id.value())
                        .query((row, _) -> Optional.ofNullable(row.getObject(1, Integer.class)))
                        .optional()
                        .flatMap(uid -> uid);
            } catch (DuplicateKeyException another) {
                // Somebody was faster with this one.
            }
        }
    }

    /** Gives the child a place, if it is its turn and one is free. */
    boolean preparing(ChildId id, Duration timeout) {
        return Boolean.TRUE.equals(transactions.execute(_ -> {
            admission.enter();
            return change(
                    id,
                    "state = 'preparing', deadline_at = ?",
                    "state = 'queued' and ending is null and " + admission.turn(),
                    ChildState.PREPARING,
                    List.of(later(timeout)));
        }));
    }

    /** Whether it still stands in the queue. */
    boolean queued(ChildId id) {
        return db.sql("select exists (select 1 from child where id = ? and state = 'queued' and ending is null)")
                .param(id.value())
                .query(Boolean.class)
                .single();
    }

    /** The children of this child, newest first: all that have not ended, and the last {@value #ENDED_SHOWN} that have. */
    List<Child> below(ChildId parent) {
        List<Child> children = new ArrayList<>(below(parent, "c.ended_at is null"));
        children.addAll(below(parent, "c.ended_at is not null order by c.ended_at desc limit " + ENDED_SHOWN));
        children.sort((a, b) -> b.createdAt().compareTo(a.createdAt()));
        return children;
    }

    private List<Child> below(ChildId parent, String condition) {
        return db.sql(SELECT + "where c.parent = ? and " + condition)
                .param(parent.value())
                .query(this::child)
                .list();
    }

    /** Those whose parent has ended and that nobody has ended yet, with that parent. */
    Map<ChildId, ChildId> orphans() {
        Map<ChildId, ChildId> orphans = new LinkedHashMap<>();
        db.sql("""
            select c.id, c.parent from child c where c.parent is not null and c.ended_at is null and c.ending is null
                and not exists (select 1 from child p where p.id = c.parent and p.ended_at is null)
            """).query(row -> {
            orphans.put(new ChildId(row.getString(1)), new ChildId(row.getString(2)));
        });
        return orphans;
    }

    /** A child that never got its task starts over; whatever its earlier incarnation still says is not heard. */
    boolean again(ChildId id) {
        return change(
                id,
                "state = 'queued', incarnation = incarnation + 1, reported_n = 0, last_command = 0, deadline_at = null",
                "state in ('queued', 'preparing') and ending is null",
                ChildState.QUEUED,
                List.of());
    }

    boolean running(ChildId id, Duration wall) {
        return change(
                id,
                "state = 'running', started_at = ?, deadline_at = ?",
                "state = 'preparing' and ending is null",
                ChildState.RUNNING,
                List.of(now(), later(wall)));
    }

    boolean waiting(ChildId id) {
        return change(id, "state = 'waiting'", "state = 'running' and ended_at is null", ChildState.WAITING, List.of());
    }

    boolean resumed(ChildId id) {
        return change(id, "state = 'running'", "state = 'waiting' and ended_at is null", ChildState.RUNNING, List.of());
    }

    /** Decides how the child ends. @return false if that is decided already, otherwise */
    boolean decide(ChildId id, Ending ending) {
        return db.sql("update child set ending = ?, ending_message = ?, exit_code = ? where id = ? and ending is null")
                        .params(Arrays.asList(ending.reason().wire(), ending.message(), ending.exitCode(), id.value()))
                        .update()
                == 1;
    }

    /**
     * Makes an ending final; it is what was decided, or what came of that.
     *
     * @param sandboxGone whether its uid can be given to another
     * @return false if the child has ended already
     */
    boolean end(ChildId id, Ending ending, boolean sandboxGone) {
        ObjectNode data = json.createObjectNode()
                .put("state", ending.state().wire())
                .put("reason", ending.reason().wire())
                .put("message", ending.message())
                .put("exitCode", ending.exitCode());
        return change(
                id,
                "state = ?, ending = ?, ending_message = ?, exit_code = ?, ended_at = ?, deadline_at = null"
                        + (sandboxGone ? ", uid = null" : ""),
                "ended_at is null",
                Event.ENDED,
                data,
                Arrays.asList(
                        ending.state().wire(), ending.reason().wire(), ending.message(), ending.exitCode(), now()));
    }

    /** Nothing of the child is left anywhere. */
    void settled(ChildId id) {
        update("update child set settled = true, uid = null where id = ? and ended_at is not null", id);
    }

    void contained(ChildId id, String enforcements) {
        db.sql("update child set containment = ?::json where id = ?")
                .params(enforcements, id.value())
                .update();
    }

    void cloned(ChildId id, String base) {
        db.sql("update child set base = ? where id = ?")
                .params(base, id.value())
                .update();
    }

    void imported(ChildId id, String tip) {
        db.sql("update child set tip = ? where id = ?").params(tip, id.value()).update();
    }

    /** The files that hold what children of this session left. */
    List<Path> salvages(SessionId session) {
        return db
                .sql("select salvage from child where session = ? and salvage is not null")
                .param(session.value())
                .query(String.class)
                .list()
                .stream()
                .map(Path::of)
                .toList();
    }

    void salvaged(ChildId id, String file) {
        db.sql("update child set salvage = ? where id = ?")
                .params(file, id.value())
                .update();
    }

    void used(ChildId id, ModelUse use) {
        db.sql("""
            update child set model_calls = model_calls + 1,
                input_tokens = input_tokens + :input, output_tokens = output_tokens + :output,
                cost_usd = coalesce(cost_usd + cast(:cost as numeric), cast(:cost as numeric), cost_usd)
            where id = :id
            """)
                .param("input", use.inputTokens())
                .param("output", use.outputTokens())
                .param("cost", use.costUsd())
                .param("id", id.value())
                .update();
    }

    /** Returns false if it has not ended, or is not cleaned up after */
    boolean delete(ChildId id) {
        return update("delete from child where id = ? and settled", id);
    }

    private boolean update(String sql, ChildId id) {
        return db.sql(sql).param(id.value()).update() == 1;
    }

    private boolean change(
            ChildId id, String assignments, String condition, ChildState state, List<Object> parameters) {
        ObjectNode data = json.createObjectNode().put("state", state.wire());
        return change(id, assignments, condition, "state", data, parameters);
    }

    private boolean change(
            ChildId id, String assignments, String condition, String type, ObjectNode data, List<Object> parameters) {
        List<Object> all = new ArrayList<>(parameters);
        all.addAll(List.of(id.value(), now(), type, json.writeValueAsString(data)));
        return db.sql("""
            with c as (update child set %s, last_seq = last_seq + 1 where id = ? and %s returning id, last_seq)
            insert into event select id, last_seq, ?, 'gateway', ?, ? from c
            """.formatted(assignments, condition)).params(all).update() == 1;
    }

    private OffsetDateTime now() {
        return clock.instant().atOffset(ZoneOffset.UTC);
    }

    private OffsetDateTime later(Duration duration) {
        return now().plus(duration);
    }

    private Child child(ResultSet row, int number) throws SQLException {
        String ending = row.getString("ending");
        return new Child(
                new ChildId(row.getString("id")),
                new Tenant(row.getString("tenant")),
                new SessionId(row.getString("session")),
                row.getString("owner"),
                row.getString("principal"),
                childId(row, "parent"),
                json.readValue(row.getString("terms"), Terms.class),
                ChildState.parse(row.getString("state")),
                row.getInt("incarnation"),
                row.getObject("uid", Integer.class),
                row.getTimestamp("created_at").toInstant(),
                instant(row, "started_at"),
                instant(row, "deadline_at"),
                ending == null
                        ? null
                        : new Ending(
                                EndReason.parse(ending),
                                row.getString("ending_message"),
                                row.getObject("exit_code", Integer.class)),
                instant(row, "ended_at"),
                row.getString("base"),
                row.getString("tip"),
                row.getString("salvage"),
                row.getString("containment"),
                new Reported(row.getLong("reported_n"), row.getLong("reported_events"), row.getLong("reported_bytes")),
                new Usage(
                        row.getLong("model_calls"),
                        row.getLong("input_tokens"),
                        row.getLong("output_tokens"),
                        row.getBigDecimal("cost_usd")),
                budgets(row.getString("budgets")),
                new Decisions(
                        row.getLong("allowed"),
                        row.getLong("denied"),
                        row.getLong("asked"),
                        row.getLong("approved"),
                        row.getLong("unavailable")),
                row.getBoolean("settled"),
                childId(row, "resumes"),
                childId(row, "resumed_by"));
    }

    private static @Nullable ChildId childId(ResultSet row, String column) throws SQLException {
        String id = row.getString(column);
        return id == null ? null : new ChildId(id);
    }

    private Map<Kind, Spent> budgets(String stored) {
        JsonNode found = json.readTree(stored);
        Map<Kind, Spent> budgets = new EnumMap<>(Kind.class);
        for (Kind kind : Kind.values()) {
            JsonNode one = found.path(kind.key());
            if (one.isObject()) {
                budgets.put(kind, json.treeToValue(one, Spent.class));
            }
        }
        return budgets;
    }

    private static @Nullable Instant instant(ResultSet row, String column) throws SQLException {
        Timestamp value = row.getTimestamp(column);
        return value == null ? null : value.toInstant();
    }
}
