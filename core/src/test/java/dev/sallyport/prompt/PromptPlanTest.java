package dev.sallyport.prompt;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** authority.md 6.1 to 6.3. */
class PromptPlanTest {

    private static final Environment CLONE = new Environment("/workspace", "", "/src/repo");
    private static final Environment BARE = new Environment("/workspace", null, null);

    @Test
    void replaceBeginsWithTheTagAndEndsWithTheBody() {
        String prompt = new PromptPlan(PromptMode.REPLACE, "reviewer", "Look.\n", "PARENT").render(BARE);

        assertThat(prompt)
                .startsWith("<active_agent name=\"reviewer\"/>\n\n")
                .contains("\n\n# Environment\nWorking directory: /workspace\nNot a git repository\nPlatform: linux\n\n")
                .endsWith("\n\nLook.\n")
                .doesNotContain("PARENT");
    }

    @Test
    void replaceWithoutABodyEndsWithTwoLineFeeds() {
        assertThat(new PromptPlan(PromptMode.REPLACE, "x", "", null).render(BARE))
                .endsWith("Platform: linux\n\n");
    }

    @Test
    void appendFollowsTheParentWordForWord() {
        String prompt = new PromptPlan(PromptMode.APPEND, "fixer", " Fix it. ", " PARENT \n").render(CLONE);

        assertThat(prompt)
                .startsWith(" PARENT \n\n\n<sub_agent_context>\n")
                .contains("\n</sub_agent_context>\n\n<active_agent name=\"fixer\"/>\n\n# Environment\n")
                .contains("Git repository: yes\nBranch: \nPlatform: linux\n\n<worktree_isolation>\n")
                .endsWith("\n</worktree_isolation>\n\n<agent_instructions>\n Fix it. \n</agent_instructions>");
        assertThat(prompt.split("/src/repo", -1)).hasSize(3);
    }

    @Test
    void appendWithoutAParentBeginsWithTheGenericRole() {
        String prompt = new PromptPlan(PromptMode.APPEND, "general-purpose", " ", null).render(BARE);

        assertThat(prompt).startsWith("# Role\n").endsWith("Platform: linux");
    }

    @Test
    void siblingsShareEverythingUpToTheEndOfTheBridge() {
        String one = new PromptPlan(PromptMode.APPEND, "one", "A", "PARENT").render(BARE);
        String other = new PromptPlan(PromptMode.APPEND, "other", "B", "PARENT").render(CLONE);
        String end = "</sub_agent_context>";

        assertThat(one.substring(0, one.indexOf(end))).isEqualTo(other.substring(0, other.indexOf(end)));
    }
}
