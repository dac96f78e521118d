package dev.sallyport.gateway.child;

import dev.sallyport.agentfile.AgentRegistry;
import dev.sallyport.agentfile.Profile;
import dev.sallyport.agentfile.SubagentPermission;
import dev.sallyport.authority.Authority;
import dev.sallyport.authority.AuthorityRequest;
import dev.sallyport.authority.AuthorityResolver;
import dev.sallyport.authority.Compatibility;
import dev.sallyport.authority.Delegation;
import dev.sallyport.authority.Explanation;
import dev.sallyport.authority.Outcome;
import dev.sallyport.authority.Refusal;
import dev.sallyport.containment.Budgets;
import dev.sallyport.containment.CredentialScope;
import dev.sallyport.containment.Harness;
import dev.sallyport.containment.Limits;
import dev.sallyport.containment.NetworkPolicy;
import dev.sallyport.containment.RuntimeClass;
import dev.sallyport.containment.WorkspaceAccess;
import dev.sallyport.delegation.Nesting;
import dev.sallyport.gateway.budget.BudgetExhausted;
import dev.sallyport.gateway.budget.Kind;
import dev.sallyport.gateway.budget.Ledger;
import dev.sallyport.gateway.catalogue.Catalogue;
import dev.sallyport.gateway.catalogue.Snapshot;
import dev.sallyport.gateway.catalogue.Trusts;
import dev.sallyport.gateway.child.Children.Earlier;
import dev.sallyport.gateway.child.Children.NewChild;
import dev.sallyport.gateway.door.ModelShape;
import dev.sallyport.gateway.error.GatewayException;
import dev.sallyport.gateway.error.GatewayException.AuthorityRefused;
import dev.sallyport.gateway.error.GatewayException.BatchRefused;
import dev.sallyport.gateway.error.GatewayException.BudgetUsedUp;
import dev.sallyport.gateway.error.GatewayException.DelegationNotAllowed;
import dev.sallyport.gateway.error.GatewayException.IdempotencyKeyReused;
import dev.sallyport.gateway.error.GatewayException.InvalidRequest;
import dev.sallyport.gateway.error.GatewayException.PermissionServiceUnavailable;
import dev.sallyport.gateway.error.GatewayException.SessionNotFound;
import dev.sallyport.gateway.error.GatewayException.WorkspaceRefused;
import dev.sallyport.gateway.error.GatewayProblem;
import dev.sallyport.gateway.permission.PermissionService;
import dev.sallyport.gateway.permission.PermissionService.Session;
import dev.sallyport.gateway.permission.PermissionServiceException;
import dev.sallyport.gateway.workspace.Workspaces;
import dev.sallyport.identity.ChildId;
import dev.sallyport.identity.SessionId;
import dev.sallyport.identity.Tenant;
import dev.sallyport.invocation.SpawnCall;
import dev.sallyport.json.Digests;
import dev.sallyport.memory.MemoryGrant;
import dev.sallyport.model.Model;
import dev.sallyport.model.ModelRouting;
import dev.sallyport.model.ModelScope;
import dev.sallyport.model.Models;
import dev.sallyport.model.Thinking;
import dev.sallyport.permission.Narrowing;
import dev.sallyport.prompt.Environment;
import dev.sallyport.prompt.ParentConversation;
import dev.sallyport.service.Caller;
import dev.sallyport.toolscope.DelegationTools;
import dev.sallyport.toolscope.ExtensionFiles;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Function;
import java.util.random.RandomGenerator;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;

/** From a request to a child in the queue, or to a refusal that has left nothing behind. */
final class Spawning {

    private static final int DESCRIPTION = 60;
    private static final int LARGEST_BATCH = 100;

    /** As JSON writes it, with no backslash before it that makes it a text about one. */
    private static final Pattern NUL = Pattern.compile("(?<!\\\\)(?:\\\\\\\\)*\\\\u0000");

    private final Catalogue catalogue;
    private final SpawnPolicy policy;
    private final Selecting selecting;
    private final Resuming resuming;
    private final Sources sources;
    private final PermissionService permissions;
    private final Children children;
    private final Ledger ledger;
    private final Timeline timeline;
    private final Transcript transcript;
    private final Remembering remembering;
    private final Lives lives;
    private final RandomGenerator random;
    private final JsonMapper json;

    Spawning(
            Catalogue catalogue,
            SpawnPolicy policy,
            Selecting selecting,
            Resuming resuming,
            Sources sources,
            PermissionService permissions,
            Children children,
            Ledger ledger,
            Timeline timeline,
            Transcript transcript,
            Remembering remembering,
            Lives lives,
            RandomGenerator random,
            JsonMapper json) {
        this.catalogue = catalogue;
        this.policy = policy;
        this.selecting = selecting;
        this.resuming = resuming;
        this.sources = sources;
        this.permissions = permissions;
        this.children = children;
        this.ledger = ledger;
        this.timeline = timeline;
        this.transcript = transcript;
        this.remembering = remembering;
        this.lives = lives;
        this.random = random;
        this.json = json;
    }

    /** An outcome of core, and what the gateway adds: the repository's own policy. */
    record Resolved(
            AuthorityRequest asked,
            Outcome outcome,
            ExtensionFiles extensions,
            @Nullable Path directory,
            List<Narrowing.Layer> project,
            List<String> projectWarnings) {

        static Resolved of(
                AuthorityRequest asked,
                ExtensionFiles extensions,
                @Nullable Path directory,
                List<Narrowing.Layer> project,
                List<String> projectWarnings) {
            Outcome outcome = AuthorityResolver.resolve(asked);
            if (outcome instanceof Outcome.Granted granted) {
                outcome = withWarnings(granted, Loading.warnings(asked, granted.authority(), extensions));
            }
            return new Resolved(
                    asked, withWarnings(outcome, projectWarnings), extensions, directory, project, projectWarnings);
        }

        /** The same request, of which one thing more is known. */
        Resolved routed(ModelRouting routing) {
            return of(asked.routed(routing), extensions, directory, project, projectWarnings);
        }

        Outcome.Granted granted() {
            return switch (outcome) {
                case Outcome.Granted yes -> yes;
                case Outcome.Refused no
                when no.refusal() == Refusal.PROJECT_UNTRUSTED ->
                    throw new AuthorityRefused(
                            no.code(),
                            no.reasons(),
                            "`%s`".formatted(asked.registry().trust().remedy()));
                case Outcome.Refused no -> throw new AuthorityRefused(no.code(), no.reasons());
            };
        }
    }

    /** Asks nobody: where a selector chooses the model, the answer says among which. */
    Resolved resolve(Caller caller, SpawnRequest request) {
        Path directory = catalogue.directory(request.directory()).orElse(null);
        Snapshot snapshot = catalogue.snapshot(new Trusts.User(caller.tenant(), caller.principal()), directory);
        return resolve(request, directory, snapshot, null, request.conversation());
    }

    private Resolved resolve(
            SpawnRequest request,
            @Nullable Path directory,
            Snapshot snapshot,
            @Nullable Authority parent,
            ParentConversation conversation) {
        AuthorityRequest asked = new AuthorityRequest(
                snapshot.registry(),
                call(request, directory != null),
                policy.settings(),
                policy.operator(),
                parent,
                new Models(scope(snapshot), selecting.before(request)),
                conversation,
                snapshot.skills());
        return Resolved.of(
                asked, userExtensions().and(snapshot.extensions()), directory, snapshot.policy(), snapshot.warnings());
    }

    /** S3: none that a child could have written. */
    private ExtensionFiles userExtensions() {
        Path extensions = catalogue.extensions();
        boolean written = children.everWritable().stream()
                .anyMatch(mount -> extensions.startsWith(mount) || mount.startsWith(extensions));
        return written ? ExtensionFiles.NONE : ExtensionFiles.in(extensions);
    }

    private ModelScope scope(Snapshot snapshot) {
        boolean replace = policy.operator().compatibility().has(Compatibility.Switch.PROJECT_MODELS_REPLACE);
        return policy.settings().scopeModels() ? snapshot.models(replace) : ModelScope.NONE;
    }

    /** Whose child it becomes; the gateway's own knowledge, nothing of it is from a request. */
    private record Family(
            Tenant tenant,
            String principal,
            SessionId session,
            String owner,
            @Nullable Child parent) {}

    /**
     * A child that could be taken in.
     *
     * @param selection what its timeline says of the choice of its model; null if nobody was asked
     * @param over whom it goes on with; null for a child that begins
     */
    private record Draft(
            SpawnRequest request,
            Outcome.Granted granted,
            Sources.Source source,
            Resolved resolved,
            List<Terms.Given> extensions,
            @Nullable ObjectNode selection,
            Resuming.@Nullable Over over) {

        Draft selected(Resolved resolved, ObjectNode selection) {
            return new Draft(request, resolved.granted(), source, resolved, extensions, selection, over);
        }
    }

    /** @param idempotencyKey the same key with the same request finds the same child */
    Child spawn(Caller caller, SpawnRequest request, @Nullable String idempotencyKey) {
        return spawn(caller, request.session(), List.of(request), idempotencyKey)
                .getFirst();
    }

    /**
     * Starts all of them or none, in one session.
     *
     * @throws BatchRefused that names each of them that cannot be started
     */
    List<Child> batch(
            Caller caller, @Nullable String session, List<SpawnRequest> requests, @Nullable String idempotencyKey) {
        if (requests.isEmpty() || requests.size() > LARGEST_BATCH) {
            throw new InvalidRequest("children: %d (expected: 1 to %d)".formatted(requests.size(), LARGEST_BATCH));
        }
        if (requests.stream().anyMatch(request -> request.session() != null)) {
            throw new InvalidRequest("children: `session` belongs to the whole batch");
        }
        List<SpawnRequest> bounded = requests.stream()
                // A command has no tools that a profile could take away (P1); it has what its container lets it.
                .map(request -> request.command() == null ? request.withProfileOr(Profile.BATCH_DEFAULT) : request)
                .toList();
        return spawn(caller, session, bounded, idempotencyKey);
    }

    private List<Child> spawn(
            Caller caller, @Nullable String session, List<SpawnRequest> requests, @Nullable String key) {
        requests.forEach(SpawnRequest::requireSomethingToDo);
        List<String> digests =
                requests.stream().map(request -> digest(request, null)).toList();
        List<Child> earlier = earlier(caller.tenant(), caller.principal(), digests, key);
        if (!earlier.isEmpty()) {
            return earlier;
        }
        List<Draft> drafts = drafts(requests, request -> draft(request, resolve(caller, request), null));
        Family family = family(caller, session);
        return take(family, drafts(drafts, draft -> selected(family, draft)), key);
    }

    private Family family(Caller caller, @Nullable String session) {
        Session known = session(caller, session);
        return new Family(caller.tenant(), caller.principal(), known.id(), known.owner(), null);
    }

    /**
     * Starts a child that goes on where another stopped, of that one's session. What it may do is resolved as if it were
     * asked for now, by the agent of that name and nobody in its place (T62).
     *
     * @param over found for this caller
     */
    Child resume(Caller caller, Child over, ResumeRequest wish, @Nullable String key) throws InterruptedException {
        if (over.parent() != null) {
            throw new DelegationNotAllowed("child %s was started by child %s, and nobody else can resume it"
                    .formatted(over.id(), over.parent()));
        }
        SpawnRequest request = resuming.request(over, wish);
        List<Child> earlier = earlier(caller.tenant(), caller.principal(), List.of(digest(request, over.id())), key);
        if (!earlier.isEmpty()) {
            return earlier.getFirst();
        }
        Draft draft = draft(request, resolve(caller, request), resuming.over(over));
        Family family = family(caller, request.session());
        return take(family, List.of(selected(family, draft)), key).getFirst();
    }

    /**
     * Starts a child of a child. Its session, its tenant and its depth are those of the parent's row.
     *
     * @param key of the call: the same again finds the same child
     * @throws DelegationNotAllowed if the parent may not start that agent, or none
     */
    Child below(Child parent, SpawnRequest request, String key) {
        request.requireSomethingToDo();
        Family family = family(parent);
        List<Child> earlier = earlier(family.tenant(), family.principal(), List.of(digest(request, null)), key);
        return earlier.isEmpty() ? below(family, parent, request, null, key) : earlier.getFirst();
    }

    /**
     * {@link #resume} for the one that started it.
     *
     * @param over one of this parent's children
     */
    Child resumeBelow(Child parent, Child over, ResumeRequest wish, String key) throws InterruptedException {
        SpawnRequest request = resuming.request(over, wish);
        Family family = family(parent);
        List<Child> earlier = earlier(family.tenant(), family.principal(), List.of(digest(request, over.id())), key);
        return earlier.isEmpty() ? below(family, parent, request, resuming.over(over), key) : earlier.getFirst();
    }

    private static Family family(Child parent) {
        return new Family(parent.tenant(), "child/" + parent.id(), parent.session(), parent.owner(), parent);
    }

    private Child below(Family family, Child parent, SpawnRequest request, Resuming.@Nullable Over over, String key) {
        Path directory = directoryBelow(parent, request.directory());
        // S3: an agent file that a child wrote is not the one that a person of its session trusts.
        Snapshot snapshot = catalogue.snapshot(new Trusts.User(parent.tenant(), parent.owner()), directory);
        requirePermit(parent.terms().delegation().rights(), snapshot.registry(), request.agent());
        Draft draft = draft(
                request,
                resolve(request, directory, snapshot, authority(parent), transcript.conversation(parent)),
                over);
        return take(family, List.of(selected(family, draft)), key).getFirst();
    }

    private static void requirePermit(Delegation rights, AgentRegistry registry, @Nullable String agent) {
        if (agent == null && rights.mayDelegate() && rights.agents() instanceof SubagentPermission.All) {
            return;
        }
        switch (Nesting.permit(rights, registry, agent)) {
            case Nesting.Permit.Granted _ -> {}
            case Nesting.Permit.NoDelegation _ ->
                throw new DelegationNotAllowed("this child may not start others (depth %d of %d)"
                        .formatted(rights.depth(), rights.maxDepth()));
            case Nesting.Permit.UnknownAgent(List<String> permitted) ->
                throw new DelegationNotAllowed("unknown or disabled agent `%s` (available: %s)"
                        .formatted(agent == null ? "" : agent, listed(permitted)));
            case Nesting.Permit.NotAllowed refused ->
                throw new DelegationNotAllowed("agent `%s` is not among those this child may start (available: %s)"
                        .formatted(refused.agent(), listed(refused.permitted())));
        }
    }

    private static String listed(List<String> names) {
        return names.isEmpty() ? "none" : String.join(", ", names);
    }

    /** What the row says, word for word; if it cannot be read any more, nothing can be delegated from it. */
    private Authority authority(Child parent) {
        ObjectNode stored =
                (ObjectNode) json.readTree(children.authority(parent.id())).path("authority");
        stored.remove("digest");
        stored.putArray("fields");
        Authority authority = Authority.fromJson(json.writeValueAsString(stored));
        if (!authority.digest().equals(parent.terms().authorityDigest())) {
            throw new IllegalStateException("authority of child %s is not what its digest says".formatted(parent.id()));
        }
        // What it has used is not its to give.
        return authority.withBudgets(authority.budgets().meet(ledger.left(parent.id())));
    }

    /**
     * The directory of the host that a parent names as it sees it, inside its own workspace.
     *
     * @param text absolute in the parent's sandbox, or relative to where its tools start; null for that directory itself
     */
    private @Nullable Path directoryBelow(Child parent, @Nullable String text) {
        Terms.Workspace workspace = parent.terms().workspace();
        String own = workspace.directory();
        if (own == null) {
            if (text != null) {
                throw new InvalidRequest("directory: `%s`, but this child has no workspace".formatted(text));
            }
            return null;
        }
        Path start = Path.of(own);
        Path top = start;
        for (int up = workspace.subdirectory().isEmpty()
                        ? 0
                        : Path.of(workspace.subdirectory()).getNameCount();
                up > 0;
                up--) {
            top = Objects.requireNonNull(top.getParent());
        }
        if (text == null) {
            return start;
        }
        try {
            Path inside = Path.of(Assignment.TOP)
                    .relativize(Path.of(Assignment.directory(workspace)).resolve(text));
            Path real = catalogue
                    .directory(top.resolve(inside).normalize().toString())
                    .orElseThrow();
            if (real.startsWith(top)) {
                return real;
            }
        } catch (IllegalArgumentException | WorkspaceRefused e) {
            // Said below, without telling what of the host is there and what is not.
        }
        throw new WorkspaceRefused("outside-parent", "`%s` is not in this child's workspace".formatted(text), null);
    }

    private List<Child> earlier(Tenant tenant, String principal, List<String> digests, @Nullable String key) {
        if (key == null
                || children.earlier(tenant, principal, key(key, digests.size(), 0))
                        .isEmpty()) {
            return List.of();
        }
        List<Child> found = new ArrayList<>();
        for (int i = 0; i < digests.size(); i++) {
            found.add(same(children.earlier(tenant, principal, key(key, digests.size(), i)), digests.get(i), key));
        }
        return found;
    }

    private static String key(String key, int count, int index) {
        return count == 1 ? key : "%s#%d".formatted(key, index);
    }

    private String digest(SpawnRequest request, @Nullable ChildId resumed) {
        String body = json.writeValueAsString(request) + (resumed == null ? "" : resumed.value());
        return Digests.sha256(body.getBytes(StandardCharsets.UTF_8));
    }

    private String digest(Draft draft) {
        Resuming.Over over = draft.over();
        return digest(draft.request(), over == null ? null : over.child().id());
    }

    private static <T> List<Draft> drafts(List<T> requests, Function<T, Draft> draft) {
        if (requests.size() == 1) {
            return List.of(draft.apply(requests.getFirst()));
        }
        List<Draft> drafts = new ArrayList<>();
        List<BatchRefused.Item> refused = new ArrayList<>();
        for (int i = 0; i < requests.size(); i++) {
            try {
                drafts.add(draft.apply(requests.get(i)));
            } catch (GatewayException e) {
                refused.add(new BatchRefused.Item(i, e.problem().code(), String.valueOf(e.getMessage())));
            }
        }
        if (!refused.isEmpty()) {
            throw new BatchRefused(refused);
        }
        return drafts;
    }

    private Draft draft(SpawnRequest request, Resolved resolved, Resuming.@Nullable Over over) {
        Outcome.Granted granted = resolved.granted();
        Authority authority = granted.authority();
        if (over != null && !authority.agent().equals(over.child().terms().agent())) {
            throw new AuthorityRefused(
                    "unknown-agent",
                    List.of("agent `%s` is not there any more, and no other goes on with its conversation"
                            .formatted(over.child().terms().agent())));
        }
        requireHarness(request, authority.harness());
        if (!authority.containment().credentials().names().isEmpty()) {
            throw new AuthorityRefused(
                    "credentials-unavailable",
                    List.of("credentials: this gateway adds nothing but model keys to a child's requests yet"));
        }
        Sources.Source source = sources.of(
                authority.containment().workspace(), resolved.directory(), over == null ? null : over.child());
        List<Terms.Given> extensions = Loading.given(resolved.asked(), authority, resolved.extensions());
        return new Draft(request, granted, source, resolved, extensions, null, over);
    }

    /** Last of all that can be refused: a selector costs time and money, and is told the task. */
    private Draft selected(Family family, Draft draft) {
        return selecting
                .choose(family.tenant(), draft.request(), draft.resolved(), () -> pay(family.parent(), draft))
                .map(chosen -> draft.selected(chosen.resolved(), chosen.event()))
                .orElse(draft);
    }

    /** P12: one turn of every budget above, and of the child's own. */
    private void pay(@Nullable Child parent, Draft draft) {
        Long own = draft.granted().authority().budgets().turns();
        if (own != null && own < 1) {
            throw new BudgetUsedUp(
                    GatewayProblem.BUDGET_TURNS, "there is no turn left to ask which model the child is to have");
        }
        if (parent != null) {
            try {
                ledger.spend(parent.id(), Kind.TURNS, 1);
            } catch (BudgetExhausted e) {
                throw new BudgetUsedUp(GatewayProblem.BUDGET_TURNS, String.valueOf(e.getMessage()));
            }
        }
    }

    private List<Child> take(Family family, List<Draft> drafts, @Nullable String key) {
        List<NewChild> some = new ArrayList<>();
        for (Draft draft : drafts) {
            some.add(newChild(family, draft, key == null ? null : key(key, drafts.size(), some.size())));
        }
        if (!inserted(some)) {
            // Only a key can be in the way, and it was taken a moment ago.
            return earlier(
                    family.tenant(),
                    family.principal(),
                    drafts.stream().map(this::digest).toList(),
                    key);
        }
        List<Child> queued = new ArrayList<>();
        for (int i = 0; i < drafts.size(); i++) {
            ChildId id = some.get(i).id();
            Resuming.Over over = drafts.get(i).over();
            if (over != null) {
                timeline.fact(
                        id,
                        "resumes",
                        json.createObjectNode().put("child", over.child().id().value()));
            }
            ObjectNode selection = drafts.get(i).selection();
            if (selection != null) {
                timeline.fact(id, "model-selected", selection);
            }
            warn(id, drafts.get(i).granted().explanation().warnings());
            warn(id, drafts.get(i).source().warnings());
            queued.add(children.find(id).orElseThrow());
        }
        queued.forEach(lives::lead);
        return queued;
    }

    private boolean inserted(List<NewChild> some) {
        try {
            return children.insert(some);
        } catch (BudgetExhausted e) {
            throw new BudgetUsedUp(GatewayProblem.BUDGET_CHILDREN, String.valueOf(e.getMessage()));
        }
    }

    /** The database cannot read one in a json, and no program takes one as an argument. */
    private void requireNoNul(Terms terms) {
        if (NUL.matcher(json.writeValueAsString(terms)).find()) {
            throw new InvalidRequest("a NUL character in the request or in the agent file");
        }
    }

    private NewChild newChild(Family family, Draft draft, @Nullable String key) {
        ChildId id = ChildId.random(random);
        Child parent = family.parent();
        Terms terms = terms(id, draft, remembered(family, draft));
        requireNoNul(terms);
        return new NewChild(
                id,
                family.tenant(),
                family.session(),
                family.owner(),
                family.principal(),
                parent == null ? null : parent.id(),
                key,
                digest(draft),
                terms,
                Boolean.TRUE.equals(draft.request().allowSharedWrites())
                        && terms.delegation().sharedWriters(),
                draft.granted().authority().budgets(),
                draft.selection() == null ? 0 : 1,
                draft.source().base(),
                json.writeValueAsString(ResolutionResponse.of(draft.granted(), json)),
                draft.granted().explanation().render(),
                json.writeValueAsString(draft.request()),
                draft.over() == null ? null : draft.over().resumed());
    }

    /** Whatever drives the child: a program has no such tools, but what is not among these its door refuses. */
    private static List<String> tools(Authority authority) {
        List<String> tools = new ArrayList<>(authority.tools());
        if (authority.delegation().mayDelegate()) {
            DelegationTools.NAMES.stream()
                    .filter(name -> !authority.deniedTools().contains(name))
                    .forEach(tools::add);
        }
        return tools;
    }

    private Child same(Optional<Earlier> earlier, String digest, String key) {
        return earlier.filter(one -> one.requestDigest().equals(digest))
                .flatMap(one -> children.find(one.id()))
                .orElseThrow(() -> new IdempotencyKeyReused(key));
    }

    private void warn(ChildId id, List<String> warnings) {
        for (String warning : warnings) {
            ObjectNode data = json.createObjectNode().put("message", warning);
            timeline.fact(id, "warning", data);
        }
    }

    private static void requireHarness(SpawnRequest request, Harness harness) {
        boolean command = request.command() != null;
        if (command != (harness == Harness.COMMAND)) {
            throw new InvalidRequest(
                    "harness `%s` takes a `%s`".formatted(harness.wire(), command ? "prompt" : "command"));
        }
    }

    private Session session(Caller caller, @Nullable String requested) {
        try {
            if (requested == null) {
                return permissions.createSession(caller);
            }
            SessionId id = parse(requested, SessionId::new);
            return permissions
                    .session(caller, id)
                    .filter(session -> session.tenant().equals(caller.tenant()))
                    .filter(session -> caller.kind() == Caller.Kind.PERSON
                            || session.owner().equals(caller.principal()))
                    .orElseThrow(() -> new SessionNotFound(id));
        } catch (PermissionServiceException e) {
            throw new PermissionServiceUnavailable(e);
        }
    }

    private static SpawnCall call(SpawnRequest request, boolean hasDirectory) {
        // A command that names no harness can only mean this one.
        String harness = request.harness() == null && request.command() != null ? "command" : request.harness();
        return SpawnCall.builder(request.agent())
                .hasDirectory(hasDirectory)
                .harness(parsed(harness, Harness::parse))
                .workspace(parsed(request.workspace(), WorkspaceAccess::parse))
                .network(parsed(request.network(), NetworkPolicy::parse))
                .limits(parse(values(request.limits()), Limits.Partial::parse))
                .budgets(
                        request.budgets() == null
                                ? Budgets.UNLIMITED
                                : parse(request.budgets().values(), Budgets::parse))
                .credentials(parsed(request.credentials(), CredentialScope::of))
                .runtime(parsed(request.runtime(), RuntimeClass::parse))
                .model(request.model())
                .thinking(parsed(request.thinking(), Spawning::level))
                .maxTurns(request.maxTurns())
                .inheritContext(request.inheritContext())
                .runInBackground(request.runInBackground())
                .isolated(request.isolated())
                .isolation(request.isolation())
                .profile(request.profile())
                .build();
    }

    /** Agent files may say anything (authority.md 5.2); who calls is told at once. An empty text means nothing. */
    private static String level(String thinking) {
        if (!thinking.isEmpty() && Thinking.parse(thinking).isEmpty()) {
            throw new IllegalArgumentException(
                    "thinking: `%s` (expected: one of %s)".formatted(thinking, Thinking.known()));
        }
        return thinking;
    }

    private static Map<String, String> values(SpawnRequest.@Nullable LimitsRequest limits) {
        return limits == null ? Map.of() : limits.values();
    }

    private static <S, T> @Nullable T parsed(@Nullable S value, Function<S, T> type) {
        return value == null ? null : parse(value, type);
    }

    /** At the edge; what the type says against a value is said to the caller. */
    private static <S, T> T parse(S value, Function<S, T> type) {
        try {
            return type.apply(value);
        } catch (IllegalArgumentException e) {
            throw new InvalidRequest(String.valueOf(e.getMessage()));
        }
    }

    private static Outcome withWarnings(Outcome outcome, List<String> more) {
        List<String> warnings = new ArrayList<>(outcome.explanation().warnings());
        warnings.addAll(more);
        Explanation explanation = outcome.explanation().withWarnings(warnings);
        return switch (outcome) {
            case Outcome.Granted granted -> new Outcome.Granted(granted.authority(), explanation);
            case Outcome.Refused refused -> new Outcome.Refused(refused.refusal(), refused.reasons(), explanation);
        };
    }

    private static @Nullable String thinking(Authority authority) {
        String thinking = authority.thinking();
        return thinking == null
                ? null
                : Thinking.parse(thinking).map(Thinking::wire).orElse(null);
    }

    private Optional<Remembering.Given> remembered(Family family, Draft draft) {
        Authority authority = draft.granted().authority();
        Path directory = draft.resolved().directory();
        return MemoryGrant.of(
                        Loading.definition(draft.resolved().asked(), authority),
                        directory != null,
                        authority.tools(),
                        authority.deniedTools())
                .map(grant -> remembering.recall(
                        family.tenant(),
                        family.owner(),
                        grant,
                        authority,
                        directory == null ? null : catalogue.project(directory)));
    }

    private Terms terms(ChildId id, Draft draft, Optional<Remembering.Given> memory) {
        SpawnRequest request = draft.request();
        Authority authority = draft.granted().authority();
        Resuming.Over over = draft.over();
        Sources.Source source = draft.source();
        List<Narrowing.Layer> narrowing = new ArrayList<>(draft.resolved().project());
        narrowing.addAll(authority.narrowing());
        Model model = authority.model();
        Double maxTurns = authority.maxTurns();
        ParentConversation conversation = draft.resolved().asked().conversation();
        return new Terms(
                authority.agent(),
                authority.definitionDigest(),
                authority.digest(),
                description(request),
                // What was inherited is in the conversation already.
                over == null ? task(request, authority, conversation) : prompt(request),
                authority.harness(),
                request.command() == null ? List.of() : request.command(),
                model == null
                        ? null
                        : new Terms.Model(
                                model.provider(),
                                model.id(),
                                shape(model).wire(),
                                model.scripted(),
                                thinking(authority)),
                tools(authority),
                requested(draft.resolved().asked(), authority),
                authority
                        .prompt()
                        .render(
                                environment(id, source),
                                memory.map(Remembering.Given::prompt).orElse("")),
                maxTurns == null || maxTurns.isInfinite() ? null : (Integer) (int) Math.ceil(maxTurns),
                authority.graceTurns(),
                source.workspace(),
                List.copyOf(authority.containment().network().allowed()),
                authority.containment().limits(),
                authority.containment().runtime(),
                narrowing.stream()
                        .map(layer -> new PermissionService.Narrowing(
                                layer.origin(), json.valueToTree(layer.config().toJson())))
                        .toList(),
                claimed(authority, conversation) || (over != null && claimed(over.child())),
                Terms.Delegation.of(authority.delegation()),
                authority.runInBackground(),
                kept(draft.resolved().asked(), authority),
                new Terms.Extensions(
                        authority.extensions(),
                        authority.deniedTools(),
                        draft.extensions(),
                        policy.operator().compatibility().toolQuirks()),
                memory.map(Remembering.Given::memory).orElse(null));
    }

    private static boolean claimed(Authority authority, ParentConversation conversation) {
        return conversation.claimed() && (authority.prompt().hasParent() || authority.inheritContext());
    }

    private static boolean claimed(Child child) {
        return Boolean.TRUE.equals(child.terms().parentClaimed());
    }

    /** Those of its tools that its agent file names. */
    private static List<String> requested(AuthorityRequest asked, Authority authority) {
        List<String> named = Loading.definition(asked, authority).tools();
        return named == null
                ? List.of()
                : authority.tools().stream().filter(named::contains).toList();
    }

    /** Whether its conversation stays after its end: its agent file decides, else the user's settings (authority.md 11.12). */
    private static boolean kept(AuthorityRequest asked, Authority authority) {
        return asked.settings()
                .outputTranscript(Loading.definition(asked, authority).outputTranscript());
    }

    private static String task(SpawnRequest request, Authority authority, ParentConversation conversation) {
        String prompt = prompt(request);
        return authority.inheritContext() && !prompt.isEmpty()
                ? conversation.messages().before(prompt)
                : prompt;
    }

    private static String prompt(SpawnRequest request) {
        return request.prompt() == null ? "" : request.prompt();
    }

    private ModelShape shape(Model model) {
        ModelShape shape = policy.shapes().get(model.provider());
        if (shape == null) {
            throw new AuthorityRefused(
                    "model-unavailable",
                    List.of("model `%s`: no provider `%s` is configured".formatted(model, model.provider())));
        }
        return shape;
    }

    private static Environment environment(ChildId id, Sources.Source source) {
        Terms.Workspace workspace = source.workspace();
        boolean clone = workspace.access() == WorkspaceAccess.CLONE;
        return new Environment(
                Assignment.directory(workspace),
                clone ? Workspaces.branch(id) : source.branch(),
                clone ? workspace.directory() : null);
    }

    private static String description(SpawnRequest request) {
        String text = request.description() != null
                ? request.description()
                : request.prompt() != null ? request.prompt() : words(request.command());
        String line = text.strip().lines().findFirst().orElse("");
        boolean whole = request.description() != null || line.codePointCount(0, line.length()) <= DESCRIPTION;
        return whole ? line : line.substring(0, line.offsetByCodePoints(0, DESCRIPTION)) + "…";
    }

    private static String words(@Nullable List<String> command) {
        return command == null ? "" : String.join(" ", command);
    }
}
