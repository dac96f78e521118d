package dev.sallyport.gateway.child;

import dev.sallyport.containment.WorkspaceAccess;
import dev.sallyport.gateway.child.Children.NewChild;
import dev.sallyport.gateway.error.GatewayException.ChildNotFound;
import dev.sallyport.gateway.error.GatewayException.ChildResumed;
import dev.sallyport.gateway.error.GatewayException.NotAdmitted;
import dev.sallyport.gateway.error.GatewayException.NotResumable;
import dev.sallyport.gateway.error.GatewayException.ParentEnded;
import dev.sallyport.gateway.error.GatewayException.SharedWrites;
import dev.sallyport.gateway.error.GatewayException.TreeLimit;
import dev.sallyport.identity.ChildId;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import org.springframework.jdbc.core.simple.JdbcClient;

/**
 * Who may live at a time. INVARIANT: whatever is counted here is counted after {@link #enter}, in the transaction that acts
 * on it, so that of two gateways or two requests only one sees the last place.
 *
 * <p>A child that a session started waits in the queue for its turn. One below another child never waits: its parent holds
 * a place until it is back, and waiting for each other they would wait for ever. It has a place at once or is refused.
 */
final class Admission {

    /** Of one tree in all: each leaves events and perhaps work behind, and one that ended makes room for the next. */
    static final int PER_TREE = 200;

    private static final long LOCK = 0x53414c4c59504f52L;

    private static final String HOLDS_A_PLACE = "ended_at is null and (state <> 'queued' or parent is not null)";

    private final JdbcClient db;
    private final int all;
    private final int perSession;
    private final int perTree;

    /**
     * @param perSession places of one session, of {@code all}
     * @param perTree how many may ever be started below one that a session started
     */
    Admission(JdbcClient db, int all, int perSession, int perTree) {
        this.db = db;
        this.all = all;
        this.perSession = perSession;
        this.perTree = perTree;
    }

    /** One at a time from here to the end of the transaction. */
    void enter() {
        db.sql("select pg_advisory_xact_lock(?)").param(LOCK).query(_ -> {});
    }

    /** The condition under which a queued child has its turn: first come first served, past sessions that are full. */
    String turn() {
        return """
            (parent is not null or id in (
                select id from (
                    select q.id, q.created_at, row_number() over (partition by q.session order by q.created_at, q.id)
                        + (select count(*) from child where session = q.session and %s) as nth
                    from child q where q.state = 'queued' and q.parent is null and q.ending is null) waiting
                where nth <= %d order by created_at, id
                limit greatest(0, %d - (select count(*) from child where %s))))
            """.formatted(HOLDS_A_PLACE, perSession, all, HOLDS_A_PLACE);
    }

    /** Whether a new child may be taken in at all. */
    void require(NewChild child) {
        ChildId parent = child.parent();
        if (parent != null) {
            requireLive(parent);
            requireTree(parent);
            int session = Math.min(perSession, child.terms().delegation().active());
            if (count("session = ? and " + HOLDS_A_PLACE, child.session().value()) >= session) {
                throw new NotAdmitted("session", session);
            }
            if (count(HOLDS_A_PLACE) >= all) {
                throw new NotAdmitted("gateway", all);
            }
        }
        requireOnlyWriter(child);
        Children.Resumed resumed = child.resumed();
        if (resumed != null) {
            requireOver(resumed.child());
        }
    }

    /** nothing of it runs any more, and nobody else goes on with it. Its row stays until this transaction is over. */
    private void requireOver(ChildId child) {
        record Row(boolean settled, @Nullable String winner) {}
        Row row = db.sql(
                        "select settled, (select id from child where resumes = c.id and %s) from child c where id = ? for update"
                                .formatted(Children.GOES_ON))
                .param(child.value())
                .query((found, _) -> new Row(found.getBoolean(1), found.getString(2)))
                .optional()
                .orElseThrow(() -> new ChildNotFound(child));
        if (row.winner() != null) {
            throw new ChildResumed(child, new ChildId(row.winner()));
        }
        if (!row.settled()) {
            throw NotResumable.notOver(child);
        }
    }

    /** Its row stays as it is until this transaction is over: a parent that ends later finds this child and ends it. */
    private void requireLive(ChildId parent) {
        boolean live = db.sql("select ending is null and ended_at is null from child where id = ? for update")
                .param(parent.value())
                .query(Boolean.class)
                .optional()
                .orElse(false);
        if (!live) {
            throw new ParentEnded(parent);
        }
    }

    /** T72: counted whether they live or not. */
    private void requireTree(ChildId parent) {
        int below = db.sql("""
                    with recursive above as (
                        select id, parent from child where id = ?
                        union all select c.id, c.parent from child c join above a on c.id = a.parent),
                    tree as (
                        select id from above where parent is null or parent not in (select id from above)
                        union all select c.id from child c join tree t on c.parent = t.id)
                    select count(*) - 1 from tree
                    """).param(parent.value()).query(Integer.class).single();
        if (below >= perTree) {
            throw new TreeLimit(perTree);
        }
    }

    private void requireOnlyWriter(NewChild child) {
        Terms.Workspace workspace = child.terms().workspace();
        String mounted = workspace.mounted();
        if (workspace.access() != WorkspaceAccess.READ_WRITE || mounted == null || child.sharesWrites()) {
            return;
        }
        Path own = Path.of(mounted);
        db.sql("""
                    select writes_to from child where ended_at is null and writes_to is not null
                    """).query(String.class).list().stream()
                .map(Path::of)
                .filter(other -> other.startsWith(own) || own.startsWith(other))
                .findFirst()
                .ifPresent(other -> {
                    throw new SharedWrites(other.toString());
                });
    }

    private int count(String condition, Object... parameters) {
        return db.sql("select count(*) from child where " + condition)
                .params(parameters)
                .query(Integer.class)
                .single();
    }
}
