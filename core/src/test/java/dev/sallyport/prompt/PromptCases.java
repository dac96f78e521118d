package dev.sallyport.prompt;

import dev.sallyport.agentfile.AgentDefinition;
import dev.sallyport.agentfile.EmbeddedAgents;
import dev.sallyport.json.JsonObject;
import dev.sallyport.skill.Skill;
import dev.sallyport.testing.CaseFiles.Case;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** System prompts, a parent's conversation, and mentions. */
public final class PromptCases {

    private PromptCases() {}

    public static Map<String, Function<Case, @Nullable Object>> areas() {
        return Map.of(
                "prompt",
                c -> prompt(c.input()),
                "parentContext",
                c -> parentContext(c.input()),
                "mention.parse",
                c -> Mention.parse(c.input().text("text"))
                        .map(mention -> Map.of("handle", mention.handle(), "message", mention.message()))
                        .orElse(null),
                "mention.handleBase",
                c -> Mention.base(c.input().text("type")),
                "mention.assign",
                c -> Mention.assign(c.input().text("base"), c.input().texts("taken")),
                "mention.toType",
                c -> Mention.type(c.input().text("handle"), c.input().texts("types"))
                        .orElse(null),
                "mention.stripAgent",
                c -> Mention.withoutAgent(c.input().text("handle")).orElse(null),
                "mention.describe",
                c -> Mention.describe(c.input().text("message")));
    }

    private static String prompt(JsonObject input) {
        String embedded = input.optionalText("embedded");
        AgentDefinition definition = embedded == null
                ? AgentDefinition.named(input.object("config").text("name"))
                        .promptMode(PromptMode.parse(input.object("config").text("promptMode")))
                        .systemPrompt(input.object("config").text("systemPrompt"))
                        .build()
                : EmbeddedAgents.ALL.stream()
                        .filter(agent -> agent.name().equals(embedded))
                        .findFirst()
                        .orElseThrow();
        JsonObject env = input.object("env");
        JsonObject extras = input.object("extras");
        String base = extras.optionalText("worktreeBase");
        List<Skill> skills = extras.optional("skillBlocks") == null
                ? List.of()
                : extras.objects("skillBlocks").stream()
                        .map(block -> Skill.found(block.text("name"), "a file", block.text("content")))
                        .toList();

        String prompt = new PromptPlan(
                        definition.promptMode(),
                        definition.name(),
                        definition.systemPrompt(),
                        input.optionalText("parentSystemPrompt"),
                        skills)
                .render(
                        new Environment(
                                input.text("cwd"),
                                env.flag("isGitRepo") ? env.text("branch") : null,
                                base,
                                env.text("platform")),
                        Objects.requireNonNullElse(extras.optionalText("memoryBlock"), ""));

        String shown = prompt.replace(PromptPlan.PREAMBLE + "\n\n", "{{REPLACE_PREAMBLE}}")
                .replace(PromptPlan.BRIDGE, "{{BRIDGE_TEXT}}")
                .replace(PromptPlan.GENERIC_BASE, "{{GENERIC_BASE}}");
        if (base != null) {
            shown = shown.replace(PromptPlan.isolatedFrom(base), "{{WORKTREE_TEXT}}");
        }
        return embedded == null || definition.systemPrompt().isEmpty()
                ? shown
                : shown.replace(definition.systemPrompt(), "{{EMBEDDED_BODY}}");
    }

    private static String parentContext(JsonObject input) {
        ParentContext context = new ParentContext(
                input.objects("branch").stream().map(PromptCases::entry).toList());
        return context.before("")
                .replace(ParentContext.HEADER, "{{HEADER}}")
                .replace(ParentContext.FOOTER, "{{FOOTER}}");
    }

    private static ParentContext.Entry entry(JsonObject json) {
        return switch (json.text("type")) {
            case "message" -> message(json.object("message"));
            case "compaction" -> new ParentContext.Entry.Summary(json.optionalText("summary"));
            // Pi has entries that are no part of what was said.
            default -> ParentContext.Entry.Message.of(json.text("type"), "");
        };
    }

    private static ParentContext.Entry message(JsonObject json) {
        return json.required("content") instanceof String text
                ? ParentContext.Entry.Message.of(json.text("role"), text)
                : new ParentContext.Entry.Message(
                        json.text("role"),
                        json.objects("content").stream()
                                .map(block -> new ParentContext.Block(block.text("type"), block.optionalText("text")))
                                .toList());
    }
}
