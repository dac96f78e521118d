package dev.sallyport.agentfile;

import dev.sallyport.containment.Budgets;
import dev.sallyport.containment.Limits;
import dev.sallyport.json.CanonicalJson;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Changes the text of agent files and writes new ones (authority.md 1.6). */
public final class AgentFileText {

    /** What disables an embedded agent. */
    public static final String STUB = "---\nenabled: false\n---\n";

    private static final Pattern FENCE = Pattern.compile("---[ \\t]*\\r?\\n?");
    private static final Pattern DISABLED = Pattern.compile("enabled:[ \\t]*false[ \\t]*\\r?\\n?");
    private static final Pattern EMPTY_STUB = Pattern.compile("---[ \\t]*\\n---");
    private static final Pattern WORDS = Pattern.compile("[A-Za-z][A-Za-z0-9_./-]*(,? [A-Za-z0-9_./-]+)*");
    private static final int MAX_PLAIN = 200;
    private static final Set<String> NOT_TEXT = Set.of("true", "false", "null");

    private AgentFileText() {}

    /** The text after an edit, and what became of it. */
    public record Edit(String content, Outcome outcome) {}

    /** What an edit did. All but the first two leave the text as it was. */
    public enum Outcome {
        DISABLED,
        ENABLED,
        ALREADY_DISABLED,
        /** There is no line to take out; the file may say it in another way. */
        NOTHING_TO_REMOVE,
        NO_FRONTMATTER
    }

    /** Whether a loaded file of this text would be disabled. */
    public static boolean isDisabled(String content) {
        try {
            return Boolean.FALSE.equals(FrontMatter.split(content).get("enabled"));
        } catch (YamlDocument.MalformedException e) {
            return false;
        }
    }

    /**
     * Adds a line that disables the agent. One that says {@code enabled: true} stays and makes the file one that does not load:
     * whoever writes it asks {@link #isDisabled} about the result first.
     */
    public static Edit disable(String content) {
        Optional<Block> block = Block.of(content);
        if (block.isEmpty()) {
            return new Edit(content, Outcome.NO_FRONTMATTER);
        }
        if (isDisabled(content)) {
            return new Edit(content, Outcome.ALREADY_DISABLED);
        }
        String first = block.get().open();
        String line = "enabled: false" + (first.endsWith("\r\n") ? "\r\n" : "\n");
        return new Edit(first + line + content.substring(first.length()), Outcome.DISABLED);
    }

    /** Takes out every line that says exactly {@code enabled: false}. */
    public static Edit enable(String content) {
        Optional<Block> block = Block.of(content);
        if (block.isEmpty()) {
            return new Edit(content, Outcome.NO_FRONTMATTER);
        }
        String kept = block.get().inside().stream()
                .filter(line -> !DISABLED.matcher(line).matches())
                .collect(Collectors.joining());
        String edited = block.get().open() + kept + block.get().rest();
        return new Edit(edited, edited.equals(content) ? Outcome.NOTHING_TO_REMOVE : Outcome.ENABLED);
    }

    /** Whether nothing is left of a file that only disabled an embedded agent: it can be deleted. */
    public static boolean isEmptyStub(String content) {
        return EMPTY_STUB.matcher(Scalars.trim(content.replace("\r\n", "\n"))).matches();
    }

    /** Front matter as an editor sees it, by its lines; the parser is less strict about the fences. */
    private record Block(String open, List<String> inside, String rest) {

        static Optional<Block> of(String content) {
            List<String> lines = lines(content);
            if (lines.isEmpty() || !FENCE.matcher(lines.getFirst()).matches()) {
                return Optional.empty();
            }
            for (int close = 1; close < lines.size(); close++) {
                if (FENCE.matcher(lines.get(close)).matches()) {
                    return Optional.of(new Block(
                            lines.getFirst(),
                            lines.subList(1, close),
                            String.join("", lines.subList(close, lines.size()))));
                }
            }
            return Optional.empty();
        }

        private static List<String> lines(String content) {
            List<String> lines = new ArrayList<>();
            int start = 0;
            while (start < content.length()) {
                int end = content.indexOf('\n', start);
                int next = end < 0 ? content.length() : end + 1;
                lines.add(content.substring(start, next));
                start = next;
            }
            return lines;
        }
    }

    /** What of a definition the original drops when it writes one. */
    public enum Detail {
        /** Everything: what is read back is the same definition. */
        ALL,
        /** Without selectors, name, enabled, sessions, and without what is false or 0: the agent may get more than it had. */
        AS_THE_ORIGINAL
    }

    /** The text of a file that defines an agent. */
    public static String render(AgentDefinition definition, Detail detail) {
        boolean all = detail == Detail.ALL;
        Map<String, @Nullable String> fields = new LinkedHashMap<>();
        Function<String, String> text = all ? AgentFileText::scalar : Function.identity();
        fields.put("name", all ? scalar(definition.name()) : null);
        fields.put(
                "description", all ? quoted(definition.description()) : CanonicalJson.write(definition.description()));
        fields.put("display_name", mapped(definition.displayName(), text));
        fields.put("color", mapped(definition.color(), all ? AgentFileText::quoted : CanonicalJson::write));
        fields.put("tools", tools(definition, all));
        fields.put("model", mapped(definition.model(), text));
        fields.put("thinking", mapped(definition.thinking(), text));
        fields.put("max_turns", turns(definition.maxTurns(), all));
        fields.put(
                "allowed_subagents",
                switch (definition.allowedSubagents()) {
                    case null -> null;
                    case SubagentPermission.All _ -> "all";
                    case SubagentPermission.Only(List<String> names) -> list(names, all);
                });
        fields.put("prompt_mode", definition.promptMode().wire());
        fields.put("extensions", inclusion(definition.extensions(), all));
        fields.put("exclude_extensions", mapped(definition.excludeExtensions(), names -> list(names, all)));
        fields.put("skills", inclusion(definition.skills(), all));
        fields.put("disallowed_tools", mapped(definition.disallowedTools(), names -> list(names, all)));
        fields.put("inherit_context", flag(definition.inheritContext(), all, true));
        fields.put("run_in_background", flag(definition.runInBackground(), true, true));
        fields.put("output_transcript", flag(definition.outputTranscript(), all, false));
        fields.put("isolated", flag(definition.isolated(), all, true));
        fields.put("memory", definition.memory());
        fields.put(
                "isolation",
                mapped(definition.isolation(), isolation -> isolation.name().toLowerCase(Locale.ROOT)));
        fields.put("persist_session", all ? flag(definition.persistSession(), true, true) : null);
        fields.put("session_dir", all ? mapped(definition.sessionDir(), AgentFileText::scalar) : null);
        fields.put("enabled", all && !definition.enabled() ? "false" : null);
        fields.put("hidden", all && definition.hidden() ? "true" : null);
        fields.put(
                "sandbox",
                definition.sandbox().equals(SandboxBlock.EMPTY) ? null : flow(sandbox(definition.sandbox())));
        fields.put(
                "budgets",
                definition.budgets().equals(Budgets.UNLIMITED)
                        ? null
                        : flow(definition.budgets().toText()));
        fields.put(
                "permission",
                definition.permission().isEmpty()
                        ? null
                        : flow(definition.permission().toJson()));
        StringBuilder file = new StringBuilder("---\n");
        fields.forEach((key, value) -> {
            if (value != null) {
                file.append(key).append(": ").append(value).append('\n');
            }
        });
        return file.append("---\n\n")
                .append(definition.systemPrompt())
                .append('\n')
                .toString();
    }

    private static <T> @Nullable String mapped(@Nullable T value, Function<T, String> write) {
        return value == null ? null : write.apply(value);
    }

    private static @Nullable String flag(@Nullable Boolean value, boolean always, boolean only) {
        return value != null && (always || value == only) ? value.toString() : null;
    }

    private static @Nullable String turns(@Nullable Double turns, boolean all) {
        if (turns == null || (!all && turns == 0)) {
            return null;
        }
        return turns.isInfinite() ? ".inf" : CanonicalJson.write(turns);
    }

    private static String tools(AgentDefinition definition, boolean all) {
        List<String> entries = new ArrayList<>();
        if (definition.tools() == null) {
            entries.add("all");
        } else {
            entries.addAll(definition.tools());
        }
        if (all && definition.extSelectors() != null) {
            entries.addAll(definition.extSelectors());
        }
        return entries.isEmpty() ? "none" : list(entries, all);
    }

    private static @Nullable String inclusion(Inclusion inclusion, boolean all) {
        return switch (inclusion) {
            case Inclusion.All _ -> null;
            case Inclusion.None _ -> "false";
            case Inclusion.Only(List<String> names) -> list(names, all);
        };
    }

    private static String list(List<String> items, boolean all) {
        String joined = String.join(", ", items);
        // Alone, the word means no list at all.
        return all ? scalar(joined.equals("none") ? "none," : joined) : joined;
    }

    private static Map<String, Object> sandbox(SandboxBlock block) {
        Map<String, Object> json = new LinkedHashMap<>();
        if (block.workspace() != null) {
            json.put("workspace", block.workspace().wire());
        }
        if (block.network() != null) {
            json.put("network", block.network().words());
        }
        if (block.credentials() != null) {
            json.put("credentials", block.credentials().names());
        }
        if (!block.limits().equals(Limits.Partial.NOTHING)) {
            json.put("limits", limits(block.limits()));
        }
        if (block.runtime() != null) {
            json.put("runtime", block.runtime().wire());
        }
        if (block.harness() != null) {
            json.put("harness", block.harness().wire());
        }
        return json;
    }

    private static Map<String, Object> limits(Limits.Partial limits) {
        Map<String, Object> json = new LinkedHashMap<>();
        if (limits.cpuMillis() != null) {
            json.put("cpu", Limits.showCpu(limits.cpuMillis()));
        }
        if (limits.memoryBytes() != null) {
            json.put("memory", Limits.showBytes(limits.memoryBytes()));
        }
        if (limits.pids() != null) {
            json.put("pids", limits.pids().toString());
        }
        if (limits.wall() != null) {
            json.put("wall", Limits.showDuration(limits.wall()));
        }
        if (limits.diskBytes() != null) {
            json.put("disk", Limits.showBytes(limits.diskBytes()));
        }
        return json;
    }

    /** In one line, keys in their order: a line that begins with a fence would end the block. */
    private static String flow(Object value) {
        return switch (value) {
            case Map<?, ?> members ->
                members.entrySet().stream()
                        .map(member -> quoted((String) member.getKey()) + ": " + flow(member.getValue()))
                        .collect(Collectors.joining(", ", "{", "}"));
            case List<?> items -> items.stream().map(AgentFileText::flow).collect(Collectors.joining(", ", "[", "]"));
            default -> quoted(value.toString());
        };
    }

    private static String scalar(String text) {
        return text.length() <= MAX_PLAIN
                        && WORDS.matcher(text).matches()
                        && !NOT_TEXT.contains(text.toLowerCase(Locale.ROOT))
                ? text
                : quoted(text);
    }

    private static String quoted(String text) {
        StringBuilder out = new StringBuilder("\"");
        text.codePoints().forEach(c -> {
            if (c == '"' || c == '\\') {
                out.append('\\').appendCodePoint(c);
            } else if ((c >= ' ' && c < 0x7f) || Character.isLetterOrDigit(c)) {
                out.appendCodePoint(c);
            } else {
                out.append("\\U%08x".formatted(c));
            }
        });
        return out.append('"').toString();
    }
}
