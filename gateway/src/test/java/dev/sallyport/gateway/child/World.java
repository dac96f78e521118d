package dev.sallyport.gateway.child;

import static org.awaitility.Awaitility.await;

import dev.sallyport.agentfile.AgentFiles;
import dev.sallyport.agentfile.SubagentPermission;
import dev.sallyport.authority.Delegation;
import dev.sallyport.authority.OperatorPolicy;
import dev.sallyport.gateway.TestDatabase;
import dev.sallyport.gateway.budget.Ledger;
import dev.sallyport.gateway.catalogue.Catalogue;
import dev.sallyport.gateway.catalogue.TestTrust;
import dev.sallyport.gateway.catalogue.Trusts;
import dev.sallyport.gateway.child.LifeSettings.EventLimits;
import dev.sallyport.gateway.door.Command;
import dev.sallyport.gateway.door.ModelShape;
import dev.sallyport.gateway.door.Occupant;
import dev.sallyport.gateway.door.Report;
import dev.sallyport.gateway.memory.Memories;
import dev.sallyport.gateway.permission.FakePermissionService;
import dev.sallyport.gateway.permission.HttpPermissionService;
import dev.sallyport.gateway.routing.ModelRouter;
import dev.sallyport.gateway.routing.StaticRouter;
import dev.sallyport.gateway.sandbox.BindSources;
import dev.sallyport.gateway.sandbox.InMemorySandboxDriver;
import dev.sallyport.gateway.sandbox.SandboxId;
import dev.sallyport.gateway.sandbox.SandboxUser;
import dev.sallyport.gateway.workspace.WorkspaceSettings;
import dev.sallyport.gateway.workspace.Workspaces;
import dev.sallyport.identity.ChildId;
import dev.sallyport.identity.Role;
import dev.sallyport.identity.Tenant;
import dev.sallyport.invocation.Settings;
import dev.sallyport.model.Model;
import dev.sallyport.service.Caller;
import dev.sallyport.service.Tokens;
import dev.sallyport.testing.MutableClock;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.SQLTransientConnectionException;
import java.time.Duration;
import java.time.Instant;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.jdbc.datasource.DataSourceTransactionManager;
import org.springframework.jdbc.datasource.DelegatingDataSource;
import org.springframework.transaction.support.TransactionTemplate;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;

/** A gateway's children with everything around them that a test can turn: clock, engine, door, permission-service. */
final class World implements AutoCloseable {

    static final JsonMapper JSON = new JsonMapper();
    static final Duration SOON = Duration.ofSeconds(20);

    static final Caller ALICE =
            new Caller("alice", Tenant.DEFAULT, Caller.Kind.PERSON, Set.of(Role.SPAWN, Role.OBSERVE, Role.APPROVE));
    static final Caller SESSION_OF_ALICE =
            new Caller("session-a", Tenant.DEFAULT, Caller.Kind.SESSION, Set.of(Role.SPAWN, Role.OBSERVE));
    static final Caller ANOTHER_SESSION =
            new Caller("session-b", Tenant.DEFAULT, Caller.Kind.SESSION, Set.of(Role.SPAWN, Role.OBSERVE));

    final MutableClock clock = new MutableClock(Instant.parse("2026-06-01T12:00:00Z"));
    final InMemorySandboxDriver driver;
    final FakeDoor door = new FakeDoor();
    final FakePermissionService permissions;
    SimpleMeterRegistry meters;
    final Database database = new Database();
    final JdbcClient db;
    final Path directory;
    final Path root;
    final LifeSettings settings;
    /** Who chooses models; what is put here counts from the next {@link #restart}. */
    ModelRouter router = new StaticRouter();

    /** What runs in every sandbox. */
    Consumer<SandboxId> runner = sandbox -> FakeRunner.start(this.lives, sandbox);

    @Nullable Model defaultModel;

    boolean sharedWriters;

    UnaryOperator<OperatorPolicy.Builder> policy = builder -> builder;

    Surroundings with;
    Lives lives;
    Reaper reaper;
    Spawning spawning;
    Inspection inspection;
    Transcript transcript;
    Memories memories;
    Delegating delegating;
    Trusts trusts;
    Catalogue catalogue;

    World(Path directory) throws IOException {
        this(directory, settings -> settings);
    }

    World(Path directory, UnaryOperator<LifeSettings> settings) throws IOException {
        this.directory = directory.toRealPath();
        this.root = Files.createDirectories(this.directory.resolve("work"));
        this.driver = new InMemorySandboxDriver(new InMemorySandboxDriver.Engine(), "ours");
        this.permissions = new FakePermissionService();
        this.db = JdbcClient.create(database);
        this.settings = settings.apply(standard(Files.createDirectories(this.directory.resolve("data"))));
        start();
    }

    static final int PER_TREE = 20;

    private static LifeSettings standard(Path data) {
        return new LifeSettings(
                InMemorySandboxDriver.IMAGE,
                20_000,
                20_099,
                16,
                10,
                Duration.ofMinutes(2),
                Duration.ofSeconds(1),
                Duration.ofMinutes(2),
                Set.of(),
                data,
                new EventLimits(1 << 16, 10_000, 1_000, 1 << 20),
                30,
                Duration.ofDays(30),
                Duration.ofMinutes(2),
                51_200);
    }

    static LifeSettings with(LifeSettings old, Duration engine, Set<String> required, EventLimits events, int active) {
        return with(old, engine, old.permission(), required, events, active);
    }

    static LifeSettings with(
            LifeSettings old,
            Duration engine,
            Duration permission,
            Set<String> required,
            EventLimits events,
            int active) {
        return new LifeSettings(
                old.image(),
                old.firstUid(),
                old.lastUid(),
                active,
                old.activePerSession(),
                old.prepare(),
                engine,
                permission,
                required,
                old.directory(),
                events,
                old.steersPerMinute(),
                old.retention(),
                old.toolTimeout(),
                old.outputLimit());
    }

    /** The database of all tests, which can be away for a while. */
    static final class Database extends DelegatingDataSource {

        private final AtomicInteger refused = new AtomicInteger();
        private volatile boolean down;

        private Database() {
            super(TestDatabase.empty());
        }

        void down(boolean down) {
            this.down = down;
        }

        /** How often it was asked for while it was away. */
        int refused() {
            return refused.get();
        }

        @Override
        public Connection getConnection() throws SQLException {
            if (down) {
                refused.incrementAndGet();
                throw new SQLTransientConnectionException("the database is away");
            }
            return super.getConnection();
        }
    }

    private void start() {
        meters = new SimpleMeterRegistry();
        var transactions = new TransactionTemplate(new DataSourceTransactionManager(database));
        Ledger ledger = new Ledger(db, transactions);
        Children children = new Children(
                db,
                transactions,
                new Admission(db, settings.active(), settings.activePerSession(), PER_TREE),
                ledger,
                JSON,
                clock);
        Timeline timeline = new Timeline(db, JSON, clock);
        Workspaces workspaces = new Workspaces(WorkspaceSettings.of(List.of(root), directory.resolve("repositories")));
        BindSources binds = new BindSources(List.of(root), List.of(), () -> false);
        Clones clones = new Clones(workspaces, children, timeline, settings.directory(), JSON);
        Tokens tokens = new Tokens(Base64.getEncoder().encodeToString(new byte[32]), clock);
        var client = new HttpPermissionService(permissions.uri(), tokens, clock, JSON);
        memories = new Memories(
                db,
                new TransactionTemplate(new DataSourceTransactionManager(database)),
                new SecureRandom(),
                clock,
                JSON);
        Remembering remembering = new Remembering(memories, timeline, JSON);
        with = new Surroundings(
                driver,
                door,
                binds,
                client,
                children,
                timeline,
                clones,
                remembering,
                ledger,
                new Provisions(settings.directory()),
                new ChildMetrics(meters),
                settings,
                clock,
                JSON);
        Remains remains = new Remains(with);
        lives = new Lives(with, remains, () -> delegating);
        reaper = new Reaper(with, lives, remains);
        trusts = new Trusts(db, new TransactionTemplate(new DataSourceTransactionManager(database)), JSON, clock);
        catalogue = new Catalogue(
                directory.resolve("home"),
                directory.resolve("agent"),
                List.of(root),
                AgentFiles.Leniency.NONE,
                trusts,
                clock);
        OperatorPolicy operator = policy.apply(OperatorPolicy.builder())
                .acceptUnenforced(true)
                .defaultModel(defaultModel)
                .delegation(new Delegation(
                        SubagentPermission.all(),
                        0,
                        Delegation.DEFAULT_MAX_DEPTH,
                        Delegation.DEFAULT_MAX_ACTIVE,
                        sharedWriters))
                .build();
        transcript = new Transcript(timeline, JSON);
        spawning = new Spawning(
                catalogue,
                new SpawnPolicy(
                        operator, Settings.DEFAULT.with("scopeModels", true), Map.of("scripted", ModelShape.MESSAGES)),
                new Selecting(router, JSON),
                new Resuming(children, transcript, lives, JSON),
                new Sources(binds, workspaces, children, new SandboxUser(20_000, 20_000)),
                client,
                children,
                ledger,
                timeline,
                transcript,
                remembering,
                lives,
                new SecureRandom(),
                JSON);
        driver.runner(sandbox -> runner.accept(sandbox));
        inspection = new Inspection(children, timeline, clones, lives, remains);
        delegating = new Delegating(spawning, inspection, timeline, JSON);
    }

    /** The gateway dies and another one begins with the same database, engine and door directories. */
    void restart() {
        lives.close();
        door.close();
        start();
        reaper.adopt();
    }

    static SpawnRequest request(String json) {
        return JSON.readerFor(SpawnRequest.class).readValue(json);
    }

    /** An agent of the user's, with these fields in its front matter. */
    void agent(String name, String fields) throws IOException {
        Path file = Files.createDirectories(directory.resolve("agent/agents")).resolve(name + ".md");
        Files.writeString(file, "---\n%s\n---\nYou are %s.\n".formatted(fields, name));
    }

    /** What lies in a project now, as this caller would trust it. */
    void trust(Caller caller, Path project) throws IOException {
        TestTrust.trust(trusts, catalogue, new Trusts.User(caller.tenant(), caller.principal()), project);
    }

    ChildId spawn() {
        return spawn("{\"prompt\":\"look around\",\"model\":\"scripted/demo\"}");
    }

    ChildId spawn(String request) {
        return spawning.spawn(ALICE, request(request), null).id();
    }

    /** A child that has its task. */
    ChildId running() {
        return running("{\"prompt\":\"look around\",\"model\":\"scripted/demo\"}");
    }

    ChildId running(String request) {
        ChildId id = spawn(request);
        awaitState(id, ChildState.RUNNING);
        return id;
    }

    Child child(ChildId id) {
        return with.children().find(id).orElseThrow();
    }

    Occupant atDoor(ChildId id) {
        return lives.live(id, child(id).incarnation()).orElseThrow();
    }

    void awaitState(ChildId id, ChildState state) {
        await().atMost(SOON).until(() -> child(id).state() == state);
    }

    /** The child's end, after everything was cleaned up. */
    Ending awaitEnd(ChildId id) {
        await().atMost(SOON)
                .until(() -> child(id).endedAt() != null && lives.find(id).isEmpty());
        Child child = child(id);
        return child.ending();
    }

    List<Event> events(ChildId id) {
        return with.timeline().after(id, 0, 10_000);
    }

    List<String> states(ChildId id) {
        return events(id).stream()
                .filter(event -> event.type().equals("state") || event.type().equals(Event.ENDED))
                .map(event -> JSON.readTree(event.data()).path("state").asString())
                .toList();
    }

    List<Command.Type> commands(ChildId id) {
        return with.timeline().commands(child(id).sandbox(), 0).stream()
                .map(Command::type)
                .toList();
    }

    static Report output(long n, String text) {
        ObjectNode data = JSON.createObjectNode().put("stream", "stdout").put("text", text);
        return new Report(n, Report.Type.OUTPUT, data);
    }

    @Override
    public void close() {
        lives.close();
        permissions.close();
    }
}
