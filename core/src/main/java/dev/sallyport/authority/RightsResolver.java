package dev.sallyport.authority;

import dev.sallyport.agentfile.AgentDefinition;
import dev.sallyport.agentfile.Inclusion;
import dev.sallyport.agentfile.Profile;
import dev.sallyport.agentfile.Profiles;
import dev.sallyport.agentfile.SubagentPermission;
import dev.sallyport.containment.Budgets;
import dev.sallyport.invocation.Resolved;
import dev.sallyport.invocation.SpawnCall;
import dev.sallyport.permission.Narrowing;
import dev.sallyport.provenance.Grade;
import dev.sallyport.provenance.Layer;
import dev.sallyport.provenance.Origin;
import dev.sallyport.toolscope.BuiltinTools;
import dev.sallyport.toolscope.DelegationTools;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** The capabilities that runner and door hold: what operator, parent, profiles, agent file and call all allow. */
final class RightsResolver {

    private final AuthorityRequest request;
    private final SpawnCall call;
    private final OperatorPolicy operator;
    private final @Nullable Authority parent;
    private final AgentDefinition definition;
    private final Resolved<Boolean> isolated;
    private final List<Field> fields;
    private final List<String> warnings;

    /** Every decision is added to {@code fields}. */
    RightsResolver(
            AuthorityRequest request,
            AgentDefinition definition,
            Resolved<Boolean> isolated,
            List<Field> fields,
            List<String> warnings) {
        this.request = request;
        this.call = request.call();
        this.operator = request.operator();
        this.parent = request.parent();
        this.definition = definition;
        this.isolated = isolated;
        this.fields = fields;
        this.warnings = warnings;
    }

    /** Locks: what anybody above or the agent file itself denies stays denied for all below, whatever is granted (T58). */
    List<String> deniedTools() {
        Set<String> denied = new TreeSet<>(operator.lockedTools());
        Origin origin = operator.lockedTools().isEmpty() ? Origin.DEFAULT : operator.origin("locks.tools");
        if (parent != null && denied.addAll(parent.deniedTools())) {
            origin = Origin.parent(parent.agent());
        }
        if (definition.disallowedTools() != null && denied.addAll(definition.disallowedTools())) {
            origin = definition.origin("disallowed_tools");
        }
        List<String> names = List.copyOf(denied);
        fields.add(new Field("deniedTools", Field.words(names), Grade.RUNNER, origin, List.of()));
        return names;
    }

    /** A profile, and whoever asks for it. */
    record Ceiling(Profile profile, Origin origin) {}

    /** All that are asked for count, so that none lifts another; the default is for those who say nothing about tools. */
    List<Ceiling> ceilings() throws RefusedException {
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

    List<String> tools(List<Ceiling> ceilings) {
        Origin asked = definition.origin("tools");
        List<String> wanted = request.registry()
                .profiles()
                .namedBy(definition)
                .map(Profile::tools)
                .orElse(definition.toolNames());
        List<Bound> bounds = toolBounds(ceilings);
        Map<String, List<String>> withheld = new LinkedHashMap<>();
        List<String> tools = new ArrayList<>();
        List<String> known = known(wanted);
        for (String tool : known) {
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
        withheld.forEach((reason, names) -> losers.add(new Field.Loser(asked, Field.words(names), reason)));
        wanted.stream().distinct().filter(name -> !known.contains(name)).forEach(name -> {
            losers.add(new Field.Loser(asked, name, "no such tool"));
            warnings.add("%s: unknown tool `%s`".formatted(asked.location(), name));
        });
        fields.add(new Field("tools", Field.words(tools), Grade.RUNNER, asked, losers));
        return tools;
    }

    /** What a plain name can mean: our own tools, and if the operator wants that back, any tool of an extension. */
    private List<String> known(List<String> wanted) {
        if (!operator.compatibility().has(Compatibility.Switch.PLAIN_TOOLS_BYPASS_SELECTORS)) {
            return BuiltinTools.NAMES;
        }
        Set<String> known = new LinkedHashSet<>(BuiltinTools.NAMES);
        known.addAll(wanted);
        known.removeAll(DelegationTools.NAMES);
        return List.copyOf(known);
    }

    private record Bound(String reason, Predicate<String> admits) {}

    /** Locks first, so that a tool that is both locked and not granted is called locked. */
    private List<Bound> toolBounds(List<Ceiling> ceilings) {
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

    ExtensionRights extensions() {
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
        String tools = rights.value().loadsNothing() ? "none" : selectors == null ? "all" : Field.words(selectors);
        fields.add(new Field("extensions.tools", tools, Grade.RUNNER, definition.origin("tools"), List.of()));
        return rights.value();
    }

    Inclusion skills() {
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

    Delegation delegation(List<String> deniedTools) {
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
            agents.cap(deniedBy(DelegationTools.SPAWN), SubagentPermission.none());
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

    private Origin deniedBy(String tool) {
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

    Budgets budgets() {
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

    List<Narrowing.Layer> narrowing(List<Ceiling> ceilings) {
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
                        + Field.words(
                                layers.stream().map(Narrowing.Layer::origin).toList());
        fields.add(new Field("permission", value, Grade.RUNNER, layers.isEmpty() ? Origin.DEFAULT : origin, List.of()));
        return layers;
    }

    private void field(String name, Grade grade, Narrowed<?> narrowed) {
        fields.add(new Field(name, narrowed.shown(), grade, narrowed.winner(), narrowed.losers()));
    }
}
