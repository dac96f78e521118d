package dev.sallyport.authority;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sallyport.agentfile.Inclusion;
import dev.sallyport.agentfile.SubagentPermission;
import dev.sallyport.authority.OperatorPolicyFile.MalformedPolicyException;
import dev.sallyport.containment.Budgets;
import dev.sallyport.containment.CredentialScope;
import dev.sallyport.containment.Limits;
import dev.sallyport.containment.NetworkPolicy;
import dev.sallyport.containment.RuntimeClass;
import dev.sallyport.containment.WorkspaceAccess;
import dev.sallyport.model.Model;
import dev.sallyport.model.Price;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class OperatorPolicyFileTest {

    private static final String WHOLE = """
            version: 1
            ceilings:
              limits: { cpu: 2, memory: 4g, pids: 100, wall: 1h, disk: 2g }
              workspace: clone
              tools: [read, grep, bash]
              extensions: [alpha]
              skills: none
              hosts: [api.test, "git.test:8443"]
              credentials: [github]
              models: [acme/one, acme/two]
              runtimes: [runc, gvisor, kata]
            floors:
              runtime: gvisor
            locks:
              tools: write
              extensions: [beta]
            required: [seccomp, memory]
            delegation:
              maxDepth: 3
              maxActivePerSession: 4
              allowSharedWriters: true
              spawns:
                session: all
                planner: [writer]
                "*": none
              grants:
                planner:
                  writer: { tools: [edit], workspace: clone }
            budgets: { turns: 50, tokens: 100000, cost: 2.50, egress: 10m, children: 5 }
            prices:
              acme/one: { input: 1, output: "5.00", cacheRead: 0.1, cacheWrite: 1.25 }
            defaults: { model: acme/one, agent: none }
            harness: { acceptUnenforced: true }
            compatibility: [follow-links]
            """;

    @Test
    void readsEveryField() throws MalformedPolicyException {
        OperatorPolicy policy = parse(WHOLE);

        assertThat(policy.maxLimits()).isEqualTo(new Limits(2000, 4L << 30, 100, Duration.ofHours(1), 2L << 30));
        assertThat(policy.workspace()).isEqualTo(WorkspaceAccess.CLONE);
        assertThat(policy.tools()).containsExactly("read", "grep", "bash");
        assertThat(policy.extensions()).isEqualTo(ExtensionRights.of(new Inclusion.Only(List.of("alpha")), null, null));
        assertThat(policy.skills()).isEqualTo(new Inclusion.None());
        assertThat(policy.hosts()).isEqualTo(NetworkPolicy.parse(List.of("api.test", "git.test:8443")));
        assertThat(policy.credentials()).isEqualTo(CredentialScope.of(List.of("github")));
        assertThat(policy.models()).extracting(Model::toString).containsExactly("acme/one", "acme/two");
        assertThat(policy.runtimes()).containsExactly(RuntimeClass.GVISOR);
        assertThat(policy.lockedTools()).containsExactly("write");
        assertThat(policy.lockedExtensions()).containsExactly("beta");
        assertThat(policy.required()).containsExactly("memory", "seccomp");
        assertThat(policy.delegation()).isEqualTo(new Delegation(SubagentPermission.all(), 0, 3, 4, true));
        assertThat(policy.spawns(null)).isEqualTo(SubagentPermission.all());
        assertThat(policy.spawns("planner")).isEqualTo(new SubagentPermission.Only(List.of("writer")));
        assertThat(policy.spawns("writer").isNone()).isTrue();
        assertThat(policy.grant("planner", "writer"))
                .isEqualTo(new OperatorPolicy.Grant("planner", "writer", List.of("edit"), WorkspaceAccess.CLONE));
        assertThat(policy.budgets()).isEqualTo(new Budgets(50L, 100_000L, 2_500_000L, 10L << 20, 5L));
        assertThat(policy.prices())
                .containsExactly(Map.entry(
                        Model.parse("acme/one"),
                        Price.of(Map.of("input", "1", "output", "5.00", "cacheRead", "0.1", "cacheWrite", "1.25"))));
        assertThat(policy.defaultModel()).hasToString("acme/one");
        assertThat(policy.fallbackAgent()).isEqualTo("none");
        assertThat(policy.acceptUnenforced()).isTrue();
        assertThat(policy.compatibility().names()).containsExactly("follow-links");
        assertThat(policy.origin("ceilings.limits.cpu")).hasToString("operator sallyport.yaml:3");
        assertThat(policy.origin("locks.tools")).hasToString("operator sallyport.yaml:15");
    }

    @Test
    void anEmptyFileIsNoFile() throws MalformedPolicyException {
        assertThat(parse("")).isEqualTo(OperatorPolicyFile.absent());
        assertThat(OperatorPolicyFile.absent().compatibility()).isEqualTo(Compatibility.NONE);
        assertThat(OperatorPolicyFile.absent().credentials()).isEqualTo(CredentialScope.NONE);
    }

    // A misspelt ceiling that was skipped would be no ceiling.
    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            ceiling: {}                              | sallyport.yaml:1: unknown field `ceiling` (nearest: `ceilings`)
            ceilings: { tool: [read] }               | sallyport.yaml:1: unknown field `tool` in ceilings (nearest: `tools`)
            ceilings: { limits: { cpus: 1 } }        | sallyport.yaml:1: unknown field `cpus` in ceilings.limits (nearest: `cpu`)
            ceilings: { limits: { cpu: .inf } }      | sallyport.yaml:1: cpu (expected: a word or a number)
            ceilings: { tools: [reed] }              | sallyport.yaml:1: unknown tool `reed` (nearest: `read`)
            ceilings: { tools: }                     | sallyport.yaml:1: ceilings.tools (expected: a list of words, or none)
            ceilings: { hosts: ["*.test"] }          | sallyport.yaml:1: host: `*.test` (a wildcard; name each host)
            ceilings: { limits: { memory: -1 } }     | sallyport.yaml:1: memory: `-1` (expected: a size as 512m or 1g)
            ceilings: { runtimes: none }             | sallyport.yaml:1: no runtime is left (expected: at least one in ceilings.runtimes)
            floors: { runtime: kata }                | sallyport.yaml:1: no runtime is left (expected: at least one in ceilings.runtimes)
            delegation: { maxDepth: 17 }             | sallyport.yaml:1: delegation.maxDepth: `17` (expected: 0 to 16)
            delegation: { grants: { a: { b: { tool: [] } } } } | sallyport.yaml:1: unknown field `tool` in delegation.grants.a.b (nearest: `tools`)
            budgets: { cost: free }                  | sallyport.yaml:1: budget cost: `free` (expected: US dollars as 2.50, six decimals at most)
            budgets: { tokens: }                     | sallyport.yaml:1: tokens (expected: a word or a number)
            budgets: { tokens: 99999999999999m }     | sallyport.yaml:1: budget tokens: 9007199254740993 (expected: 0 to 2^53)
            budgets: { token: 1 }                    | sallyport.yaml:1: unknown field `token` in budgets (nearest: `tokens`)
            prices: { gpt: { input: 1 } }            | sallyport.yaml:1: model: `gpt` (expected: provider/id)
            prices: { a/b: { input: 1, output: 2 } } | sallyport.yaml:1: prices.a/b: no cacheRead (expected: input, output, cacheRead, cacheWrite)
            prices: { a/b: { input: -1 } }           | sallyport.yaml:1: prices.a/b: no output (expected: input, output, cacheRead, cacheWrite)
            prices: { a/b: { input: -1, output: 2, cacheRead: 0, cacheWrite: 0 } } | sallyport.yaml:1: price: `-1` (expected: US dollars per million tokens as 0.30, six decimals at most)
            budgets: { tokens: true }                | sallyport.yaml:1: tokens (expected: a word or a number)
            harness: { acceptUnenforced: yes }       | sallyport.yaml:1: harness.acceptUnenforced: `yes` (expected: true or false)
            compatibility: [follow-link]             | sallyport.yaml:1: compatibility: unknown switch `follow-link` (nearest: `follow-links`)
            version: 2                               | sallyport.yaml:1: version: `2` (expected: 1)
            [a, b]                                   | sallyport.yaml: the file (expected: a map)
            """)
    void refusesWhatItCannotHonour(String text, String message) {
        assertThatThrownBy(() -> parse(text))
                .isInstanceOf(MalformedPolicyException.class)
                .hasMessage(message);
    }

    @Test // T63, T65
    void keepsTheLimitsOfEveryOtherYaml() {
        assertThatThrownBy(() -> parse("required: [a]\nrequired: [b]"))
                .hasMessage("sallyport.yaml:2: key `required` is already on line 1");
        assertThatThrownBy(() -> parse("required: !!java.net.URL [x]")).hasMessageContaining("tags are not allowed");
        assertThatThrownBy(() -> parse("#".repeat(70_000))).hasMessageContaining("larger than");
    }

    private static OperatorPolicy parse(String text) throws MalformedPolicyException {
        return OperatorPolicyFile.parse("sallyport.yaml", text);
    }
}
