package dev.sallyport.gateway.child;

import dev.sallyport.agentfile.AgentRegistry;
import dev.sallyport.authority.Authority;
import dev.sallyport.authority.AuthorityRequest;
import dev.sallyport.authority.AuthorityResolver;
import dev.sallyport.authority.Explanation;
import dev.sallyport.authority.Outcome;
import dev.sallyport.containment.Budgets;
import dev.sallyport.containment.CredentialScope;
import dev.sallyport.containment.Harness;
import dev.sallyport.containment.Limits;
import dev.sallyport.containment.NetworkPolicy;
import dev.sallyport.containment.RuntimeClass;
import dev.sallyport.containment.WorkspaceAccess;
import dev.sallyport.gateway.catalogue.Catalogue;
import dev.sallyport.gateway.child.Children.Earlier;
import dev.sallyport.gateway.child.Children.NewChild;
import dev.sallyport.gateway.door.ModelShape;
import dev.sallyport.gateway.error.GatewayException.AuthorityRefused;
import dev.sallyport.gateway.error.GatewayException.IdempotencyKeyReused;
import dev.sallyport.gateway.error.GatewayException.InvalidRequest;
import dev.sallyport.gateway.error.GatewayException.PermissionServiceUnavailable;
import dev.sallyport.gateway.error.GatewayException.SessionNotFound;
import dev.sallyport.gateway.permission.PermissionService;
import dev.sallyport.gateway.permission.PermissionService.Session;
import dev.sallyport.gateway.permission.PermissionServiceException;
import dev.sallyport.gateway.workspace.Workspaces;
import dev.sallyport.identity.ChildId;
import dev.sallyport.identity.SessionId;
import dev.sallyport.invocation.SpawnCall;
import dev.sallyport.json.Digests;
import dev.sallyport.model.Model;
import dev.sallyport.model.Models;
import dev.sallyport.model.Thinking;
import dev.sallyport.permission.Narrowing;
import dev.sallyport.prompt.Environment;
import dev.sallyport.service.Caller;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;

/** From a request to a child in the queue, or to a refusal that has left nothing behind. */
final class Spawning {

    private static final int DESCRIPTION = 60;

    private final Catalogue catalogue;
    private final SpawnPolicy policy;
    private final Sources sources;
    private final PermissionService permissions;
    private final Children children;
    private final Timeline timeline;
    private final Lives lives;
    private final RandomGenerator random;
    private final JsonMapper json;

    Spawning(
            Catalogue catalogue,
            SpawnPolicy policy,
            Sources sources,
            PermissionService permissions,
            Children children,
            Timeline timeline,
            Lives lives,
            RandomGenerator random,
            JsonMapper json) {
        this.catalogue = catalogue;
        this.policy = policy;
        this.sources = sources;
        this.permissions = permissions;
        this.children = children;
        this.timeline = timeline;
        this.lives = lives;
        this.random = random;
        this.json = json;
    }

    /** An outcome of core, and what the gateway adds: the repository's own policy. */
    record Resolved(Outcome outcome, @Nullable Path directory, List<Narrowing.Layer> project) {}

    Resolved resolve(SpawnRequest request) {
        Path directory = catalogue.directory(request.directory()).orElse(null);
        AgentRegistry registry = catalogue.registry(directory);
        Outcome outcome = AuthorityResolver.resolve(new AuthorityRequest(
                registry,
                call(request),
                policy.settings(),
                policy.operator(),
                null,
                Models.ANY,
                request.conversation(),
                catalogue.skills(directory)));
        List<String> warnings = new ArrayList<>(outcome.explanation().warnings());
        List<Narrowing.Layer> project = directory == null
                ? List.of()
                : ProjectPolicy.of(directory, warnings).stream().toList();
        return new Resolved(withWarnings(outcome, warnings), directory, project);
    }

    /** @param idempotencyKey the same key with the same request finds the same child */
    Child spawn(Caller caller, SpawnRequest request, @Nullable String idempotencyKey) {
        request.requireSomethingToDo();
        String digest = Digests.sha256(json.writeValueAsString(request).getBytes(StandardCharsets.UTF_8));
        if (idempotencyKey != null) {
            var earlier = children.earlier(caller.tenant(), caller.principal(), idempotencyKey);
            if (earlier.isPresent()) {
                return same(earlier.get(), digest, idempotencyKey);
            }
        }
        Resolved resolved = resolve(request);
        Outcome.Granted granted = switch (resolved.outcome()) {
            case Outcome.Granted yes -> yes;
            case Outcome.Refused no -> throw new AuthorityRefused(no.code(), no.reasons());
        };
        Authority authority = granted.authority();
        requireHarness(request, authority.harness());
        if (!authority.budgets().equals(Budgets.UNLIMITED)) {
            throw new AuthorityRefused(
                    "budget-unenforced", List.of("budgets: this gateway can not hold a child to one yet"));
        }
        Sources.Source source = sources.of(authority.containment().workspace(), resolved.directory());
        Session session = session(caller, request.session());
        ChildId id = ChildId.random(random);
        var child = new NewChild(
                id,
                caller.tenant(),
                session.id(),
                session.owner(),
                caller.principal(),
                idempotencyKey,
                digest,
                terms(id, request, authority, source, resolved.project()),
                source.base(),
                json.writeValueAsString(ResolutionResponse.of(granted, json)),
                granted.explanation().render());
        if (!children.insert(child)) {
            // Only a key can be in the way, and it was taken a moment ago.
            String key = String.valueOf(idempotencyKey);
            return same(
                    children.earlier(caller.tenant(), caller.principal(), key).orElseThrow(), digest, key);
        }
        warn(id, granted.explanation().warnings());
        warn(id, source.warnings());
        Child queued = children.find(id).orElseThrow();
        lives.lead(queued);
        return queued;
    }

    private Child same(Earlier earlier, String digest, String key) {
        if (!earlier.requestDigest().equals(digest)) {
            throw new IdempotencyKeyReused(key);
        }
        return children.find(earlier.id()).orElseThrow();
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

    private static SpawnCall call(SpawnRequest request) {
        // A command that names no harness can only mean this one.
        String harness = request.harness() == null && request.command() != null ? "command" : request.harness();
        return SpawnCall.builder(request.agent())
                .hasDirectory(request.directory() != null)
                .harness(parsed(harness, Harness::parse))
                .workspace(parsed(request.workspace(), WorkspaceAccess::parse))
                .network(parsed(request.network(), NetworkPolicy::parse))
                .limits(parse(values(request.limits()), Limits.Partial::parse))
                .credentials(parsed(request.credentials(), CredentialScope::of))
                .runtime(parsed(request.runtime(), RuntimeClass::parse))
                .model(request.model())
                .thinking(parsed(request.thinking(), Spawning::level))
                .maxTurns(request.maxTurns())
                .inheritContext(request.inheritContext())
                .runInBackground(request.runInBackground())
                .isolated(request.isolated())
                .isolation(request.isolation())
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

    private static Outcome withWarnings(Outcome outcome, List<String> warnings) {
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

    private Terms terms(
            ChildId id,
            SpawnRequest request,
            Authority authority,
            Sources.Source source,
            List<Narrowing.Layer> project) {
        List<Narrowing.Layer> narrowing = new ArrayList<>(project);
        narrowing.addAll(authority.narrowing());
        Model model = authority.model();
        Double maxTurns = authority.maxTurns();
        return new Terms(
                authority.agent(),
                authority.definitionDigest(),
                authority.digest(),
                description(request),
                task(request, authority),
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
                authority.tools(),
                authority.prompt().render(environment(id, source)),
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
                authority.prompt().hasParent()
                        || (authority.inheritContext() && request.conversation().hasMessages()));
    }

    private static String task(SpawnRequest request, Authority authority) {
        String prompt = request.prompt() == null ? "" : request.prompt();
        return authority.inheritContext() && !prompt.isEmpty()
                ? request.conversation().messages().before(prompt)
                : prompt;
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
