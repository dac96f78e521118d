package dev.sallyport.agentfile;

import dev.sallyport.json.Digests;
import dev.sallyport.prompt.PromptMode;
import java.util.List;

/** The definitions that come with the program (authority.md 3), and the one for a call that names no agent (P4). */
public final class EmbeddedAgents {

    public static final String GENERAL_PURPOSE = "general-purpose";

    private static final List<String> LOOKERS = List.of("read", "bash", "grep", "find", "ls");

    public static final List<AgentDefinition> ALL = List.of(generalPurpose(), explore(), plan());

    /** What a call without an agent is: every built-in tool, the generic prompt. */
    public static final AgentDefinition AD_HOC = AgentDefinition.named("ad-hoc")
            .displayName("Ad hoc")
            .description("a task of its own, without an agent file")
            .promptMode(PromptMode.APPEND)
            .digest(digest("ad-hoc", ""))
            .build();

    /** authority.md 4: what is left when even {@value #GENERAL_PURPOSE} is gone. */
    public static final AgentDefinition LAST_RESORT = generalPurpose();

    private EmbeddedAgents() {}

    private static AgentDefinition generalPurpose() {
        return AgentDefinition.named(GENERAL_PURPOSE)
                .displayName("Agent")
                .description("any task that takes several steps")
                .promptMode(PromptMode.APPEND)
                .digest(digest(GENERAL_PURPOSE, ""))
                .build();
    }

    private static AgentDefinition explore() {
        String body = """
                You find things in a code base and report where they are. You change nothing: no file is created, edited,
                moved or deleted, and no command is run that would do so.

                Search broadly first (find, grep), then read what looks right. Follow names to their definitions and to
                their uses. Stop when the question is answered; do not collect for its own sake.

                Answer with the findings, each with its file and line, and say what you looked for and did not find.""";
        return AgentDefinition.named("Explore")
                .displayName("Explore")
                .description("finds code and answers where and how, without changing anything")
                .tools(LOOKERS)
                .model("anthropic/claude-haiku-4-5")
                .systemPrompt(body)
                .digest(digest("Explore", body))
                .build();
    }

    private static AgentDefinition plan() {
        String body = """
                You work out how a change should be made and do not make it. You change nothing: no file is created,
                edited, moved or deleted, and no command is run that would do so.

                Understand what is asked and what must stay as it is. Read the code that the change touches and the code
                that depends on it; look for a pattern already there before inventing one. Weigh the alternatives and
                choose. Name the steps in an order in which each leaves things working, and the tests that would show it.

                End with the list of critical files: for each its path and one line on why it matters.""";
        return AgentDefinition.named("Plan")
                .displayName("Plan")
                .description("designs a change and names its steps, without making it")
                .tools(LOOKERS)
                .systemPrompt(body)
                .digest(digest("Plan", body))
                .build();
    }

    private static String digest(String name, String body) {
        return Digests.of("sallyport-embedded-agent-v1").field(name).field(body).hex();
    }
}
