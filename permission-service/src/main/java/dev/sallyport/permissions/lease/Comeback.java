package dev.sallyport.permissions.lease;

import dev.sallyport.permissions.PermissionProperties;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Component;

/**
 * Notices that we were away, so that nobody is called absent for not reaching us (S24). A start of this service, a return
 * of the database and a machine that slept look the same: the database's clock moved on and nobody looked at it.
 */
@Component
public class Comeback {

    private static final Logger log = LoggerFactory.getLogger(Comeback.class);

    private final JdbcClient database;
    private final PermissionProperties properties;
    private @Nullable Instant lastSeen;

    Comeback(JdbcClient database, PermissionProperties properties) {
        this.database = database;
        this.properties = properties;
    }

    /**
     * The database's time. Deadlines are compared with this value and never with a later one: should the database stand
     * still right after it, nothing that happened meanwhile counts against anybody.
     */
    public synchronized Instant look() {
        Instant now = database.sql("select clock_timestamp()")
                .query(OffsetDateTime.class)
                .single()
                .toInstant();
        if (lastSeen == null || now.isAfter(lastSeen.plus(properties.grace()))) {
            log.info(
                    "back after {}: absence counts from {} later",
                    lastSeen == null ? "start" : "an outage",
                    properties.reconnectWindow());
            database.sql("update comeback set at = greatest(at, :now)")
                    .param("now", now.atOffset(ZoneOffset.UTC))
                    .update();
        }
        lastSeen = now;
        return now;
    }
}
