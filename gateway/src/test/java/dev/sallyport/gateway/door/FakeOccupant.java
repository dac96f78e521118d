package dev.sallyport.gateway.door;

import dev.sallyport.containment.HostPort;
import dev.sallyport.containment.NetworkPolicy;
import dev.sallyport.identity.ChildId;
import dev.sallyport.identity.Tenant;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.function.Function;
import java.util.function.Supplier;

/** A child's record in memory, as a test sets it. */
final class FakeOccupant implements Occupant {

    final ChildId child;
    final List<Command> commands = new CopyOnWriteArrayList<>();
    final List<Report> reports = new CopyOnWriteArrayList<>();
    final List<ToolCall> calls = new CopyOnWriteArrayList<>();
    final List<HostPort> asked = new CopyOnWriteArrayList<>();
    final List<ModelNeed> needs = new CopyOnWriteArrayList<>();
    final List<ModelUse> uses = new CopyOnWriteArrayList<>();
    final List<Observation> observations = new CopyOnWriteArrayList<>();
    final CountDownLatch holding = new CountDownLatch(1);
    final CountDownLatch released = new CountDownLatch(1);

    volatile Verdict verdict = new Verdict(Verdict.Decision.ALLOWED, null, null);
    volatile Verdict connection = new Verdict(Verdict.Decision.ALLOWED, null, null);
    volatile boolean hold;
    volatile boolean interrupted;
    volatile NetworkPolicy network = NetworkPolicy.none();
    volatile Set<String> scope = Set.of("read", "bash");
    volatile Function<ModelNeed, ModelHold> budget = need -> ModelHold.unlimited(need.outputTokens());
    volatile Supplier<Traffic> traffic = () -> Traffic.UNLIMITED;
    volatile Delegates delegates;
    volatile ModelGrant model;
    volatile byte[] source;
    volatile byte[] imported;
    volatile SortedMap<String, String> memory;
    volatile SortedMap<String, String> kept;

    FakeOccupant(ChildId child) {
        this.child = child;
    }

    @Override
    public ChildId child() {
        return child;
    }

    @Override
    public int incarnation() {
        return 1;
    }

    @Override
    public Tenant tenant() {
        return Tenant.DEFAULT;
    }

    void command(long id, Command.Type type, String data) {
        synchronized (commands) {
            commands.add(new Command(id, type, (tools.jackson.databind.node.ObjectNode) Json.MAPPER.readTree(data)));
            commands.notifyAll();
        }
    }

    @Override
    public List<Command> commands(long after, Duration wait) throws InterruptedException {
        synchronized (commands) {
            List<Command> found = commandsAfter(after);
            if (found.isEmpty()) {
                try {
                    commands.wait(wait.toMillis());
                } catch (InterruptedException e) {
                    interrupted = true;
                    throw e;
                }
                found = commandsAfter(after);
            }
            return found;
        }
    }

    private List<Command> commandsAfter(long after) {
        return commands.stream().filter(command -> command.id() > after).toList();
    }

    @Override
    public synchronized long report(List<Report> more) {
        List<Report> fresh = new ArrayList<>(more);
        long last = reports.isEmpty() ? 0 : reports.getLast().n();
        fresh.removeIf(report -> report.n() <= last);
        reports.addAll(fresh);
        return reports.getLast().n();
    }

    @Override
    public Verdict authorize(ToolCall call, Duration wait) throws InterruptedException {
        calls.add(call);
        holdIfAsked();
        return verdict;
    }

    private void holdIfAsked() throws InterruptedException {
        if (hold) {
            holding.countDown();
            try {
                new CountDownLatch(1).await();
            } finally {
                released.countDown();
            }
        }
    }

    @Override
    public NetworkPolicy network() {
        return network;
    }

    @Override
    public Verdict mayConnect(HostPort target, Duration wait) throws InterruptedException {
        asked.add(target);
        holdIfAsked();
        return connection;
    }

    @Override
    public Optional<InputStream> workspace() {
        return Optional.ofNullable(source).map(ByteArrayInputStream::new);
    }

    @Override
    public ImportedBranch importWorkspace(InputStream bundle) throws IOException {
        imported = bundle.readAllBytes();
        return new ImportedBranch("pi-agent-" + child, "0".repeat(40));
    }

    @Override
    public Optional<SortedMap<String, String>> memory() {
        return Optional.ofNullable(memory);
    }

    @Override
    public KeptMemory keepMemory(SortedMap<String, String> files) {
        kept = files;
        return new KeptMemory(3, "kept");
    }

    @Override
    public Delegates delegates() {
        return Optional.ofNullable(delegates)
                .orElseThrow(() -> new DoorProblem(403, "delegation-not-allowed", "this child may not start others"));
    }

    @Override
    public Optional<ModelGrant> model() {
        return Optional.ofNullable(model);
    }

    @Override
    public Set<String> toolScope() {
        return scope;
    }

    @Override
    public ModelHold hold(ModelNeed need) {
        needs.add(need);
        return budget.apply(need);
    }

    @Override
    public Traffic traffic() {
        return traffic.get();
    }

    @Override
    public void used(ModelUse use) {
        uses.add(use);
    }

    @Override
    public void observed(Observation observation) {
        observations.add(observation);
    }
}
