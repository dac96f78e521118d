package dev.sallyport;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import dev.sallyport.agentfile.AgentFileCases;
import dev.sallyport.authority.ToolScopeCases;
import dev.sallyport.delegation.DelegationCases;
import dev.sallyport.invocation.InvocationCases;
import dev.sallyport.json.CanonicalJson;
import dev.sallyport.memory.MemoryCases;
import dev.sallyport.model.ModelCases;
import dev.sallyport.prompt.PromptCases;
import dev.sallyport.report.ReportCases;
import dev.sallyport.skill.SkillCases;
import dev.sallyport.testing.CaseFiles;
import dev.sallyport.testing.CaseFiles.Case;
import dev.sallyport.toolscope.ExtensionCases;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The worked cases of authority.md; with {@code -Dsallyport.cases=DIR} others of the same shape. */
class AuthorityCasesTest {

    /** What computes an area, one line for each subject. */
    private static final Map<String, Function<Case, @Nullable Object>> AREAS = merged(List.of(
            ToolScopeCases.areas(),
            ExtensionCases.areas(),
            AgentFileCases.areas(),
            DelegationCases.areas(),
            InvocationCases.areas(),
            ModelCases.areas(),
            MemoryCases.areas(),
            PromptCases.areas(),
            ReportCases.areas(),
            SkillCases.areas()));

    /** Areas that a test of another module computes. */
    private static final Map<String, String> ELSEWHERE = Map.of("worktree", "runner: WorktreeCasesTest");

    /** Cases that cannot apply, as {@code area: name}, and why. */
    private static final Map<String, String> EXCLUDED = Map.of(
            "manager: cwd validation", "a contained child has no directory of the host",
            "manager: worktree strict failure", "a contained child has no directory of the host",
            "manager: worktree disabled project", "a contained child has no directory of the host",
            "manager: worktree dirty aborted run", "a contained child has no directory of the host",
            "manager: worktree with custom cwd subdir", "a contained child has no directory of the host");

    private static final Map<String, Tally> TALLIES = new TreeMap<>();

    private record Tally(int passed, int failed, int excluded) {

        static final Tally PASSED = new Tally(1, 0, 0);
        static final Tally FAILED = new Tally(0, 1, 0);
        static final Tally NOT_RUN = new Tally(0, 0, 1);

        Tally plus(Tally other) {
            return new Tally(passed + other.passed, failed + other.failed, excluded + other.excluded);
        }
    }

    @Test
    void everyAreaIsClaimedOnce() {
        Set<String> areas =
                CaseFiles.authority().stream().map(Case::area).collect(Collectors.toCollection(TreeSet::new));

        assertThat(AREAS.keySet()).doesNotContainAnyElementsOf(ELSEWHERE.keySet());
        areas.removeAll(AREAS.keySet());
        areas.removeAll(ELSEWHERE.keySet());
        assertThat(areas).as("areas that nobody claims").isEmpty();
    }

    @Test
    void everyExclusionIsACaseWithAReason() {
        assumeThat(System.getProperty("sallyport.cases")).isNull();

        assertThat(CaseFiles.authority().stream().map(Case::toString)).containsAll(EXCLUDED.keySet());
        assertThat(EXCLUDED.values()).noneMatch(String::isBlank);
    }

    static Stream<Case> cases() {
        CaseFiles.authority().stream().filter(c -> !applies(c)).forEach(c -> count(c, Tally.NOT_RUN));
        return CaseFiles.authority().stream().filter(AuthorityCasesTest::applies);
    }

    private static boolean applies(Case c) {
        return AREAS.containsKey(c.area()) && !EXCLUDED.containsKey(c.toString());
    }

    @ParameterizedTest
    @MethodSource("cases")
    void givesTheRightAnswer(Case c) {
        boolean right = false;
        try {
            Object actual = Objects.requireNonNull(AREAS.get(c.area())).apply(c);

            assertThat(json(actual)).isEqualTo(json(c.expected()));
            right = true;
        } finally {
            count(c, right ? Tally.PASSED : Tally.FAILED);
        }
    }

    private static void count(Case c, Tally tally) {
        TALLIES.merge(c.area(), tally, Tally::plus);
    }

    @AfterAll
    static void printTheTable() {
        String line = "%-24s %6s %6s %8s  %s%n";
        StringBuilder table = new StringBuilder(line.formatted("area", "passed", "failed", "excluded", ""));
        TALLIES.forEach((area, tally) ->
                table.append(line.formatted(area, tally.passed(), tally.failed(), tally.excluded(), note(area))));
        Tally sum = TALLIES.values().stream().reduce(new Tally(0, 0, 0), Tally::plus);
        table.append(line.formatted("total", sum.passed(), sum.failed(), sum.excluded(), ""));
        EXCLUDED.forEach((id, reason) -> table.append("excluded: %s: %s%n".formatted(id, reason)));
        System.out.print(table);
    }

    private static String note(String area) {
        return ELSEWHERE.getOrDefault(area, "");
    }

    private static Map<String, Function<Case, @Nullable Object>> merged(
            List<Map<String, Function<Case, @Nullable Object>>> adapters) {
        Map<String, Function<Case, @Nullable Object>> areas = new HashMap<>();
        for (Map<String, Function<Case, @Nullable Object>> adapter : adapters) {
            adapter.forEach((area, function) -> {
                if (areas.put(area, function) != null) {
                    throw new IllegalStateException("claimed twice: " + area);
                }
            });
        }
        return areas;
    }

    private static String json(@Nullable Object value) {
        return CanonicalJson.write(withoutNulls(value));
    }

    private static @Nullable Object withoutNulls(@Nullable Object value) {
        return switch (value) {
            case Map<?, ?> members -> {
                Map<String, Object> present = new LinkedHashMap<>();
                members.forEach((key, member) -> {
                    if (member != null) {
                        present.put((String) key, withoutNulls(member));
                    }
                });
                yield present;
            }
            case List<?> items ->
                items.stream().map(AuthorityCasesTest::withoutNulls).toList();
            case null, default -> value;
        };
    }
}
