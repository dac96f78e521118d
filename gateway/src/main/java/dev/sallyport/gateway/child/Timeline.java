package dev.sallyport.gateway.child;

import dev.sallyport.gateway.door.Command;
import dev.sallyport.gateway.door.Report;
import dev.sallyport.gateway.sandbox.SandboxId;
import dev.sallyport.identity.CallId;
import dev.sallyport.identity.ChildId;
import java.time.Clock;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;
import org.springframework.jdbc.core.simple.JdbcClient;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;

/**
 * What happened to each child and what it was told. Numbers come from the child's row, whose lock orders the writers: a
 * reader that has seen number n has seen all below it.
 */
final class Timeline {

    private static final String STEERED = "source = 'gateway' and type = 'steer'";

    private static final String CONVERSATION =
            "source = 'child' and type in ('assistant', 'tool-call', 'tool-result') or " + STEERED;

    private static final String HEARD = "source = 'child' and type = 'assistant' or " + STEERED;

    private final JdbcClient db;
    private final JsonMapper json;
    private final Clock clock;

    Timeline(JdbcClient db, JsonMapper json, Clock clock) {
        this.db = db;
        this.json = json;
        this.clock = clock;
    }

    List<Event> after(ChildId child, long seq, int limit) {
        return events(child, seq, limit, "true");
    }

    /** What the child was told, said and did, and no more of its timeline. */
    List<Event> conversation(ChildId child, long seq, int limit) {
        return events(child, seq, limit, CONVERSATION);
    }

    /** What of it was said in words, by the child or to it. */
    List<Event> heard(ChildId child, long seq, int limit) {
        return events(child, seq, limit, HEARD);
    }

    private List<Event> events(ChildId child, long seq, int limit, String which) {
        return db.sql(
                        "select seq, at, source, type, data from event where child = ? and seq > ? and (%s) order by seq limit ?"
                                .formatted(which))
                .params(child.value(), seq, limit)
                .query((row, _) -> new Event(
                        row.getLong(1),
                        row.getTimestamp(2).toInstant(),
                        row.getString(3).equals("child") ? Event.Source.CHILD : Event.Source.GATEWAY,
                        row.getString(4),
                        row.getString(5)))
                .list();
    }

    /** Keeps that there was a conversation, and nothing of what it was. */
    void forgetConversation(ChildId child) {
        db.sql("update event set data = '{\"forgotten\":true}' where child = ? and (%s)".formatted(CONVERSATION))
                .param(child.value())
                .update();
        db.sql("delete from command where child = ?").param(child.value()).update();
        db.sql("delete from asked where child = ?").param(child.value()).update();
    }

    /** A fact that the gateway itself knows. */
    void fact(ChildId child, String type, ObjectNode data) {
        db.sql("""
                with c as (update child set last_seq = last_seq + 1 where id = ? returning id, last_seq)
                insert into event select id, last_seq, ?, 'gateway', ?, ? from c
                """)
                .params(child.value(), now(), type, json.writeValueAsString(data))
                .update();
    }

    /**
     * Stores what the child says of itself, all or nothing.
     *
     * @param before the greatest number stored so far, as the caller believes
     * @param bytes of all data together
     * @return false if {@code before} is wrong or the child is not in this incarnation: then nothing was stored
     */
    boolean reported(SandboxId sandbox, long before, List<Report> reports, long bytes) {
        String[] types = reports.stream().map(report -> report.type().wire()).toArray(String[]::new);
        String[] data = reports.stream()
                .map(report -> json.writeValueAsString(report.data()))
                .toArray(String[]::new);
        return db.sql("""
                        with c as (
                            update child set last_seq = last_seq + ?, reported_n = ?, reported_events = reported_events + ?,
                                reported_bytes = reported_bytes + ?
                            where id = ? and incarnation = ? and reported_n = ? and ended_at is null returning id, last_seq)
                        insert into event
                        select c.id, c.last_seq - ? + u.i, ?, 'child', u.type, u.data
                        from c, unnest(?::text[], ?::text[]) with ordinality as u(type, data, i)
                        """)
                        .params(
                                reports.size(),
                                reports.getLast().n(),
                                reports.size(),
                                bytes,
                                sandbox.child().value(),
                                sandbox.incarnation(),
                                before,
                                reports.size(),
                                now(),
                                types,
                                data)
                        .update()
                > 0;
    }

    /** One final decision, counted and told once however often it is asked. @return false if it was there already */
    boolean decided(SandboxId sandbox, CallId call, String decision, boolean asked, boolean human, ObjectNode data) {
        return db.sql("""
                        with d as (
                            insert into decision values (?, ?, ?, ?, ?, ?) on conflict do nothing returning child),
                        c as (
                            update child set last_seq = last_seq + 1 where id in (select child from d) returning id, last_seq)
                        insert into event select id, last_seq, ?, 'gateway', 'decision', ? from c
                        """)
                        .params(
                                sandbox.child().value(),
                                sandbox.incarnation(),
                                call.value(),
                                decision,
                                asked,
                                human,
                                now(),
                                json.writeValueAsString(data))
                        .update()
                == 1;
    }

    /** Adds a command for the child's next look at its control feed. */
    void command(SandboxId sandbox, Command.Type type, ObjectNode data) {
        db.sql("""
                with c as (update child set last_command = last_command + 1 where id = ? and incarnation = ?
                    returning id, incarnation, last_command)
                insert into command select id, incarnation, last_command, ?, ? from c
                """)
                .params(sandbox.child().value(), sandbox.incarnation(), type.wire(), json.writeValueAsString(data))
                .update();
    }

    List<Command> commands(SandboxId sandbox, long after) {
        return db.sql(
                        "select id, type, data from command where child = ? and incarnation = ? and id > ? order by id limit 100")
                .params(sandbox.child().value(), sandbox.incarnation(), after)
                .query((row, _) -> new Command(
                        row.getLong(1),
                        Command.Type.valueOf(row.getString(2).toUpperCase(java.util.Locale.ROOT)),
                        (ObjectNode) json.readTree(row.getString(3))))
                .list();
    }

    /**
     * What the child gave as its result: the last text it called that, else the end of what it printed.
     *
     * @param limit in characters
     */
    Optional<String> output(ChildId child, int limit) {
        return said(child, "result", 1).stream().map(Timeline::text).findFirst().or(() -> printed(child, limit));
    }

    private Optional<String> printed(ChildId child, int limit) {
        String text = said(child, "output", 1000).reversed().stream()
                .filter(data -> data.path("stream").asString("").equals("stdout"))
                .map(Timeline::text)
                .collect(Collectors.joining());
        return text.isEmpty() ? Optional.empty() : Optional.of(text.substring(Math.max(0, text.length() - limit)));
    }

    private static String text(JsonNode data) {
        return data.path("text").asString("");
    }

    /** The child's own events of one type, newest first. */
    private List<JsonNode> said(ChildId child, String type, int count) {
        return db
                .sql(
                        "select data from event where child = ? and source = 'child' and type = ? order by seq desc limit ?")
                .params(child.value(), type, count)
                .query(String.class)
                .list()
                .stream()
                .map(json::readTree)
                .toList();
    }

    /** What its extensions offered, oldest first. */
    List<Offer> offers(ChildId child) {
        return said(child, Report.Type.EXTENSION_TOOLS.wire(), 10_000).reversed().stream()
                .map(Offer::of)
                .toList();
    }

    /** Paths that the child's branch changes, as its import found them; at most {@value Clones#FILES_LISTED}. */
    List<String> changedFiles(ChildId child) {
        return db.sql("""
                select data from event where child = ? and source = 'gateway' and type = 'workspace-imported'
                order by seq desc limit 1
                """)
                .param(child.value())
                .query(String.class)
                .optional()
                .map(json::readTree)
                .map(data ->
                        data.path("files").valueStream().map(JsonNode::asString).toList())
                .orElse(List.of());
    }

    boolean has(ChildId child, String fact) {
        return db.sql("select exists (select 1 from event where child = ? and source = 'gateway' and type = ?)")
                .params(child.value(), fact)
                .query(Boolean.class)
                .single();
    }

    /** What the last such fact says, as JSON. */
    Optional<String> last(ChildId child, String fact) {
        return db.sql("""
                select data from event where child = ? and source = 'gateway' and type = ? order by seq desc limit 1
                """).params(child.value(), fact).query(String.class).optional();
    }

    /** The same fact, told once however often it happens. */
    void once(ChildId child, String type, ObjectNode data) {
        String text = json.writeValueAsString(data);
        db.sql("""
                with c as (
                    update child set last_seq = last_seq + 1 where id = ? and not exists (
                        select 1 from event where child = ? and source = 'gateway' and type = ? and data = ?)
                    returning id, last_seq)
                insert into event select id, last_seq, ?, 'gateway', ?, ? from c
                """)
                .params(child.value(), child.value(), type, text, now(), type, text)
                .update();
    }

    private OffsetDateTime now() {
        return clock.instant().atOffset(ZoneOffset.UTC);
    }
}
