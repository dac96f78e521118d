package dev.sallyport.authority;

import dev.sallyport.agentfile.AgentDefinition;
import dev.sallyport.agentfile.Inclusion;
import dev.sallyport.prompt.ParentConversation;
import dev.sallyport.prompt.PromptMode;
import dev.sallyport.prompt.PromptPlan;
import dev.sallyport.provenance.Grade;
import dev.sallyport.provenance.Origin;
import dev.sallyport.skill.Preloaded;
import dev.sallyport.skill.Skill;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** What a child is told before its task: whose prompt, whose conversation, which skills (authority.md 6 and 10). */
final class PromptResolver {

    private final AuthorityRequest request;
    private final @Nullable Authority parent;
    private final AgentDefinition definition;
    private final List<Field> fields;
    private final List<String> warnings;

    /** Every decision is added to {@code fields}. */
    PromptResolver(AuthorityRequest request, AgentDefinition definition, List<Field> fields, List<String> warnings) {
        this.request = request;
        this.parent = request.parent();
        this.definition = definition;
        this.fields = fields;
        this.warnings = warnings;
    }

    PromptPlan resolve(boolean inheritContext, Inclusion granted) {
        fields.add(new Field(
                "prompt",
                "%s, %d characters"
                        .formatted(
                                definition.promptMode().wire(),
                                definition.systemPrompt().length()),
                Grade.NONE,
                definition.origin("prompt_mode"),
                List.of()));
        String parentPrompt = parentPrompt();
        inheritedContext(inheritContext);
        return new PromptPlan(
                definition.promptMode(), definition.name(), definition.systemPrompt(), parentPrompt, skills(granted));
    }

    private @Nullable String parentPrompt() {
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

    private void inheritedContext(boolean wanted) {
        ParentConversation from = request.conversation();
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
    private List<Skill> skills(Inclusion granted) {
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
        fields.add(new Field("skills", Field.words(found), Grade.NONE, origin, losers));
        return skills;
    }
}
