package dev.sallyport.agentfile;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sallyport.json.CanonicalJson;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;

class AgentFileTextTest {

    private static AgentDefinition parse(String text) throws AgentFile.UnusableException {
        AgentDefinition definition =
                AgentFile.read("/agents/x.md", "x", text, AgentDefinition.Source.PROJECT, false, new ArrayList<>());
        assertThat(definition).isNotNull();
        return definition;
    }

    static String fields(AgentDefinition definition) {
        Map<String, Object> json = AgentFileCases.config(definition);
        json.put("sandbox", definition.sandbox().toString());
        json.put("permission", definition.permission().toOrderedJson());
        json.put("hidden", definition.hidden());
        json.values().removeIf(value -> value == null);
        return CanonicalJson.write(json);
    }

    @Test // T70
    void readsBackWhatItWrote() throws Exception {
        long seed = Long.getLong("sallyport.seed", System.nanoTime());
        Random random = new Random(seed);
        for (int i = 0; i < 2_000; i++) {
            AgentDefinition definition = parse(document(random));

            String rendered = AgentFileText.render(definition, AgentFileText.Detail.ALL);

            AgentDefinition again = parse(rendered);
            assertThat(fields(again)).as("seed %d: %s", seed, rendered).isEqualTo(fields(definition));
            assertThat(AgentFileText.render(again, AgentFileText.Detail.ALL)).isEqualTo(rendered);
        }
    }

    private static String document(Random random) {
        List<String> texts = List.of(
                "x",
                "\"a: b\"",
                "'# no'",
                "\"\\u2028line\"",
                "\"two\\nlines\"",
                "\"---\"",
                "\"true\"",
                "yes",
                "1e3",
                "\"1\"",
                "\"\"",
                "ünïcode",
                "\"\\U0001F600\"",
                "a, b",
                "none",
                "\"none,\"",
                "[none, x]",
                "all",
                "false",
                "true",
                "\"*\"",
                "[\"ext:a/b\", read]",
                "\"ext:, read\"",
                "read, bash, edit, write, grep, find, ls",
                ".inf",
                "0",
                "2.5",
                "-1",
                "null",
                "[\"a\\nb\"]",
                "worktree",
                "off",
                "project",
                "append");
        StringBuilder yaml = new StringBuilder("---\n");
        for (String key : List.of(
                "display_name",
                "color",
                "description",
                "tools",
                "disallowed_tools",
                "extensions",
                "exclude_extensions",
                "skills",
                "model",
                "thinking",
                "max_turns",
                "persist_session",
                "output_transcript",
                "session_dir",
                "allowed_subagents",
                "prompt_mode",
                "inherit_context",
                "run_in_background",
                "isolated",
                "memory",
                "isolation",
                "enabled",
                "hidden")) {
            if (random.nextInt(3) > 0) {
                yaml.append(key)
                        .append(": ")
                        .append(texts.get(random.nextInt(texts.size())))
                        .append('\n');
            }
        }
        if (random.nextBoolean()) {
            yaml.append("sandbox: {workspace: clone, network: [a.example, \"b.example:8443\"], credentials: [k],"
                    + " limits: {cpu: 1.5, memory: 512m, wall: 90s}, runtime: gvisor, harness: builtin}\n");
        }
        if (random.nextBoolean()) {
            yaml.append("budgets: {turns: 5, tokens: 200k, cost: 2.50, egress: 10m, children: 0}\n");
        }
        if (random.nextBoolean()) {
            yaml.append("permission: {bash: {\"*\": ask, \"git *\": allow, \"rm *\":"
                    + " {action: deny, reason: \"no: never\"}}, edit: deny}\n");
        }
        return yaml.append("---\nBody --- text\n\n---\nmore\n").toString();
    }

    @Test
    void originalsFormLosesWhatRestricts() throws Exception {
        AgentDefinition definition =
                parse("---\ntools: read, ext:a/b\nenabled: false\nisolated: false\nmax_turns: 0\n---\nB");

        AgentDefinition lossy = parse(AgentFileText.render(definition, AgentFileText.Detail.AS_THE_ORIGINAL));
        AgentDefinition whole = parse(AgentFileText.render(definition, AgentFileText.Detail.ALL));

        assertThat(lossy.enabled()).isTrue();
        assertThat(lossy.extSelectors()).isNull();
        assertThat(whole.enabled()).isFalse();
        assertThat(whole.extSelectors()).containsExactly("ext:a/b");
        assertThat(whole.isolated()).isFalse();
        assertThat(whole.maxTurns()).isZero();
    }

    @Test
    void disablingAndEnablingGivesTheSameText() {
        for (String text : List.of("---\na: 1\n---\nB\n", "---\r\na: 1\r\n---\r\nB\r\n", "--- \n---\n")) {
            AgentFileText.Edit disabled = AgentFileText.disable(text);

            assertThat(AgentFileText.isDisabled(disabled.content())).isTrue();
            assertThat(AgentFileText.enable(disabled.content()).content()).isEqualTo(text);
        }
    }

    @Test
    void saysThatADisabledFileWouldNotLoad() {
        AgentFileText.Edit edit = AgentFileText.disable("---\nenabled: true\n---\n");

        assertThat(AgentFileText.isDisabled(edit.content())).isFalse();
    }
}
