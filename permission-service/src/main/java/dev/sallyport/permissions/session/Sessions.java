package dev.sallyport.permissions.session;

import dev.sallyport.identity.SessionId;
import dev.sallyport.identity.Tenant;
import dev.sallyport.permissions.PermissionException;
import dev.sallyport.permissions.PermissionProblem;
import dev.sallyport.service.Caller;
import java.security.SecureRandom;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.OffsetDateTime;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Component;

/** The delegating sessions of all tenants. */
@Component
public class Sessions {

    private final JdbcClient database;
    private final SecureRandom random = new SecureRandom();

    Sessions(JdbcClient database) {
        this.database = database;
    }

    Session create(Tenant tenant, String owner, List<String> approvers, @Nullable Duration escalateAfter) {
        return database.sql("""
                        insert into session (id, tenant, owner, approvers, escalate_millis)
                        values (:id, :tenant, :owner, :approvers, :escalate)
                        returning *
                        """)
                .param("id", SessionId.random(random).value())
                .param("tenant", tenant.value())
                .param("owner", owner)
                .param("approvers", approvers.toArray(String[]::new))
                .param("escalate", escalateAfter == null ? null : escalateAfter.toMillis())
                .query((row, _) -> session(row))
                .single();
    }

    public Optional<Session> find(SessionId id) {
        return database.sql("select * from session where id = :id")
                .param("id", id.value())
                .query((row, _) -> session(row))
                .optional();
    }

    /** A session that the caller may see; another tenant's is not found rather than forbidden (T81g). */
    public Session get(SessionId id, Caller caller) {
        return find(id).filter(session -> session.visibleTo(caller)).orElseThrow(() -> notFound(id));
    }

    public static PermissionException notFound(SessionId id) {
        return new PermissionException(PermissionProblem.SESSION_NOT_FOUND, "no session `%s`".formatted(id));
    }

    /** The newest first, at most 200. */
    List<Session> list(Caller caller) {
        boolean agent = caller.kind() == Caller.Kind.SESSION;
        return database.sql("""
                        select * from session
                        where tenant = :tenant and (not :agent or owner = :principal or id = :principal)
                        order by created_at desc, id limit 200
                        """)
                .param("tenant", caller.tenant().value())
                .param("agent", agent)
                .param("principal", caller.principal())
                .query((row, _) -> session(row))
                .list();
    }

    private static Session session(ResultSet row) throws SQLException {
        Long escalate = row.getObject("escalate_millis", Long.class);
        return new Session(
                new SessionId(row.getString("id")),
                new Tenant(row.getString("tenant")),
                row.getString("owner"),
                List.of((String[]) row.getArray("approvers").getArray()),
                escalate == null ? null : Duration.ofMillis(escalate),
                row.getObject("created_at", OffsetDateTime.class).toInstant());
    }
}
