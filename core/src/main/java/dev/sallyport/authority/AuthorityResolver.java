package dev.sallyport.authority;

import dev.sallyport.agentfile.AgentDefinition;
import dev.sallyport.agentfile.AgentRegistry;
import dev.sallyport.agentfile.Dispatch;
import dev.sallyport.agentfile.EmbeddedAgents;
import dev.sallyport.agentfile.Inclusion;
import dev.sallyport.agentfile.LoadWarning;
import dev.sallyport.agentfile.Profile;
import dev.sallyport.agentfile.Profiles;
import dev.sallyport.agentfile.SubagentPermission;
import dev.sallyport.containment.Budgets;
import dev.sallyport.containment.Containment;
import dev.sallyport.containment.Harness;
import dev.sallyport.containment.NetworkPolicy;
import dev.sallyport.containment.WorkspaceAccess;
import dev.sallyport.invocation.Invocation;
import dev.sallyport.invocation.InvocationResolver;
import dev.sallyport.invocation.Resolved;
import dev.sallyport.invocation.SettingsFile;
import dev.sallyport.invocation.SpawnCall;
import dev.sallyport.invocation.Turns;
import dev.sallyport.model.Model;
import dev.sallyport.model.Thinking;
import dev.sallyport.permission.Narrowing;
import dev.sallyport.prompt.ParentConversation;
import dev.sallyport.prompt.PromptMode;
import dev.sallyport.prompt.PromptPlan;
import dev.sallyport.provenance.Grade;
import dev.sallyport.provenance.Layer;
import dev.sallyport.provenance.Origin;
import dev.sallyport.skill.Preloaded;
import dev.sallyport.skill.Skill;
import dev.sallyport.toolscope.BuiltinTools;
import dev.sallyport.toolscope.DelegationTools;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Works out what a child may do. Pure: the same request has the same answer.
 *
 * <p>Two kinds of field are never mixed up. A preference (model, turns, background) belongs to the first that says anything:
 * agent file, call, setting, default. A capability (tools, workspace, network, credentials, limits, runtime) is what
 * operator, parent, agent file and call all allow; no word widens it.
 */
public final class AuthorityResolver {

    // Whoever misspells a reviewer must not get an agent with every tool (authority.md 13.13).
    private static final Compatibility.Switch OLD_FALLBACK = Compatibility.Switch.FALL_BACK_TO_GENERAL_PURPOSE;

    private final AuthorityRequest request;
    private final SpawnCall call;
    private final OperatorPolicy operator;
    private final @Nullable Authority parent;
    private final List<Field> fields = new ArrayList<>();
    private final List<String> warnings = new ArrayList<>();

    private AuthorityResolver(AuthorityRequest request) {
        this.request = request;
        this.call = request.call();
        this.operator = request.operator();
        this.parent = request.parent();
    }

    public static Outcome resolve(AuthorityRequest request) {
        return new AuthorityResolver(request).resolve();
    }

    private record Dispatched(
            AgentDefinition definition, @Nullable String fellBackFrom) {}

    private Outcome resolve() {
        AgentRegistry registry = request.registry();
        registry.warnings().forEach(warning -> warnings.add(warning.message()));
        request.settings().problems().forEach(problem -> warnings.add(problem.toString()));
        try {
            requireUsableSettings();
            Dispatched dispatched = dispatch();
            requireAdmission(dispatched.definition().name());
            Authority authority = authority(dispatched);
            return new Outcome.Granted(authority, explanation(authority));
        } catch (RefusedException e) {
            return new Outcome.Refused(e.refusal(), List.of(e.reason()), explanation(null));
        }
    }

    /** What cannot be read may have been a restriction. */
    private void requireUsableSettings() throws RefusedException {
        List<String> problems = request.registry().profiles().problems();
        if (!problems.isEmpty()) {
            throw new RefusedException(Refusal.SETTINGS_INVALID, problems.getFirst());
        }
        for (SettingsFile.Problem problem : request.settings().problems()) {
            if (problem.loses()) {
                throw new RefusedException(Refusal.SETTINGS_INVALID, problem.toString());
            }
        }
    }

    private Explanation explanation(@Nullable Authority authority) {
        String definition = authority == null ? null : authority.definition();
        return new Explanation(
                fields,
                request.registry().shadowed().stream()
                        .filter(hidden -> hidden.by().equals(definition))
                        .toList(),
                request.registry().warnings().stream()
                        .filter(LoadWarning.UnknownField.class::isInstance)
                        .map(LoadWarning.UnknownField.class::cast)
                        .filter(unknown -> unknown.location().startsWith(definition + ":"))
                        .toList(),
                authority == null ? List.of() : exposures(authority),
                warnings);
    }

    /** What lets a child reach further than its own files. */
    private List<Explanation.Exposure> exposures(Authority authority) {
        List<Explanation.Exposure> exposures = new ArrayList<>();
        Containment containment = authority.containment();
        if (containment.workspace() == WorkspaceAccess.READ_WRITE) {
            exposures.add(new Explanation.Exposure(
                    "workspace", "the directory itself is written to, and whoever else works there sees it at once"));
        }
        if (containment.network() instanceof NetworkPolicy.Hosts) {
            exposures.add(new Explanation.Exposure(
                    "network",
                    "whatever the child can read can go to "
                            + words(containment.network().words())));
        }
        if (!containment.credentials().names().isEmpty()) {
            exposures.add(new Explanation.Exposure(
                    "credentials",
                    "requests go out in the name of "
                            + words(containment.credentials().names())));
        }
        if (authority.delegation().allowSharedWriters()) {
            exposures.add(new Explanation.Exposure(
                    "delegation.allowSharedWriters", "children that write to one directory can talk to each other"));
        }
        OperatorPolicy.Grant grant = parent == null ? null : operator.grant(parent.agent(), authority.agent());
        if (grant != null) {
            exposures.add(new Explanation.Exposure(
                    "tools",
                    "%s lets %s hand on what it lacks"
                            .formatted(operator.origin("delegation.grants"), grant.parent())));
        }
        if (!authority.unenforced().isEmpty()) {
            exposures.add(new Explanation.Exposure(
                    "harness", "nothing holds this harness to " + words(authority.unenforced())));
        }
        for (Compatibility.Switch old : operator.compatibility().on()) {
            exposures.add(new Explanation.Exposure("compatibility", old.wire() + " is on"));
        }
        return exposures;
    }

    private Dispatched dispatch() throws RefusedException {
        String requested = call.agent();
        if (requested == null) {
            fields.add(new Field("agent", EmbeddedAgents.AD_HOC.name(), Grade.NONE, Origin.CALL, List.of()));
            return new Dispatched(EmbeddedAgents.AD_HOC, null);
        }
        requireNoConflict(requested);
        if (request.registry().enabledKey(requested).isEmpty()) {
            requireNoBrokenFile(requested);
        }
        String fallback = fallback();
        boolean hardened = fallback == null && !operator.compatibility().has(OLD_FALLBACK);
        Dispatch dispatch = request.registry().dispatch(requested, hardened ? "none" : fallback);
        if (dispatch instanceof Dispatch.Refused refused) {
            throw new RefusedException(
                    Refusal.UNKNOWN_AGENT,
                    refused.reason() + (hardened ? " (compatibility: fall-back-to-general-purpose)" : ""));
        }
        Dispatch.To to = (Dispatch.To) dispatch;
        if (to.fellBackFrom() != null) {
            warnings.add("agent `%s` is unknown or disabled; `%s` runs instead".formatted(to.fellBackFrom(), to.key()));
        }
        AgentDefinition definition = request.registry().definition(to.key());
        List<Field.Loser> losers = to.fellBackFrom() == null
                ? List.of()
                : List.of(new Field.Loser(Origin.call("agent"), to.fellBackFrom(), "unknown or disabled"));
        fields.add(new Field("agent", definition.name(), Grade.NONE, definition.origin("name"), losers));
        return new Dispatched(definition, to.fellBackFrom());
    }

    private @Nullable String fallback() {
        return operator.fallbackAgent() != null
                ? operator.fallbackAgent()
                : request.settings().fallbackSubagent();
    }

    /** Two files of one directory claim the name; what both of them hide is not what was asked for either (T68). */
    private void requireNoConflict(String requested) throws RefusedException {
        boolean overruled = request.registry()
                .enabledKey(requested)
                .flatMap(request.registry()::get)
                .filter(definition -> definition.path() != null)
                .isPresent();
        for (LoadWarning warning : request.registry().warnings()) {
            if (!overruled
                    && warning instanceof LoadWarning.Conflict conflict
                    && conflict.agent().equalsIgnoreCase(requested.strip())) {
                throw new RefusedException(Refusal.AGENT_FILE_INVALID, conflict.message());
            }
        }
    }

    /** A file that bears the requested name and could not be used is no reason to run another, perhaps wider agent. */
    private void requireNoBrokenFile(String requested) throws RefusedException {
        String name = "/" + requested.strip().toLowerCase(Locale.ROOT) + ".md";
        for (LoadWarning warning : request.registry().warnings()) {
            if (warning instanceof LoadWarning.Skipped skipped
                    && skipped.path().toLowerCase(Locale.ROOT).endsWith(name)) {
                throw new RefusedException(Refusal.AGENT_FILE_INVALID, skipped.reason());
            }
        }
    }

    /** Who asks decides: a session by what the operator lets it start, a child by its own rights. No request says who it is. */
    private void requireAdmission(String agent) throws RefusedException {
        if (parent == null) {
            if (!operator.spawns(null).allows(agent)) {
                throw new RefusedException(
                        Refusal.DELEGATION_NOT_ALLOWED,
                        "agent `%s`: %s does not let a session start it"
                                .formatted(agent, operator.origin("delegation.spawns")));
            }
            return;
        }
        Delegation rights = parent.delegation();
        if (rights.depth() >= rights.maxDepth()) {
            throw new RefusedException(
                    Refusal.DEPTH_EXCEEDED,
                    "`%s` is at depth %d of %d and starts nobody"
                            .formatted(parent.agent(), rights.depth(), rights.maxDepth()));
        }
        if (!rights.agents().allows(agent)) {
            throw new RefusedException(
                    Refusal.DELEGATION_NOT_ALLOWED,
                    "`%s` may not start agent `%s` (allowed: %s)"
                            .formatted(parent.agent(), agent, rights.agents().shown()));
        }
    }

    private Authority authority(Dispatched dispatched) throws RefusedException {
        AgentDefinition definition = dispatched.definition();
        Invocation invocation = InvocationResolver.resolve(definition, call, request.settings(), parent != null);
        Harness harness = harness(definition);
        Model model = new ModelResolver(request, fields, warnings).resolve(invocation.model(), call.model(), harness);
        String thinking = thinking(invocation.thinking(), harness);
        Double maxTurns = maxTurns(invocation.maxTurns(), harness);
        preference("inheritContext", Grade.NONE, invocation.inheritContext());
        preference("runInBackground", Grade.NONE, invocation.runInBackground());
        fields.add(new Field(
                "outputTranscript",
                Resolved.shown(request.settings().outputTranscript(definition.outputTranscript())),
                Grade.NONE,
                definition.outputTranscript() == null
                        ? request.settings().origin("outputTranscript")
                        : definition.origin("output_transcript"),
                List.of()));
        preference("isolated", Grade.RUNNER, invocation.isolated());
        Resolved<Boolean> isolated = invocation.isolated();
        List<Ceiling> ceilings = ceilings(definition);
        List<String> deniedTools = deniedTools(definition);
        List<String> tools = tools(definition, ceilings);
        ExtensionRights extensions = extensions(definition, isolated);
        Inclusion skills = skills(definition, isolated);
        List<Narrowing.Layer> narrowing = narrowing(definition, ceilings);
        PromptPlan prompt = prompt(definition, invocation, skills);
        Containment containment =
                new ContainmentResolver(request, definition, invocation, tools, ceilings, fields).resolve();
        Delegation delegation = delegation(definition, isolated, deniedTools);
        Budgets budgets = budgets(definition);
        List<String> unenforced = unenforced(harness, tools, narrowing, maxTurns);
        warnAboutUnused(definition, harness);
        fields.add(new Field(
                "compatibility",
                words(operator.compatibility().names()),
                Grade.NONE,
                operator.compatibility().on().isEmpty() ? Origin.DEFAULT : operator.origin("compatibility"),
                List.of()));
        return new Authority(
                definition.name(),
                dispatched.fellBackFrom(),
                definition.path() == null ? "built in" : definition.path(),
                definition.digest(),
                prompt,
                model,
                thinking,
                maxTurns,
                request.settings().graceTurns(),
                invocation.inheritContext().value(),
                invocation.runInBackground().value(),
                isolated.value(),
                tools,
                deniedTools,
                extensions,
                skills,
                harness,
                containment,
                delegation,
                budgets,
                narrowing,
                unenforced,
                fields);
    }

    private Harness harness(AgentDefinition definition) throws RefusedException {
        Harness file = definition.sandbox().harness();
        Harness wished = call.harness();
        // The two need different inputs: silently running the other one would run nothing that was asked for.
        if (file != null && wished != null && file != wished) {
            throw new RefusedException(
                    Refusal.HARNESS_CONFLICT,
                    "harness: %s asks for %s, the call for %s"
                            .formatted(definition.origin("sandbox.harness"), file.wire(), wished.wire()));
        }
        Harness harness = file != null ? file : wished != null ? wished : Harness.BUILTIN;
        Origin origin = file != null
                ? definition.origin("sandbox.harness")
                : wished != null ? Origin.call("harness") : Origin.DEFAULT;
        fields.add(new Field("harness", harness.wire(), Grade.NONE, origin, List.of()));
        return harness;
    }

    private @Nullable String thinking(@Nullable Resolved<String> asked, Harness harness) {
        if (asked == null || asked.value().isEmpty()) {
            fields.add(new Field("thinking", "-", Grade.RUNNER, Origin.DEFAULT, List.of()));
            return null;
        }
        preference("thinking", Grade.RUNNER, asked);
        if (harness == Harness.COMMAND) {
            warnings.add("thinking: a program says itself how much its model thinks");
        } else if (Thinking.parse(asked.value()).isEmpty()) {
            warnings.add("thinking: `%s` is no level (known: %s); the model's own default applies"
                    .formatted(asked.value(), Thinking.known()));
        }
        return asked.value();
    }

    private @Nullable Double maxTurns(@Nullable Resolved<Double> asked, Harness harness) {
        Double turns;
        Origin origin;
        if (asked != null) {
            turns = Turns.normalize(asked.value());
            origin = asked.origin();
        } else {
            // A command has no turns that a setting could limit.
            turns = harness == Harness.BUILTIN
                    ? Turns.normalize(request.settings().defaultMaxTurns())
                    : null;
            origin = turns == null ? Origin.DEFAULT : request.settings().origin("defaultMaxTurns");
        }
        fields.add(new Field(
                "maxTurns",
                turns == null ? "unlimited" : Resolved.shown(turns),
                Grade.RUNNER,
                origin,
                asked == null ? List.of() : losers(asked.outranked())));
        return turns;
    }

    /** Locks: what anybody above or the agent file itself denies stays denied for all below, whatever is granted (T58). */
    private List<String> deniedTools(AgentDefinition definition) {
        Set<String> denied = new TreeSet<>(operator.lockedTools());
        Origin origin = operator.lockedTools().isEmpty() ? Origin.DEFAULT : operator.origin("locks.tools");
        if (parent != null && denied.addAll(parent.deniedTools())) {
            origin = Origin.parent(parent.agent());
        }
        if (definition.disallowedTools() != null && denied.addAll(definition.disallowedTools())) {
            origin = definition.origin("disallowed_tools");
        }
        List<String> names = List.copyOf(denied);
        fields.add(new Field("deniedTools", words(names), Grade.RUNNER, origin, List.of()));
        return names;
    }

    /** A profile, and whoever asks for it. */
    record Ceiling(Profile profile, Origin origin) {}

    /** All that are asked for count, so that none lifts another; the default is for those who say nothing about tools. */
    private List<Ceiling> ceilings(AgentDefinition definition) throws RefusedException {
        Profiles profiles = request.registry().profiles();
        List<Ceiling> ceilings = new ArrayList<>();
        profiles.namedBy(definition)
                .ifPresent(profile -> ceilings.add(new Ceiling(profile, definition.origin("tools"))));
        String wished = call.profile();
        if (wished != null) {
            Profile profile = profiles.find(wished)
                    .orElseThrow(() -> new RefusedException(
                            Refusal.PROFILE_UNKNOWN, "profile: `%s` is unknown".formatted(wished)));
            ceilings.add(new Ceiling(profile, Origin.call("profile")));
        }
        Profile fallback = profiles.fallback();
        if (wished == null && fallback != null && !definition.saysTools()) {
            ceilings.add(new Ceiling(fallback, Origin.setting(profiles.fallbackOrigin())));
        }
        if (!ceilings.isEmpty()) {
            Ceiling first = ceilings.getFirst();
            List<Field.Loser> others = ceilings.stream()
                    .skip(1)
                    .map(also -> new Field.Loser(also.origin(), also.profile().name(), "holds as well"))
                    .toList();
            fields.add(new Field("profile", first.profile().name(), Grade.RUNNER, first.origin(), others));
        }
        return ceilings;
    }

    private List<String> tools(AgentDefinition definition, List<Ceiling> ceilings) {
        Origin asked = definition.origin("tools");
        List<String> wanted = request.registry()
                .profiles()
                .namedBy(definition)
                .map(Profile::tools)
                .orElse(definition.toolNames());
        List<Bound> bounds = toolBounds(definition, ceilings);
        Map<String, List<String>> withheld = new LinkedHashMap<>();
        List<String> tools = new ArrayList<>();
        for (String tool : BuiltinTools.NAMES) {
            if (!wanted.contains(tool)) {
                continue;
            }
            bounds.stream()
                    .filter(bound -> !bound.admits().test(tool))
                    .findFirst()
                    .ifPresentOrElse(
                            bound -> withheld.computeIfAbsent(bound.reason(), _ -> new ArrayList<>())
                                    .add(tool),
                            () -> tools.add(tool));
        }
        List<Field.Loser> losers = new ArrayList<>();
        withheld.forEach((reason, names) -> losers.add(new Field.Loser(asked, words(names), reason)));
        wanted.stream()
                .distinct()
                .filter(name -> !BuiltinTools.NAMES.contains(name))
                .forEach(name -> {
                    losers.add(new Field.Loser(asked, name, "no such tool"));
                    warnings.add("%s: unknown tool `%s`".formatted(asked.location(), name));
                });
        fields.add(new Field("tools", words(tools), Grade.RUNNER, asked, losers));
        return tools;
    }

    private record Bound(String reason, Predicate<String> admits) {}

    /** Locks first, so that a tool that is both locked and not granted is called locked. */
    private List<Bound> toolBounds(AgentDefinition definition, List<Ceiling> ceilings) {
        List<Bound> bounds = new ArrayList<>();
        bounds.add(new Bound(
                "%s denies".formatted(operator.origin("locks.tools")),
                tool -> !operator.lockedTools().contains(tool)));
        if (parent != null) {
            bounds.add(new Bound(
                    "parent %s denies".formatted(parent.agent()),
                    tool -> !parent.deniedTools().contains(tool)));
        }
        List<String> disallowed = definition.disallowedTools();
        if (disallowed != null) {
            bounds.add(new Bound(
                    "%s denies".formatted(definition.origin("disallowed_tools")), tool -> !disallowed.contains(tool)));
        }
        for (Ceiling ceiling : ceilings) {
            bounds.add(new Bound(
                    "profile %s (%s) allows less".formatted(ceiling.profile().name(), ceiling.origin()),
                    ceiling.profile().tools()::contains));
        }
        List<String> ceiling = operator.tools();
        if (ceiling != null) {
            bounds.add(new Bound("%s allows less".formatted(operator.origin("ceilings.tools")), ceiling::contains));
        }
        if (parent != null) {
            OperatorPolicy.Grant grant = operator.grant(parent.agent(), definition.name());
            List<String> granted = grant == null ? List.of() : grant.tools();
            bounds.add(new Bound(
                    "parent %s has none".formatted(parent.agent()),
                    tool -> parent.tools().contains(tool) || granted.contains(tool)));
        }
        return bounds;
    }

    private ExtensionRights extensions(AgentDefinition definition, Resolved<Boolean> isolated) {
        Narrowed<ExtensionRights> rights = new Narrowed<>(
                ExtensionRights.of(definition),
                definition.origin("extensions"),
                ExtensionRights::meet,
                ExtensionRights::shown);
        if (isolated.value()) {
            rights.cap(isolated.origin(), ExtensionRights.NONE);
        }
        if (!operator.lockedExtensions().isEmpty()) {
            rights.cap(operator.origin("locks.extensions"), rights.value().without(operator.lockedExtensions()));
        }
        if (operator.extensions() != null) {
            rights.cap(operator.origin("ceilings.extensions"), operator.extensions());
        }
        if (parent != null) {
            rights.cap(Origin.parent(parent.agent()), parent.extensions());
        }
        // What is filtered out is not in the container (P8); which tools of the rest count, is the runner's to keep to.
        field("extensions", Grade.KERNEL, rights);
        List<String> selectors = rights.value().selectors();
        String tools = rights.value().loadsNothing() ? "none" : selectors == null ? "all" : words(selectors);
        fields.add(new Field("extensions.tools", tools, Grade.RUNNER, definition.origin("tools"), List.of()));
        return rights.value();
    }

    private Inclusion skills(AgentDefinition definition, Resolved<Boolean> isolated) {
        Narrowed<Inclusion> skills =
                new Narrowed<>(definition.skills(), definition.origin("skills"), Inclusion::meet, Inclusion::shown);
        if (isolated.value()) {
            skills.cap(isolated.origin(), new Inclusion.None());
        }
        skills.cap(operator.origin("ceilings.skills"), operator.skills());
        if (parent != null) {
            skills.cap(Origin.parent(parent.agent()), parent.skills());
        }
        field("skills.allowed", Grade.RUNNER, skills);
        return skills.value();
    }

    private Delegation delegation(AgentDefinition definition, Resolved<Boolean> isolated, List<String> deniedTools) {
        Delegation ceiling = operator.delegation();
        Delegation above = parent == null ? null : parent.delegation();
        Origin by = Origin.parent(parent == null ? "" : parent.agent());
        SubagentPermission asked = definition.allowedSubagents();
        Narrowed<SubagentPermission> agents = new Narrowed<>(
                asked == null ? SubagentPermission.none() : asked,
                asked == null ? Origin.DEFAULT : definition.origin("allowed_subagents"),
                SubagentPermission::meet,
                SubagentPermission::shown);
        if (isolated.value()) {
            agents.cap(isolated.origin(), SubagentPermission.none());
        }
        // The door starts children too, and knows no tools: who is denied the tool has not the right.
        if (deniedTools.contains(DelegationTools.SPAWN)) {
            agents.cap(deniedBy(definition, DelegationTools.SPAWN), SubagentPermission.none());
        }
        agents.cap(operator.origin("delegation.spawns"), operator.spawns(definition.name()));
        Narrowed<Integer> maxDepth = number(ceiling.maxDepth(), operator.origin("delegation.maxDepth"));
        Narrowed<Integer> maxActive =
                number(ceiling.maxActivePerSession(), operator.origin("delegation.maxActivePerSession"));
        if (above != null) {
            agents.cap(by, above.agents());
            maxDepth.cap(by, above.maxDepth());
            maxActive.cap(by, above.maxActivePerSession());
        }
        Delegation delegation = new Delegation(
                agents.value(),
                above == null ? 1 : above.depth() + 1,
                maxDepth.value(),
                maxActive.value(),
                ceiling.allowSharedWriters() && (above == null || above.allowSharedWriters()));
        field("delegation", Grade.DOOR, agents);
        fields.add(new Field(
                "delegation.depth",
                "%d of %d".formatted(delegation.depth(), delegation.maxDepth()),
                Grade.DOOR,
                maxDepth.winner(),
                maxDepth.losers()));
        field("delegation.maxActivePerSession", Grade.DOOR, maxActive);
        fields.add(new Field(
                "delegation.allowSharedWriters",
                Resolved.shown(delegation.allowSharedWriters()),
                Grade.DOOR,
                operator.origin("delegation.allowSharedWriters"),
                List.of()));
        return delegation;
    }

    private Origin deniedBy(AgentDefinition definition, String tool) {
        if (operator.lockedTools().contains(tool)) {
            return operator.origin("locks.tools");
        }
        return parent != null && parent.deniedTools().contains(tool)
                ? Origin.parent(parent.agent())
                : definition.origin("disallowed_tools");
    }

    private static Narrowed<Integer> number(int value, Origin origin) {
        return new Narrowed<>(value, origin, Math::min, String::valueOf);
    }

    private Budgets budgets(AgentDefinition definition) {
        return Budgets.of(key -> {
            Narrowed<Optional<Long>> budget = new Narrowed<>(
                    Optional.<Long>empty(),
                    Origin.DEFAULT,
                    (one, other) -> Optional.ofNullable(Budgets.smaller(one.orElse(null), other.orElse(null))),
                    value -> Budgets.shown(key, value.orElse(null)));
            budget.cap(
                    definition.origin("budgets." + key),
                    Optional.ofNullable(definition.budgets().get(key)));
            budget.cap(
                    Origin.call("budgets." + key),
                    Optional.ofNullable(call.budgets().get(key)));
            budget.cap(
                    operator.origin("budgets." + key),
                    Optional.ofNullable(operator.budgets().get(key)));
            if (parent != null) {
                budget.cap(
                        Origin.parent(parent.agent()),
                        Optional.ofNullable(parent.budgets().get(key)));
            }
            fields.add(new Field(
                    "budgets." + key,
                    budget.shown(),
                    Grade.DOOR,
                    budget.winner(),
                    budget.losers().stream()
                            .filter(loser -> loser.origin().layer() != Layer.DEFAULT)
                            .toList()));
            return budget.value().orElse(null);
        });
    }

    private void field(String name, Grade grade, Narrowed<?> narrowed) {
        fields.add(new Field(name, narrowed.shown(), grade, narrowed.winner(), narrowed.losers()));
    }

    private List<Narrowing.Layer> narrowing(AgentDefinition definition, List<Ceiling> ceilings) {
        List<Narrowing.Layer> layers = new ArrayList<>(parent == null ? List.of() : parent.narrowing());
        Origin origin = definition.origin("permission");
        if (!definition.permission().isEmpty()) {
            layers.add(new Narrowing.Layer(origin.location(), definition.permission()));
        }
        for (Ceiling ceiling : ceilings) {
            Profile profile = ceiling.profile();
            if (!profile.permission().isEmpty()) {
                layers.add(new Narrowing.Layer("profile " + profile.name(), profile.permission()));
                origin = ceiling.origin();
            }
        }
        String value = layers.isEmpty()
                ? "-"
                : "narrowed by "
                        + words(layers.stream().map(Narrowing.Layer::origin).toList());
        fields.add(new Field("permission", value, Grade.RUNNER, layers.isEmpty() ? Origin.DEFAULT : origin, List.of()));
        return layers;
    }

    private PromptPlan prompt(AgentDefinition definition, Invocation invocation, Inclusion granted) {
        fields.add(new Field(
                "prompt",
                "%s, %d characters"
                        .formatted(
                                definition.promptMode().wire(),
                                definition.systemPrompt().length()),
                Grade.NONE,
                definition.origin("prompt_mode"),
                List.of()));
        String parentPrompt = parentPrompt(definition);
        inheritedContext(invocation);
        return new PromptPlan(
                definition.promptMode(),
                definition.name(),
                definition.systemPrompt(),
                parentPrompt,
                skills(definition, granted));
    }

    private @Nullable String parentPrompt(AgentDefinition definition) {
        ParentConversation from = request.conversation();
        boolean append = definition.promptMode() == PromptMode.APPEND;
        String text = from.systemPrompt();
        if (text == null || text.isEmpty()) {
            if (append && definition.path() != null) {
                warnings.add("prompt_mode append: there is no parent prompt to append to; a generic one is used");
            }
            return null;
        }
        if (!append) {
            if (from.claimed()) {
                warnings.add("parent.systemPrompt: not used, %s says replace"
                        .formatted(definition.origin("prompt_mode").location()));
            }
            return null;
        }
        inherited("parentPrompt", "%d characters".formatted(text.length()), "parent.systemPrompt");
        return text;
    }

    private void inheritedContext(Invocation invocation) {
        ParentConversation from = request.conversation();
        boolean wanted = invocation.inheritContext().value();
        if (wanted && from.hasMessages()) {
            inherited(
                    "parentContext",
                    "%d characters".formatted(from.messages().before("").length()),
                    "parent.messages");
        } else if (wanted) {
            warnings.add("inheritContext: there is no parent conversation; the task goes alone");
        } else if (from.claimed() && from.hasMessages()) {
            warnings.add("parent.messages: not used, inheritContext is no");
        }
    }

    private void inherited(String field, String size, String claim) {
        boolean claimed = request.conversation().claimed();
        Origin origin = claimed || parent == null ? Origin.call(claim) : Origin.parent(parent.agent());
        fields.add(new Field(field, claimed ? size + ", as the caller claims" : size, Grade.NONE, origin, List.of()));
    }

    /** Only what operator and parent leave of what the agent file names. */
    private List<Skill> skills(AgentDefinition definition, Inclusion granted) {
        if (!(definition.skills() instanceof Inclusion.Only)) {
            return List.of();
        }
        List<String> names = granted instanceof Inclusion.Only(List<String> left) ? left : List.of();
        Origin origin = definition.origin("skills");
        List<Skill> skills = Preloaded.of(names, request.skills());
        List<Field.Loser> losers = new ArrayList<>();
        List<String> found = new ArrayList<>();
        for (Skill skill : skills) {
            if (skill.status() == Skill.Status.FOUND) {
                found.add("%s (%s, sha256 %s)".formatted(skill.name(), skill.path(), skill.digest()));
            } else {
                losers.add(new Field.Loser(origin, skill.name(), skill.reason()));
                warnings.add("%s: skill `%s`: %s".formatted(origin.location(), skill.name(), skill.reason()));
            }
        }
        fields.add(new Field("skills", words(found), Grade.NONE, origin, losers));
        return skills;
    }

    private List<String> unenforced(
            Harness harness, List<String> tools, List<Narrowing.Layer> narrowing, @Nullable Double maxTurns)
            throws RefusedException {
        if (harness == Harness.BUILTIN) {
            return List.of();
        }
        List<String> unenforced = new ArrayList<>();
        if (!tools.equals(BuiltinTools.NAMES)) {
            unenforced.add("tools");
        }
        if (!narrowing.isEmpty()) {
            unenforced.add("permission");
        }
        if (maxTurns != null) {
            unenforced.add("maxTurns");
        }
        if (!unenforced.isEmpty() && !operator.acceptUnenforced()) {
            throw new RefusedException(
                    Refusal.UNENFORCED,
                    "harness command cannot enforce %s; the operator can accept that with harness.acceptUnenforced"
                            .formatted(words(unenforced)));
        }
        if (!unenforced.isEmpty()) {
            fields.add(new Field(
                    "unenforced",
                    words(unenforced),
                    Grade.NONE,
                    operator.origin("harness.acceptUnenforced"),
                    List.of()));
        }
        return unenforced;
    }

    /** A program brings its own tools; only our harness loads extensions. */
    private static List<String> aboutExtensions(AgentDefinition definition) {
        List<String> said = new ArrayList<>();
        if (definition.extSelectors() != null) {
            said.add("tools ext:");
        }
        if (definition.extensions() instanceof Inclusion.Only) {
            said.add("extensions");
        }
        if (definition.excludeExtensions() != null) {
            said.add("exclude_extensions");
        }
        return said;
    }

    private void warnAboutUnused(AgentDefinition definition, Harness harness) {
        List<String> unused = new ArrayList<>();
        if (harness == Harness.COMMAND) {
            unused.addAll(aboutExtensions(definition));
        }
        if (definition.memory() != null) {
            unused.add("memory");
        }
        if (definition.persistSession() != null) {
            unused.add("persist_session");
        }
        if (definition.sessionDir() != null) {
            unused.add("session_dir");
        }
        if (!unused.isEmpty()) {
            warnings.add("%s: no effect yet: %s".formatted(definition.origin("").location(), words(unused)));
        }
    }

    private void preference(String name, Grade grade, Resolved<?> resolved) {
        fields.add(new Field(
                name, Resolved.shown(resolved.value()), grade, resolved.origin(), losers(resolved.outranked())));
    }

    private static List<Field.Loser> losers(List<Resolved.Outranked> outranked) {
        return outranked.stream()
                .map(loser -> new Field.Loser(loser.origin(), loser.value(), loser.reason()))
                .toList();
    }

    private static String words(List<String> words) {
        return words.isEmpty() ? "none" : String.join(", ", words);
    }
}
