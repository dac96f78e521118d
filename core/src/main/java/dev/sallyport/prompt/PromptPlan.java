package dev.sallyport.prompt;

import dev.sallyport.skill.Skill;
import dev.sallyport.text.Blanks;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Everything that goes into a system prompt but the place (authority.md 6.2, 6.3). In append mode nothing of this agent's own
 * comes before the bridge, so that siblings share a cacheable beginning.
 *
 * @param body the agent file's text
 * @param parent the parent's system prompt, null if there is none or the mode does not use it
 * @param skills preloaded, in the agent file's order
 */
public record PromptPlan(
        PromptMode mode,
        String agent,
        String body,
        @Nullable String parent,
        List<Skill> skills) {

    static final String PREAMBLE = """
            You are an agent to which another agent has delegated one task. \
            Nobody is watching: work on your own until the task is done, then report.""";

    static final String GENERIC_BASE = """
            # Role
            You help with software work. You have tools to look at files, change them and run commands; use them \
            rather than guess, and say plainly what you did and what you could not do.""";

    static final String BRIDGE = """
            You work for another agent, as its sub-agent, on one specific task.
            - Do that task and nothing beside it.
            - Use read, edit, write, find and grep where they fit, not the shell commands like them.
            - Make independent tool calls together rather than one after the other.
            - Write paths in full, from the root.
            - Use no emojis.
            - A call that is refused was refused on purpose: look for another way within the task, or report it.
            - A call may wait for a person; that is no error.
            - Only your last message reaches the agent you work for.
            - Make it short and complete: what was done, where, and what is left open.""";

    public PromptPlan {
        parent = mode == PromptMode.APPEND ? parent : null;
        skills = List.copyOf(skills);
    }

    /** A plan without skills. */
    public PromptPlan(PromptMode mode, String agent, String body, @Nullable String parent) {
        this(mode, agent, body, parent, List.of());
    }

    /** Whether the prompt begins with a parent's. */
    public boolean hasParent() {
        return parent != null && !parent.isEmpty();
    }

    public String render(Environment environment) {
        return render(environment, "");
    }

    /** The same for an agent with a memory; {@code memory} is what it is told of it, empty for nothing. */
    public String render(Environment environment, String memory) {
        return switch (mode) {
            case REPLACE ->
                "%s\n\n%s\n\n%s%s\n\n%s%s"
                        .formatted(tag(), PREAMBLE, environment.block(), isolation(environment), body, extras(memory));
            case APPEND ->
                "%s\n\n<sub_agent_context>\n%s\n</sub_agent_context>\n\n%s\n\n%s%s%s%s"
                        .formatted(
                                base(),
                                BRIDGE,
                                tag(),
                                environment.block(),
                                isolation(environment),
                                instructions(),
                                extras(memory));
        };
    }

    private String base() {
        return parent == null || parent.isEmpty() ? GENERIC_BASE : parent;
    }

    private String tag() {
        return "<active_agent name=\"" + agent + "\"/>";
    }

    private static String isolation(Environment environment) {
        String base = environment.isolatedFrom();
        return base == null ? "" : "\n\n<worktree_isolation>\n%s\n</worktree_isolation>".formatted(isolatedFrom(base));
    }

    static String isolatedFrom(String base) {
        return """
                Your working directory is a private copy of %1$s; what is not committed there is not in it.
                Stay in the copy, even where other instructions name %1$s.""".formatted(base);
    }

    private String instructions() {
        return Blanks.trim(body).isEmpty() ? "" : "\n\n<agent_instructions>\n%s\n</agent_instructions>".formatted(body);
    }

    private String extras(String memory) {
        List<String> sections = new ArrayList<>();
        if (!memory.isEmpty()) {
            sections.add(memory);
        }
        skills.forEach(skill -> sections.add(skill.section()));
        return sections.isEmpty() ? "" : "\n\n" + String.join("\n", sections);
    }
}
