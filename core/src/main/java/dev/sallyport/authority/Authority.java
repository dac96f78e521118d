package dev.sallyport.authority;

import dev.sallyport.agentfile.Inclusion;
import dev.sallyport.containment.Budgets;
import dev.sallyport.containment.Containment;
import dev.sallyport.containment.Harness;
import dev.sallyport.json.CanonicalJson;
import dev.sallyport.json.Digests;
import dev.sallyport.model.Model;
import dev.sallyport.permission.Narrowing;
import dev.sallyport.prompt.PromptPlan;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * All that one agent may do for as long as it runs. Nothing is decided later by looking at a file again.
 *
 * @param agent the key of the definition, {@code ad-hoc} for none
 * @param fellBackFrom the name that was asked for and is not there
 * @param definition where the definition is written: a path, or {@code built in}
 * @param definitionDigest of the agent file as read
 * @param model null only where the harness brings its own
 * @param maxTurns null is no limit; at least 1, perhaps fractional
 * @param graceTurns turns between the order to wrap up and the end
 * @param isolated without extensions, skills and nested agents
 * @param tools in the order in which they are shown
 * @param deniedTools locked for this child and all below it, sorted; what merely is not in {@code tools} is not granted (T60)
 * @param skills by exact name
 * @param narrowing permission rules of agent files, the ancestors' first; they never widen (S2)
 * @param unenforced what the harness cannot enforce and the operator accepted (P1)
 * @param fields every field with its provenance
 */
public record Authority(
        String agent,
        @Nullable String fellBackFrom,
        String definition,
        String definitionDigest,
        PromptPlan prompt,
        @Nullable Model model,
        @Nullable String thinking,
        @Nullable Double maxTurns,
        int graceTurns,
        boolean inheritContext,
        boolean runInBackground,
        boolean isolated,
        List<String> tools,
        List<String> deniedTools,
        ExtensionRights extensions,
        Inclusion skills,
        Harness harness,
        Containment containment,
        Delegation delegation,
        Budgets budgets,
        List<Narrowing.Layer> narrowing,
        List<String> unenforced,
        List<Field> fields) {

    public Authority {
        // Two authorities that allow the same have the same digest, however the files that they come from list it.
        skills = skills.sorted();
        tools = List.copyOf(tools);
        deniedTools = List.copyOf(deniedTools);
        narrowing = List.copyOf(narrowing);
        unenforced = List.copyOf(unenforced);
        fields = List.copyOf(fields);
    }

    /** The same with other budgets: what of them is left is what can be handed on. */
    public Authority withBudgets(Budgets left) {
        return new Authority(
                agent,
                fellBackFrom,
                definition,
                definitionDigest,
                prompt,
                model,
                thinking,
                maxTurns,
                graceTurns,
                inheritContext,
                runInBackground,
                isolated,
                tools,
                deniedTools,
                extensions,
                skills,
                harness,
                containment,
                delegation,
                left,
                narrowing,
                unenforced,
                fields);
    }

    /**
     * SHA-256 over everything the agent may do, in lower-case hexadecimal. How it came about is not part of it: two authorities
     * that allow the same have the same digest.
     */
    public String digest() {
        return Digests.of("sallyport-authority-v2")
                .field(CanonicalJson.write(AuthorityJson.rights(this)))
                .hex();
    }

    /** Canonical JSON, provenance included. */
    public String toJson() {
        return CanonicalJson.write(AuthorityJson.write(this));
    }

    /** Reads what {@link #toJson} wrote; refuses anything else, unknown fields included. */
    public static Authority fromJson(String json) {
        return AuthorityJson.read(json);
    }
}
