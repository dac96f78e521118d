package dev.sallyport.permission;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** S2: a repository narrows and never widens. */
class NarrowingTest {

    private static final List<String> SURFACES = List.of("*", "bash", "read", "network", "b*");
    private static final List<String> PATTERNS = List.of("*", "git *", "git push *", "?", "src/*");
    private static final List<String> VALUES = List.of("git push x", "git", "src/a", "rm -rf /", "x");

    @Test
    void neverGivesALooserAnswerThanTheOperatorWhateverTheLayersSay() {
        long seed = Long.getLong("sallyport.seed", System.nanoTime());
        Random random = new Random(seed);
        for (int round = 0; round < 3_000; round++) {
            Ruleset operator =
                    Policy.rules(List.of(new Policy.Scope(Rule.Origin.GLOBAL, config(random))), HomeDirectory.NONE);
            List<Narrowing.Layer> layers = new ArrayList<>();
            for (int i = random.nextInt(4); i > 0; i--) {
                layers.add(new Narrowing.Layer("layer " + i, config(random)));
            }
            List<Narrowing.Layer> shuffled = new ArrayList<>(layers);
            Collections.shuffle(shuffled, random);
            for (String surface : List.of("bash", "read", "network")) {
                for (String value : VALUES) {
                    PermissionState own = operator.decisive(surface, value).action();
                    PermissionState narrowed = new Narrowing(operator, layers)
                            .decide(surface, value)
                            .state();

                    assertThat(narrowed.looserThan(own)).as("seed %d", seed).isFalse();
                    assertThat(new Narrowing(operator, shuffled)
                                    .decide(surface, value)
                                    .state())
                            .as("order of layers, seed %d", seed)
                            .isEqualTo(narrowed);
                    for (Narrowing.Layer layer : layers) {
                        PermissionState alone = new Narrowing(operator, List.of(layer))
                                .decide(surface, value)
                                .state();
                        assertThat(narrowed.looserThan(alone))
                                .as("seed %d", seed)
                                .isFalse();
                    }
                }
            }
        }
    }

    @Test // T61
    void theRuleThatHoldsNowCountsAndNoEarlierDenial() {
        Map<String, Object> patterns = new LinkedHashMap<>();
        patterns.put("curl *", "deny");
        patterns.put("curl https://a.test*", "allow");
        Ruleset lifted = Policy.rules(
                List.of(new Policy.Scope(Rule.Origin.GLOBAL, config(Map.of("bash", patterns)))), HomeDirectory.NONE);

        assertThat(lifted.decisive("bash", "curl https://a.test/x").action()).isEqualTo(PermissionState.ALLOW);
        assertThat(lifted.decisive("bash", "curl https://b.test/x").action()).isEqualTo(PermissionState.DENY);
    }

    @Test // T59
    void namesTheLayerThatNarrowed() {
        Ruleset operator =
                Policy.rules(List.of(new Policy.Scope(Rule.Origin.GLOBAL, ContainedPolicy.CONFIG)), HomeDirectory.NONE);
        Narrowing narrowing = new Narrowing(
                operator,
                List.of(
                        new Narrowing.Layer("wide.md:3", config(Map.of("network", "allow", "bash", "allow"))),
                        new Narrowing.Layer("strict.md:4", config(Map.of("bash", Map.of("rm *", "deny"))))));

        assertThat(narrowing.decide("network", "evil.test:443").state()).isEqualTo(PermissionState.ASK);
        assertThat(narrowing.decide("bash", "ls").layer()).isNull();
        assertThat(narrowing.decide("bash", "rm -rf x")).satisfies(outcome -> {
            assertThat(outcome.state()).isEqualTo(PermissionState.DENY);
            assertThat(outcome.layer()).isEqualTo("strict.md:4");
            assertThat(outcome.rule().pattern()).isEqualTo("rm *");
        });
    }

    @Test
    void aLayerThatIsSilentNarrowsNothing() {
        Ruleset operator = Policy.rules(
                List.of(new Policy.Scope(Rule.Origin.GLOBAL, config(Map.of("*", "allow")))), HomeDirectory.NONE);
        Narrowing narrowing =
                new Narrowing(operator, List.of(new Narrowing.Layer("x.md:2", config(Map.of("bash", "ask")))));

        assertThat(narrowing.decide("read", "a").state()).isEqualTo(PermissionState.ALLOW);
        assertThat(narrowing.decide("bash", "a").state()).isEqualTo(PermissionState.ASK);
    }

    @Test
    void theShippedPolicyAllowsWhatStaysInsideAndAsksAboutTheRest() {
        Ruleset shipped =
                Policy.rules(List.of(new Policy.Scope(Rule.Origin.GLOBAL, ContainedPolicy.CONFIG)), HomeDirectory.NONE);

        for (String tool : List.of("read", "bash", "edit", "write", "grep", "find", "ls")) {
            assertThat(shipped.decisive(tool, "x").action()).isEqualTo(PermissionState.ALLOW);
        }
        for (String way : List.of("network", "credential", "delegation", "bind_mount", "mcp", "anything")) {
            assertThat(shipped.decisive(way, "x").action()).isEqualTo(PermissionState.ASK);
        }
    }

    private static PermissionConfig config(Map<String, Object> json) {
        PermissionConfig.Parsed parsed = PermissionConfig.parse(json);
        assertThat(parsed.problems()).isEmpty();
        return parsed.config();
    }

    private static PermissionConfig config(Random random) {
        Map<String, Object> json = new LinkedHashMap<>();
        for (int i = random.nextInt(4); i > 0; i--) {
            json.put(
                    SURFACES.get(random.nextInt(SURFACES.size())),
                    random.nextBoolean() ? state(random) : patterns(random));
        }
        return config(json);
    }

    private static Map<String, Object> patterns(Random random) {
        Map<String, Object> json = new LinkedHashMap<>();
        for (int i = random.nextInt(4); i > 0; i--) {
            json.put(PATTERNS.get(random.nextInt(PATTERNS.size())), state(random));
        }
        return json;
    }

    private static String state(Random random) {
        return List.of("allow", "ask", "deny").get(random.nextInt(3));
    }
}
