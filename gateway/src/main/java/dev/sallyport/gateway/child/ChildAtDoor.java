package dev.sallyport.gateway.child;

import dev.sallyport.containment.HostPort;
import dev.sallyport.containment.NetworkPolicy;
import dev.sallyport.gateway.budget.BudgetExhausted;
import dev.sallyport.gateway.budget.Ledger;
import dev.sallyport.gateway.door.Command;
import dev.sallyport.gateway.door.Delegates;
import dev.sallyport.gateway.door.DoorProblem;
import dev.sallyport.gateway.door.ImportedBranch;
import dev.sallyport.gateway.door.KeptMemory;
import dev.sallyport.gateway.door.ModelGrant;
import dev.sallyport.gateway.door.ModelHold;
import dev.sallyport.gateway.door.ModelNeed;
import dev.sallyport.gateway.door.ModelUse;
import dev.sallyport.gateway.door.Observation;
import dev.sallyport.gateway.door.Occupant;
import dev.sallyport.gateway.door.Report;
import dev.sallyport.gateway.door.ToolCall;
import dev.sallyport.gateway.door.Traffic;
import dev.sallyport.gateway.door.Verdict;
import dev.sallyport.gateway.permission.PermissionService.Outcome;
import dev.sallyport.gateway.permission.PermissionService.PermissionDecision;
import dev.sallyport.gateway.permission.PermissionService.Subject;
import dev.sallyport.identity.CallId;
import dev.sallyport.identity.ChildId;
import dev.sallyport.identity.Tenant;
import dev.sallyport.json.Digests;
import java.io.IOException;
import java.io.InputStream;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.concurrent.ConcurrentHashMap;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;

/** The gateway's record of one child, as its door asks for it. */
final class ChildAtDoor implements Occupant {

    /** In the timeline once the scripted model had nothing more to play. */
    static final String SCRIPT_EXHAUSTED = "model-script-exhausted";

    /** In the timeline once a model call was refused because of a budget. */
    static final String BUDGET_EXHAUSTED = "budget-exhausted";

    /** Until a call on its way may have given back what it did not use. */
    private static final Duration BUDGET_PATIENCE = Duration.ofSeconds(10);

    private static final int OBSERVATIONS_PER_SECOND = 10;
    private static final int LONGEST_NAME = 100;

    private final LiveChild live;
    private final Child child;
    private final Reports reports;
    private final Authorizer authorizer;
    private final Delegating delegating;
    private final Clones clones;
    private final Remembering remembering;
    private final Children children;
    private final Ledger ledger;
    private final Timeline timeline;
    private final JsonMapper json;
    private final Rate observations;

    /** How often a target was asked for in vain: a later approval must be able to apply to a new question (S21). */
    private final Map<HostPort, Integer> generations = new ConcurrentHashMap<>();

    ChildAtDoor(
            LiveChild live,
            Reports reports,
            Authorizer authorizer,
            Delegating delegating,
            Clones clones,
            Remembering remembering,
            Children children,
            Ledger ledger,
            Timeline timeline,
            JsonMapper json) {
        this.live = live;
        this.child = live.child();
        this.reports = reports;
        this.authorizer = authorizer;
        this.delegating = delegating;
        this.clones = clones;
        this.remembering = remembering;
        this.children = children;
        this.ledger = ledger;
        this.timeline = timeline;
        this.json = json;
        this.observations = new Rate(OBSERVATIONS_PER_SECOND, Duration.ofSeconds(1), System::nanoTime);
    }

    @Override
    public ChildId child() {
        return child.id();
    }

    @Override
    public int incarnation() {
        return child.incarnation();
    }

    @Override
    public Tenant tenant() {
        return child.tenant();
    }

    @Override
    public List<Command> commands(long after, Duration wait) throws InterruptedException {
        long seen = live.orders().version();
        List<Command> commands = timeline.commands(child.sandbox(), after);
        if (!commands.isEmpty()) {
            return commands;
        }
        live.orders().await(seen, wait);
        return timeline.commands(child.sandbox(), after);
    }

    @Override
    public long report(List<Report> reported) {
        return reports.take(reported);
    }

    @Override
    public Verdict authorize(ToolCall call, Duration wait) throws InterruptedException {
        if (!live.tools().permits(call.tool())) {
            return outOfScope(call.callId(), call.tool());
        }
        reports.caused(call.arguments().toString().length());
        var subject = new Subject.Tool(call.tool(), call.arguments(), call.directory());
        return authorizer.authorize(call.callId(), call.tool(), subject, wait);
    }

    private Verdict outOfScope(CallId call, String tool) {
        reports.caused(0);
        String reason = "`%s` is not among this child's tools: %s"
                .formatted(tool, String.join(", ", live.tools().visible()));
        authorizer.record(call, tool, new PermissionDecision(Outcome.DENIED, null, reason, false));
        return new Verdict(Verdict.Decision.DENIED, reason, null);
    }

    @Override
    public NetworkPolicy network() {
        return NetworkPolicy.of(child.terms().network());
    }

    @Override
    public Verdict mayConnect(HostPort target, Duration wait) throws InterruptedException {
        if (!network().allows(target)) {
            return new Verdict(
                    Verdict.Decision.DENIED, "%s is not in this child's network list".formatted(target), null);
        }
        reports.caused(0);
        int generation = generations.getOrDefault(target, 1);
        CallId call = new CallId("network/%s/%d".formatted(digestIfLong(target), generation));
        Verdict verdict = authorizer.authorize(
                call, "network " + target, new Subject.Network(target.host(), target.port()), wait);
        switch (verdict.decision()) {
            case UNAVAILABLE, EXPIRED, CANCELLED -> generations.put(target, generation + 1);
            case ALLOWED, DENIED, PENDING -> {}
        }
        return verdict;
    }

    @Override
    public Optional<InputStream> workspace() throws IOException {
        return clones.open(child);
    }

    @Override
    public ImportedBranch importWorkspace(InputStream bundle) throws IOException {
        reports.caused(0);
        var imported = clones.take(child, bundle);
        live.news().raise();
        return new ImportedBranch(imported.branch(), imported.tip());
    }

    @Override
    public Optional<SortedMap<String, String>> memory() {
        return remembering.copy(child);
    }

    @Override
    public KeptMemory keepMemory(SortedMap<String, String> files) {
        reports.caused(0);
        KeptMemory kept = remembering.keep(child, files);
        live.news().raise();
        return kept;
    }

    @Override
    public Delegates delegates() {
        return delegating.of(live, authorizer, reports);
    }

    @Override
    public Optional<ModelGrant> model() {
        return Optional.ofNullable(child.terms().model()).map(model -> new ModelGrant(model.provider(), model.id()));
    }

    @Override
    public Set<String> toolScope() {
        return Set.copyOf(live.tools().visible());
    }

    @Override
    public ModelHold hold(ModelNeed need) {
        try {
            return ledger.hold(child.id(), need);
        } catch (BudgetExhausted e) {
            throw refused(e);
        }
    }

    @Override
    public Traffic traffic() {
        try {
            return ledger.traffic(child.id());
        } catch (BudgetExhausted e) {
            // The door observes it. A child goes on without, so that it is no reason to end.
            throw exhausted(e);
        }
    }

    private static DoorProblem exhausted(BudgetExhausted budget) {
        return new DoorProblem(402, budget.code(), String.valueOf(budget.getMessage()));
    }

    private DoorProblem refused(BudgetExhausted exhausted) {
        if (exhausted.passing()) {
            return new DoorProblem(
                    429, "budget-reserved", String.valueOf(exhausted.getMessage()), null, BUDGET_PATIENCE);
        }
        timeline.once(
                child.id(),
                BUDGET_EXHAUSTED,
                json.createObjectNode()
                        .put("budget", exhausted.kind().key())
                        .put("child", exhausted.child().value()));
        live.news().raise();
        return exhausted(exhausted);
    }

    @Override
    public void used(ModelUse use) {
        children.used(child.id(), use);
        fact(
                "model-call",
                json.createObjectNode()
                        .put("model", use.provider() + "/" + use.model())
                        .put("inputTokens", use.inputTokens())
                        .put("outputTokens", use.outputTokens())
                        .put("costUsd", use.costUsd())
                        .put("complete", use.complete()));
        reports.caused(0);
    }

    @Override
    public void observed(Observation observation) {
        switch (observation) {
            case Observation.ModelScriptExhausted exhausted -> {
                reports.caused(0);
                fact(
                        SCRIPT_EXHAUSTED,
                        json.createObjectNode()
                                .put("script", exhausted.script())
                                .put("turns", exhausted.turns()));
            }
            case Observation.OutOfScope call -> outOfScope(call.callId(), call.tool());
            case Observation.Egress egress ->
                seldom(
                        "egress",
                        json.createObjectNode()
                                .put("target", egress.target())
                                .put("allowed", egress.allowed())
                                .put("reason", egress.reason()));
            case Observation.MemoryRefused refused ->
                seldom(
                        "memory-refused",
                        json.createObjectNode().put("code", refused.code()).put("detail", refused.detail()));
            case Observation.ModelRefused refused ->
                seldom(
                        "model-refused",
                        json.createObjectNode()
                                .put("provider", refused.provider())
                                .put("code", refused.code())
                                .put("detail", refused.detail()));
        }
    }

    /** The child can make these happen as often as it likes; what is too much is left out, metrics still count it. */
    private void seldom(String type, ObjectNode data) {
        if (observations.tryTake().isZero()) {
            fact(type, data);
        }
    }

    private void fact(String type, ObjectNode data) {
        timeline.fact(child.id(), type, data);
        live.news().raise();
    }

    /** A call id takes 128 characters, a host name up to 253. */
    private static String digestIfLong(HostPort target) {
        String text = target.toString();
        return text.length() <= LONGEST_NAME
                ? text
                : Digests.of("sallyport-network-call-v1").field(text).hex();
    }
}
