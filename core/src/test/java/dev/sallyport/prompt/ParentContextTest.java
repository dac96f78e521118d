package dev.sallyport.prompt;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sallyport.prompt.ParentContext.Entry;
import java.util.List;
import org.junit.jupiter.api.Test;

/** authority.md 6.4 beside its cases. */
class ParentContextTest {

    @Test
    void standsBeforeTheTaskAndEndsWithItsHeading() {
        String prompt = new ParentContext(List.of(Entry.Message.of("user", " hi "), new Entry.Summary("was long ")))
                .before("Fix it.\n");

        assertThat(prompt)
                .startsWith("# Parent Conversation Context\n")
                .endsWith("\n\n[User]: hi\n\n[Summary]: was long \n\n---\n# Your Task (below)\nFix it.\n");
    }

    @Test
    void nothingThatWasSaidLeavesTheTaskAlone() {
        assertThat(new ParentContext(List.of(Entry.Message.of("system", "x"), Entry.Message.of("user", "\ufeff \n")))
                        .before("Fix it."))
                .isEqualTo("Fix it.");
    }

    @Test
    void aMentionIsDescribedByItsFirstLine() {
        Mention mention = Mention.parse("@Explore look\tat   everything that has to do with the parser\nand more")
                .orElseThrow();

        assertThat(mention.description()).isEqualTo("look at everything that has to do with…");
        assertThat(Mention.type(mention.handle(), List.of("Plan", "Explore"))).contains("Explore");
    }
}
