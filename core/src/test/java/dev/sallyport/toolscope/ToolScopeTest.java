package dev.sallyport.toolscope;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;

import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What an extension inside a child tries, and what the original would let it. */
class ToolScopeTest {

    private static final Extension ALPHA = extension("alpha");
    private static final Extension BETA = extension("beta");

    private static Extension extension(String name) {
        return Extension.at("/extensions/" + name + ".ts", _ -> Optional.empty());
    }

    private static ToolRules rules(List<String> tools, List<String> selectors, ToolRules.Quirk... quirks) {
        return new ToolRules(
                tools,
                Set.of(),
                List.of(new ToolRules.Rights(ExtensionFilter.all(List.of()), Selectors.parse(selectors))),
                false,
                Set.of(quirks));
    }

    @Test
    void plainNameDoesNotAdmitAToolThatTheSelectorsLeaveOut() {
        List<String> tools = List.of("read", "alpha_write");

        ToolScope scope = new ToolScope(rules(tools, List.of("ext:beta")));
        scope.load(ALPHA, List.of("alpha_write"));
        ToolScope original =
                new ToolScope(rules(tools, List.of("ext:beta"), ToolRules.Quirk.PLAIN_TOOLS_BYPASS_SELECTORS));
        original.load(ALPHA, List.of("alpha_write"));

        assertThat(scope.permits("alpha_write")).isFalse();
        assertThat(scope.visible()).containsExactly("read");
        assertThat(original.permits("alpha_write")).isTrue();
    }

    @Test
    void unselectedExtensionDoesNotTakeOverTheNameOfASelectedOne() {
        ToolScope scope = new ToolScope(rules(List.of("read"), List.of("ext:alpha")));
        scope.load(BETA, List.of("search"));
        scope.load(ALPHA, List.of("search"));
        scope.register(BETA, "search");
        ToolScope original =
                new ToolScope(rules(List.of("read"), List.of("ext:alpha"), ToolRules.Quirk.SHARED_TOOL_NAMES));
        original.load(ALPHA, List.of("search"));
        original.load(BETA, List.of("search"));

        assertThat(scope.permits("search")).isTrue();
        assertThat(scope.provider("search")).contains(ALPHA);
        assertThat(original.provider("search")).contains(BETA);
    }

    @Test
    void extensionHasNoToolWithTheNameOfOneOfOurs() {
        ToolScope scope = new ToolScope(rules(List.of("read"), List.of()));
        scope.load(ALPHA, List.of("read", "bash", "Agent"));
        ToolScope original = new ToolScope(rules(List.of("read"), List.of(), ToolRules.Quirk.SHARED_TOOL_NAMES));
        original.load(ALPHA, List.of("read", "bash", "Agent"));

        assertThat(scope.provider("read")).isEmpty();
        assertThat(scope.permits("bash")).isFalse();
        assertThat(scope.permits("Agent")).isFalse();
        assertThat(original.provider("read")).contains(ALPHA);
        assertThat(original.permits("bash")).isTrue();
        assertThat(original.permits("Agent")).isFalse();
    }

    @Test
    void toolRegisteredBetweenTurnsIsShownOnlyIfItIsInScope() {
        ToolScope scope = new ToolScope(rules(List.of("read"), List.of("ext:alpha/search")));
        scope.load(ALPHA, List.of());
        scope.register(ALPHA, "write_remote");
        scope.register(ALPHA, "search");
        ToolScope original =
                new ToolScope(rules(List.of("read"), List.of("ext:alpha/search"), ToolRules.Quirk.LATE_TOOLS_VISIBLE));
        original.load(ALPHA, List.of());
        original.register(ALPHA, "write_remote");

        assertThat(scope.visible()).containsExactly("read", "search");
        assertThat(scope.permits("write_remote")).isFalse();
        assertThat(original.visible()).containsExactly("read", "write_remote");
        assertThat(original.permits("write_remote")).isFalse();
    }

    @Test
    void callOfAnUnknownToolIsVetoedWithoutExtensionsToo() {
        List<ToolRules.Rights> off = List.of(new ToolRules.Rights(ExtensionFilter.none(List.of()), Selectors.NONE));
        ToolScope scope = new ToolScope(new ToolRules(List.of("read", "ghost"), Set.of(), off, false, Set.of()));
        ToolScope original = new ToolScope(new ToolRules(
                List.of("read"), Set.of(), off, false, Set.of(ToolRules.Quirk.NO_VETO_WITHOUT_EXTENSIONS)));

        assertThat(scope.permits("read")).isTrue();
        assertThat(scope.permits("bash")).isFalse();
        assertThat(scope.permits("ghost")).isFalse();
        assertThat(scope.load(ALPHA, List.of("alpha_read"))).isFalse();
        assertThat(original.permits("bash")).isTrue();
    }

    @Test
    void withdrawnToolCannotBeCalledAnyMore() {
        ToolScope scope = new ToolScope(rules(List.of(), List.of()));
        scope.load(ALPHA, List.of("a", "b"));

        scope.withdraw(ALPHA, "a");

        assertThat(scope.permits("a")).isFalse();
        assertThat(scope.registered()).containsExactly("b");
        assertThat(scope.visible()).containsExactly("b");
    }

    @Test // T75
    void nameThatAnotherExtensionHasIsRefusedNowAndLater() {
        ToolScope scope = new ToolScope(rules(List.of(), List.of()));
        scope.load(ALPHA, List.of("read_file"));
        scope.load(BETA, List.of("read_file"));

        boolean registered = scope.register(BETA, "read_file");
        scope.withdraw(ALPHA, "read_file");

        assertThat(registered).isFalse();
        assertThat(scope.permits("read_file")).isFalse();
        assertThat(scope.register(BETA, "read_file")).isTrue();
        assertThat(scope.provider("read_file")).contains(BETA);
    }

    @Test
    void childHasNoToolOfAnExtensionThatItsParentDoesNotHave() {
        ToolRules.Rights own = new ToolRules.Rights(ExtensionFilter.all(List.of()), Selectors.NONE);
        ToolRules.Rights parent = new ToolRules.Rights(
                ExtensionFilter.all(List.of("beta")), Selectors.parse(List.of("ext:alpha/search")));
        ToolScope scope = new ToolScope(new ToolRules(List.of(), Set.of(), List.of(own, parent), false, Set.of()));

        assertThat(scope.load(ALPHA, List.of("search", "write_remote"))).isTrue();
        assertThat(scope.load(BETA, List.of("search"))).isFalse();
        assertThat(scope.visible()).containsExactly("search");
    }

    @Test
    void extensionThatWasNotLoadedRegistersNothing() {
        ToolScope scope = new ToolScope(rules(List.of("read"), List.of()));

        assertThat(scope.register(ALPHA, "alpha_read")).isFalse();
        assertThat(scope.permits("alpha_read")).isFalse();
    }

    @Test
    void floodAndLookAlikeNamesOfToolsAreDropped() {
        ToolScope scope = new ToolScope(rules(List.of("read"), List.of()));
        scope.load(
                ALPHA,
                IntStream.range(0, 2 * ToolScope.MAX_TOOLS)
                        .mapToObj(i -> "t" + i)
                        .toList());
        scope.load(BETA, List.of());

        assertThat(scope.registered()).hasSize(ToolScope.MAX_TOOLS + 1);
        assertThat(scope.register(BETA, "one_more")).isFalse();
        scope.withdraw(ALPHA, "t0");
        assertThat(scope.register(BETA, "re\u200bad")).isFalse();
        assertThat(scope.register(BETA, " ")).isFalse();
        assertThat(scope.register(BETA, "x".repeat(129))).isFalse();
        assertThat(scope.register(BETA, "fine")).isTrue();
    }

    @Test
    @Timeout(5)
    void hostileNamesTakeNoTime() {
        String slashes = "/".repeat(32_000) + "x";

        assertThatCode(() -> ExtensionFilter.of(List.of(slashes, "~/" + slashes, "a" + slashes), List.of(), "/h", "/w"))
                .doesNotThrowAnyException();
        assertThat(Extension.at(slashes, _ -> Optional.empty()).names()).containsExactly("x");
    }
}
