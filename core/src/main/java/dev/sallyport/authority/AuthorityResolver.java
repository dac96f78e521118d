package dev.sallyport.authority;

import dev.sallyport.agentfile.AgentDefinition;
import dev.sallyport.agentfile.AgentRegistry;
import dev.sallyport.agentfile.Dispatch;
import dev.sallyport.agentfile.EmbeddedAgents;
import dev.sallyport.agentfile.Inclusion;
import dev.sallyport.agentfile.LoadWarning;
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
import dev.sallyport.memory.MemoryGrant;
import dev.sallyport.model.Model;
import dev.sallyport.model.Thinking;
import dev.sallyport.permission.Narrowing;
import dev.sallyport.prompt.PromptPlan;
import dev.sallyport.provenance.Grade;
import dev.sallyport.provenance.Origin;
import dev.sallyport.toolscope.BuiltinTools;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
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

    /** An explanation is kept with its child, and a repository can hold a thousand agent files. */
    private static final int MOST_UNTRUSTED = 50;

    private final AuthorityRequest request;
    private final SpawnCall call;
    private final OperatorPolicy operator;
    private final @Nullable Authority parent;
    private final List<Field> fields = new ArrayList<>();
    private final List<String> warnings = new ArrayList<>();
    private @Nullable MemoryGrant memory;

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
                untrusted(),
                request.registry().warnings().stream()
                        .filter(LoadWarning.UnknownField.class::isInstance)
                        .map(LoadWarning.UnknownField.class::cast)
                        .filter(unknown -> unknown.location().startsWith(definition + ":"))
                        .toList(),
                authority == null ? List.of() : exposures(authority),
                warnings);
    }

    private List<Explanation.Untrusted> untrusted() {
        AgentRegistry registry = request.registry();
        return registry.untrusted().stream()
                .limit(MOST_UNTRUSTED)
                .map(definition -> new Explanation.Untrusted(
                        definition.name(),
                        String.valueOf(definition.path()),
                        registry.trust().remedy()))
                .toList();
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
                            + Field.words(containment.network().words())));
        }
        if (!containment.credentials().names().isEmpty()) {
            exposures.add(new Explanation.Exposure(
                    "credentials",
                    "requests go out in the name of "
                            + Field.words(containment.credentials().names())));
        }
        if (memory != null) {
            exposures.add(new Explanation.Exposure(
                    "memory", "its prompt holds what earlier runs of `%s` wrote".formatted(authority.agent())));
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
                    "harness", "nothing holds this harness to " + Field.words(authority.unenforced())));
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
        requireTrust(definition);
        List<Field.Loser> losers = to.fellBackFrom() == null
                ? List.of()
                : List.of(new Field.Loser(Origin.call("agent"), to.fellBackFrom(), "unknown or disabled"));
        fields.add(new Field("agent", definition.name(), Grade.NONE, definition.origin("name"), losers));
        return new Dispatched(definition, to.fellBackFrom());
    }

    /** P6: neither what nobody has looked at runs, nor what it hides: that is not what was asked for here. */
    private void requireTrust(AgentDefinition definition) throws RefusedException {
        AgentRegistry registry = request.registry();
        if (!registry.runs(definition)) {
            throw new RefusedException(
                    Refusal.PROJECT_UNTRUSTED,
                    "agent `%s` is what %s says, and %s: run `%s`"
                            .formatted(
                                    definition.name(),
                                    definition.path(),
                                    registry.trust().reason(),
                                    registry.trust().remedy()));
        }
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
        RightsResolver rights = new RightsResolver(request, definition, isolated, fields, warnings);
        List<RightsResolver.Ceiling> ceilings = rights.ceilings();
        List<String> deniedTools = rights.deniedTools();
        List<String> tools = rights.tools(ceilings);
        ExtensionRights extensions = rights.extensions();
        Inclusion skills = rights.skills();
        List<Narrowing.Layer> narrowing = rights.narrowing(ceilings);
        PromptPlan prompt = new PromptResolver(request, definition, fields, warnings)
                .resolve(invocation.inheritContext().value(), skills);
        Containment containment =
                new ContainmentResolver(request, definition, invocation, tools, ceilings, fields).resolve();
        Delegation delegation = rights.delegation(deniedTools);
        Budgets budgets = rights.budgets();
        requirePrice(model, budgets);
        List<String> unenforced = unenforced(harness, tools, narrowing, maxTurns);
        memory(definition, tools, deniedTools);
        warnAboutUnused(definition, harness);
        fields.add(new Field(
                "compatibility",
                Field.words(operator.compatibility().names()),
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

    /** S19: what nobody can count is not spent. A script is nobody's bill. */
    private void requirePrice(@Nullable Model model, Budgets budgets) throws RefusedException {
        if (model != null
                && !model.scripted()
                && budgets.microUsd() != null
                && !operator.prices().containsKey(model)) {
            throw new RefusedException(
                    Refusal.MODEL_UNPRICED,
                    "model `%s`: no price in %s, but there is a cost budget of %s"
                            .formatted(model, operator.origin("prices"), Budgets.shown("cost", budgets.microUsd())));
        }
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
                            .formatted(Field.words(unenforced)));
        }
        if (!unenforced.isEmpty()) {
            fields.add(new Field(
                    "unenforced",
                    Field.words(unenforced),
                    Grade.NONE,
                    operator.origin("harness.acceptUnenforced"),
                    List.of()));
        }
        return unenforced;
    }

    private void memory(AgentDefinition definition, List<String> tools, List<String> deniedTools) {
        memory = MemoryGrant.of(definition, call.hasDirectory(), tools, deniedTools)
                .orElse(null);
        Origin file = definition.origin("memory");
        fields.add(new Field(
                "memory",
                memory == null ? "none" : memory.shown(),
                memory == null ? Grade.NONE : Grade.DOOR,
                memory == null ? Origin.DEFAULT : file,
                memory == null && definition.memory() != null
                        ? List.of(
                                new Field.Loser(file, definition.memory(), "there is no directory whose memory it is"))
                        : List.of()));
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
        if (definition.persistSession() != null) {
            unused.add("persist_session");
        }
        if (definition.sessionDir() != null) {
            unused.add("session_dir");
        }
        if (!unused.isEmpty()) {
            warnings.add("%s: no effect yet: %s".formatted(definition.origin("").location(), Field.words(unused)));
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
}
