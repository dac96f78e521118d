package dev.sallyport.permissions.child;

import dev.sallyport.containment.WorkspaceAccess;
import dev.sallyport.identity.ChildId;
import dev.sallyport.identity.SessionId;
import dev.sallyport.identity.Tenant;
import dev.sallyport.json.StrictJson;
import dev.sallyport.permission.Narrowing;
import dev.sallyport.permission.PermissionConfig;
import dev.sallyport.permissions.PermissionException;
import dev.sallyport.permissions.PermissionProblem;
import dev.sallyport.permissions.ask.Asks;
import dev.sallyport.permissions.review.ReviewLog;
import dev.sallyport.permissions.session.Session;
import dev.sallyport.permissions.session.Sessions;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Types;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Component;
import tools.jackson.databind.json.JsonMapper;

/** The children that may ask. */
@Component
public class Children {

    private static final int REMEMBERED = 1_000;

    private final JdbcClient database;
    private final Sessions sessions;
    private final Asks asks;
    private final JsonMapper json;

    private final Map<ChildId, List<Registered>> recent = new LinkedHashMap<>(16, 0.75f, true) {
        @Override
        protected boolean removeEldestEntry(Map.Entry<ChildId, List<Registered>> eldest) {
            return size() > REMEMBERED;
        }
    };

    Children(JdbcClient database, Sessions sessions, Asks asks, JsonMapper json) {
        this.database = database;
        this.sessions = sessions;
        this.asks = asks;
        this.json = json;
    }

    /** A child and whether it has ended. */
    public record Registered(Child child, boolean ended) {}

    /** Registers a child, or a later incarnation of it, whose predecessor's asks are superseded. */
    void register(Child child) {
        asks.alone(() -> {
            Registered known = find(child.id()).orElse(null);
            if (known == null) {
                requireRelations(child);
                insert(child);
            } else if (isLater(child, known.child())) {
                update(child);
                asks.supersede(child.id());
            } else {
                requireSame(child, known);
            }
            return child;
        });
    }

    private void requireRelations(Child child) {
        Optional<Session> session =
                sessions.find(child.session()).filter(found -> found.tenant().equals(child.tenant()));
        if (session.isEmpty()) {
            throw Sessions.notFound(child.session());
        }
        if (child.parent() != null
                && find(child.parent())
                        .filter(parent -> parent.child().session().equals(child.session()))
                        .isEmpty()) {
            throw notFound(child.parent());
        }
    }

    private static boolean isLater(Child child, Child known) {
        if (!child.tenant().equals(known.tenant())
                || !child.session().equals(known.session())
                || !Objects.equals(child.parent(), known.parent())) {
            throw changed(child);
        }
        if (child.incarnation() < known.incarnation()) {
            throw stale(child.id(), child.incarnation());
        }
        return child.incarnation() > known.incarnation();
    }

    private static void requireSame(Child child, Registered known) {
        if (!child.equals(known.child())) {
            throw changed(child);
        }
        if (known.ended()) {
            throw ended(child.id());
        }
    }

    private void insert(Child child) {
        write(child, """
                insert into child (id, tenant, session, parent, incarnation, agent, definition_digest, authority_digest,
                    workspace, narrowing)
                values (:id, :tenant, :session, :parent, :incarnation, :agent, :definition, :authority, :workspace, :narrowing)
                """);
    }

    private void update(Child child) {
        write(child, """
                update child set incarnation = :incarnation, agent = :agent, definition_digest = :definition,
                    authority_digest = :authority, workspace = :workspace, narrowing = :narrowing,
                    registered_at = clock_timestamp(), ended_at = null
                where id = :id and tenant = :tenant and session = :session and parent is not distinct from :parent
                """);
    }

    private void write(Child child, String statement) {
        database.sql(statement)
                .param("id", child.id().value())
                .param("tenant", child.tenant().value())
                .param("session", child.session().value())
                .param("parent", child.parent() == null ? null : child.parent().value(), Types.VARCHAR)
                .param("incarnation", child.incarnation())
                .param("agent", child.agent())
                .param("definition", child.definitionDigest())
                .param("authority", child.authorityDigest())
                .param("workspace", child.workspace().wire())
                .param("narrowing", json(child.narrowing()))
                .update();
    }

    /** Ends a child in this and any earlier incarnation, with what it still asked. What is unknown or over stays so. */
    void end(ChildId id, int incarnation) {
        asks.alone(() -> {
            int ended = database.sql("""
                            update child set ended_at = clock_timestamp()
                            where id = :id and incarnation <= :incarnation and ended_at is null
                            """)
                    .param("id", id.value())
                    .param("incarnation", incarnation)
                    .update();
            if (ended == 1) {
                asks.cancel(id);
            }
            return ended;
        });
    }

    public Optional<Registered> find(ChildId id) {
        return database.sql("select * from child where id = :id")
                .param("id", id.value())
                .query((row, _) -> registered(row))
                .optional();
    }

    /** The child and then its ancestors up to the root. There are no cycles: a parent was there before its children. */
    public List<Registered> lineage(ChildId id) {
        List<Registered> lineage = database.sql("""
                        with recursive line as (
                            select c.*, 0 as depth from child c where c.id = :id
                            union all
                            select p.*, line.depth + 1 from child p join line on p.id = line.parent)
                        select * from line order by depth
                        """)
                .param("id", id.value())
                .query((row, _) -> registered(row))
                .list();
        synchronized (recent) {
            recent.put(id, lineage);
        }
        return lineage;
    }

    /**
     * The lineage as it was read last, if that was for this incarnation and the child was live. What is registered for
     * an incarnation never changes, so it is out of date only if the child has ended or an ancestor has a later
     * incarnation; {@link ReviewLog#open} writes nothing then.
     */
    public Optional<List<Registered>> remembered(ChildId id, int incarnation) {
        List<Registered> lineage;
        synchronized (recent) {
            lineage = recent.getOrDefault(id, List.of());
        }
        return Optional.of(lineage)
                .filter(line -> !line.isEmpty()
                        && line.getFirst().child().incarnation() == incarnation
                        && !line.getFirst().ended());
    }

    public static PermissionException notFound(ChildId id) {
        return new PermissionException(PermissionProblem.CHILD_NOT_FOUND, "no child `%s`".formatted(id));
    }

    public static PermissionException ended(ChildId id) {
        return new PermissionException(PermissionProblem.CHILD_ENDED, "child `%s` has ended".formatted(id));
    }

    public static PermissionException stale(ChildId id, int incarnation) {
        return new PermissionException(
                PermissionProblem.STALE_INCARNATION,
                "child `%s` is not in incarnation %d any more".formatted(id, incarnation));
    }

    private static PermissionException changed(Child child) {
        return new PermissionException(
                PermissionProblem.CHILD_CHANGED,
                "child `%s` was registered with other content".formatted(child.id()),
                "register what changed as a later incarnation");
    }

    private static Registered registered(ResultSet row) throws SQLException {
        String parent = row.getString("parent");
        return new Registered(
                new Child(
                        new ChildId(row.getString("id")),
                        new Tenant(row.getString("tenant")),
                        new SessionId(row.getString("session")),
                        parent == null ? null : new ChildId(parent),
                        row.getInt("incarnation"),
                        row.getString("agent"),
                        row.getString("definition_digest"),
                        row.getString("authority_digest"),
                        WorkspaceAccess.parse(row.getString("workspace")),
                        layers(row.getString("narrowing"))),
                row.getTimestamp("ended_at") != null);
    }

    // Not canonical JSON: the order of surfaces and patterns is their meaning (permission.md 1.4).
    private String json(List<Narrowing.Layer> layers) {
        return json.writeValueAsString(layers.stream()
                .map(layer -> List.of(layer.origin(), layer.config().toJson()))
                .toList());
    }

    private static List<Narrowing.Layer> layers(String json) {
        if (!(StrictJson.parse(json) instanceof List<?> layers)) {
            throw new IllegalStateException("narrowing of a child is no list");
        }
        return layers.stream()
                .map(layer -> {
                    List<?> pair = (List<?>) Objects.requireNonNull(layer);
                    return new Narrowing.Layer(
                            String.valueOf(pair.getFirst()),
                            PermissionConfig.parse(pair.getLast()).config());
                })
                .toList();
    }
}
