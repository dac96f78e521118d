package dev.sallyport.authority;

import dev.sallyport.agentfile.AgentDefinition;
import dev.sallyport.agentfile.AgentRegistry;
import dev.sallyport.agentfile.Dispatch;
import dev.sallyport.agentfile.EmbeddedAgents;
import dev.sallyport.agentfile.Inclusion;
import dev.sallyport.agentfile.LoadWarning;
import dev.sallyport.containment.Containment;
import dev.sallyport.containment.Harness;
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
import dev.sallyport.provenance.Origin;
import dev.sallyport.skill.Preloaded;
import dev.sallyport.skill.Skill;
import dev.sallyport.toolscope.BuiltinTools;
import dev.sallyport.toolscope.GrantedTools;
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
            Authority authority = authority(dispatched);
            return new Outcome.Granted(authority, explanation(authority.definition()));
        } catch (RefusedException e) {
            return new Outcome.Refused(e.refusal(), List.of(e.reason()), explanation(null));
        }
    }

    /** What cannot be read may have been a restriction. */
    private void requireUsableSettings() throws RefusedException {
        for (SettingsFile.Problem problem : request.settings().problems()) {
            if (problem.loses()) {
                throw new RefusedException(Refusal.SETTINGS_INVALID, problem.toString());
            }
        }
    }

    private Explanation explanation(@Nullable String definition) {
        return new Explanation(
                fields,
                request.registry().shadowed().stream()
                        .filter(hidden -> hidden.by().equals(definition))
                        .toList(),
                warnings);
    }

    private Dispatched dispatch() throws RefusedException {
        String requested = call.agent();
        if (requested == null) {
            fields.add(new Field("agent", EmbeddedAgents.AD_HOC.name(), Grade.NONE, Origin.CALL, List.of()));
            return new Dispatched(EmbeddedAgents.AD_HOC, null);
        }
        if (request.registry().enabledKey(requested).isEmpty()) {
            requireNoBrokenFile(requested);
        }
        Dispatch dispatch =
                request.registry().dispatch(requested, request.settings().fallbackSubagent());
        if (dispatch instanceof Dispatch.Refused refused) {
            throw new RefusedException(Refusal.UNKNOWN_AGENT, refused.reason());
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

    private Authority authority(Dispatched dispatched) throws RefusedException {
        AgentDefinition definition = dispatched.definition();
        Invocation invocation = InvocationResolver.resolve(definition, call, request.settings(), parent != null);
        Harness harness = harness(definition);
        Model model = new ModelResolver(request, fields, warnings).resolve(invocation.model(), call.model(), harness);
        String thinking = thinking(invocation.thinking(), harness);
        Double maxTurns = maxTurns(invocation.maxTurns(), harness);
        preference("inheritContext", Grade.NONE, invocation.inheritContext());
        preference("runInBackground", Grade.NONE, invocation.runInBackground());
        preference("isolated", Grade.RUNNER, invocation.isolated());
        List<String> tools = tools(definition);
        List<Narrowing.Layer> narrowing = narrowing(definition);
        PromptPlan prompt = prompt(definition, invocation);
        Containment containment = new ContainmentResolver(request, definition, invocation, tools, fields).resolve();
        List<String> unenforced = unenforced(harness, tools, narrowing, maxTurns);
        warnAboutUnused(definition);
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
                invocation.isolated().value(),
                tools,
                harness,
                containment,
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

    private List<String> tools(AgentDefinition definition) {
        GrantedTools scope = GrantedTools.of(
                definition.tools(), definition.disallowedTools(), parent == null ? null : parent.tools());
        List<Field.Loser> losers = new ArrayList<>();
        if (!scope.denied().isEmpty()) {
            losers.add(new Field.Loser(
                    definition.origin("tools"),
                    words(scope.denied()),
                    "%s denies".formatted(definition.origin("disallowed_tools"))));
        }
        if (parent != null && !scope.withheld().isEmpty()) {
            losers.add(new Field.Loser(
                    definition.origin("tools"),
                    words(scope.withheld()),
                    "parent %s has none".formatted(parent.agent())));
        }
        scope.unknown().forEach(name -> {
            losers.add(new Field.Loser(definition.origin("tools"), name, "no such tool"));
            warnings.add(
                    "%s: unknown tool `%s`".formatted(definition.origin("tools").location(), name));
        });
        fields.add(new Field("tools", words(scope.tools()), Grade.RUNNER, definition.origin("tools"), losers));
        return scope.tools();
    }

    private List<Narrowing.Layer> narrowing(AgentDefinition definition) {
        List<Narrowing.Layer> layers = new ArrayList<>(parent == null ? List.of() : parent.narrowing());
        Origin origin = definition.origin("permission");
        if (!definition.permission().isEmpty()) {
            layers.add(new Narrowing.Layer(origin.location(), definition.permission()));
        }
        String value = layers.isEmpty()
                ? "-"
                : "narrowed by "
                        + words(layers.stream().map(Narrowing.Layer::origin).toList());
        fields.add(new Field("permission", value, Grade.RUNNER, layers.isEmpty() ? Origin.DEFAULT : origin, List.of()));
        return layers;
    }

    private PromptPlan prompt(AgentDefinition definition, Invocation invocation) {
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
                skills(definition, invocation));
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
            warnings.add("parent.systemPrompt: not used, %s says replace"
                    .formatted(definition.origin("prompt_mode").location()));
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
        } else if (from.hasMessages()) {
            warnings.add("parent.messages: not used, inheritContext is no");
        }
    }

    private void inherited(String field, String size, String claim) {
        boolean claimed = request.conversation().claimed();
        Origin origin = claimed || parent == null ? Origin.call(claim) : Origin.parent(parent.agent());
        fields.add(new Field(field, claimed ? size + ", as the caller claims" : size, Grade.NONE, origin, List.of()));
    }

    private List<Skill> skills(AgentDefinition definition, Invocation invocation) {
        if (!(definition.skills() instanceof Inclusion.Only(List<String> names))) {
            return List.of();
        }
        Origin origin = definition.origin("skills");
        List<Skill> skills = invocation.isolated().value() ? List.of() : Preloaded.of(names, request.skills());
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
        if (invocation.isolated().value()) {
            losers.add(new Field.Loser(origin, words(names), "isolated"));
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
                    Origin.operator("harness.acceptUnenforced"),
                    List.of()));
        }
        return unenforced;
    }

    private void warnAboutUnused(AgentDefinition definition) {
        List<String> unused = new ArrayList<>();
        if (definition.extSelectors() != null) {
            unused.add("tools ext:");
        }
        if (definition.extensions() instanceof Inclusion.Only) {
            unused.add("extensions");
        }
        if (definition.excludeExtensions() != null) {
            unused.add("exclude_extensions");
        }
        if (definition.memory() != null) {
            unused.add("memory");
        }
        if (definition.allowedSubagents() != null) {
            unused.add("allowed_subagents");
        }
        if (definition.persistSession() != null) {
            unused.add("persist_session");
        }
        if (definition.sessionDir() != null) {
            unused.add("session_dir");
        }
        if (definition.outputTranscript() != null) {
            unused.add("output_transcript");
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
