package dev.sallyport.invocation;

import dev.sallyport.agentfile.AgentDefinition;
import dev.sallyport.agentfile.Isolation;
import dev.sallyport.invocation.Resolved.Candidate;
import dev.sallyport.provenance.Origin;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** authority.md 5: a field that the agent file fixes cannot be changed by the caller. */
public final class InvocationResolver {

    private InvocationResolver() {}

    /** Resolves a call; a nested one does not go to the background by setting. */
    public static Invocation resolve(AgentDefinition definition, SpawnCall call, Settings settings, boolean nested) {
        Resolved<String> isolation = Resolved.first(
                "off",
                fixedBy(
                        definition.origin("isolation"),
                        definition.isolation() == null
                                ? null
                                : definition.isolation().name().toLowerCase(Locale.ROOT),
                        "isolation",
                        call.isolation()));
        return new Invocation(
                Resolved.first(fixedBy(definition.origin("model"), definition.model(), "model", call.model()))
                        .orElse(null),
                Resolved.first(fixedBy(
                                definition.origin("thinking"), definition.thinking(), "thinking", call.thinking()))
                        .orElse(null),
                Resolved.first(fixedBy(
                                definition.origin("max_turns"), definition.maxTurns(), "maxTurns", call.maxTurns()))
                        .orElse(null),
                Resolved.first(
                        false,
                        fixedBy(
                                definition.origin("inherit_context"),
                                definition.inheritContext(),
                                "inheritContext",
                                call.inheritContext())),
                Resolved.first(
                        false,
                        List.of(
                                new Candidate<>(definition.origin("run_in_background"), definition.runInBackground()),
                                new Candidate<>(Origin.call("runInBackground"), call.runInBackground()),
                                new Candidate<>(
                                        settings.origin("backgroundByDefault"),
                                        nested ? null : settings.backgroundByDefault()))),
                Resolved.first(
                        false,
                        fixedBy(definition.origin("isolated"), definition.isolated(), "isolated", call.isolated())),
                worktree(isolation, settings),
                definition.isolation() == Isolation.OFF);
    }

    private static Resolved<Boolean> worktree(Resolved<String> isolation, Settings settings) {
        boolean wanted = isolation.value().equals("worktree");
        if (wanted && !settings.worktreeIsolation()) {
            List<Resolved.Outranked> outranked = new ArrayList<>(isolation.outranked());
            outranked.addFirst(
                    new Resolved.Outranked(isolation.origin(), "worktree", "worktreeIsolation is switched off"));
            return new Resolved<>(false, settings.origin("worktreeIsolation"), outranked);
        }
        return new Resolved<>(wanted, isolation.origin(), isolation.outranked());
    }

    private static <T> List<Candidate<T>> fixedBy(Origin file, @Nullable T definition, String field, @Nullable T call) {
        return List.of(new Candidate<>(file, definition), new Candidate<>(Origin.call(field), call));
    }
}
