package dev.sallyport.authority;

import dev.sallyport.agentfile.Inclusion;
import dev.sallyport.agentfile.SubagentPermission;
import dev.sallyport.agentfile.YamlDocument;
import dev.sallyport.containment.Budgets;
import dev.sallyport.containment.CredentialScope;
import dev.sallyport.containment.Limits;
import dev.sallyport.containment.NetworkPolicy;
import dev.sallyport.containment.RuntimeClass;
import dev.sallyport.containment.WorkspaceAccess;
import dev.sallyport.model.Model;
import dev.sallyport.model.Price;
import dev.sallyport.text.Nearest;
import dev.sallyport.toolscope.BuiltinTools;
import java.math.BigDecimal;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Reads {@code sallyport.yaml}, the operator's own file: what nobody can go beyond. A word in it that means nothing stops the
 * start, because whoever wrote it believes that it holds.
 */
public final class OperatorPolicyFile {

    /** A policy larger than this is refused. */
    public static final int MAX_CHARACTERS = 65_536;

    private static final Limits DEFAULT_CEILING = limits(Limits.Partial.NOTHING);

    private final String path;
    private final YamlDocument document;

    private OperatorPolicyFile(String path, YamlDocument document) {
        this.path = path;
        this.document = document;
    }

    /** A file that cannot be honoured to the letter; the message begins with {@code path:line}. */
    public static final class MalformedPolicyException extends Exception {

        private static final long serialVersionUID = 1;

        private MalformedPolicyException(String message) {
            super(message);
        }
    }

    /** What holds where there is no file. */
    public static OperatorPolicy absent() {
        return OperatorPolicy.builder().maxLimits(DEFAULT_CEILING).build();
    }

    /** Reads the text of a policy; {@code path} is for messages and for {@code explain}. */
    public static OperatorPolicy parse(String path, String text) throws MalformedPolicyException {
        if (text.length() > MAX_CHARACTERS) {
            throw new MalformedPolicyException("%s: larger than %d characters".formatted(path, MAX_CHARACTERS));
        }
        try {
            return new OperatorPolicyFile(path, YamlDocument.parse(text, 0)).read();
        } catch (YamlDocument.MalformedException e) {
            throw new MalformedPolicyException("%s:%d: %s".formatted(path, e.line(), e.problem()));
        }
    }

    private OperatorPolicy read() throws MalformedPolicyException {
        Block file = block(
                "",
                document.value(),
                "version",
                "ceilings",
                "floors",
                "locks",
                "required",
                "delegation",
                "budgets",
                "prices",
                "defaults",
                "harness",
                "compatibility");
        Object version = file.value("version");
        if (version != null && !version.equals(1L)) {
            throw malformed("version", "version: `%s` (expected: 1)".formatted(version));
        }
        OperatorPolicy.Builder policy = OperatorPolicy.builder();
        ceilings(
                policy,
                file.block(
                        "ceilings",
                        "limits",
                        "workspace",
                        "tools",
                        "extensions",
                        "skills",
                        "hosts",
                        "credentials",
                        "models",
                        "runtimes"),
                file.block("floors", "runtime"));
        Block locks = file.block("locks", "tools", "extensions");
        policy.lockedTools(locks.words("tools", List.of())).lockedExtensions(locks.words("extensions", List.of()));
        policy.required(file.words("required", List.of()));
        delegation(
                policy,
                file.block("delegation", "maxDepth", "maxActivePerSession", "allowSharedWriters", "spawns", "grants"));
        policy.budgets(texts(file.block("budgets", Budgets.KEYS.toArray(String[]::new)), Budgets.KEYS, Budgets::parse));
        prices(policy, file.block("prices"));
        Block defaults = file.block("defaults", "model", "agent");
        policy.defaultModel(defaults.parsed("model", Model::parse)).fallbackAgent(defaults.text("agent"));
        policy.acceptUnenforced(file.block("harness", "acceptUnenforced").flag("acceptUnenforced", false));
        policy.compatibility(checked("compatibility", file.words("compatibility", List.of()), Compatibility::parse));
        Map<String, String> origins = new HashMap<>();
        document.lines().forEach((field, line) -> origins.put(field, path + ":" + line));
        return policy.origins(origins).build();
    }

    private void ceilings(OperatorPolicy.Builder policy, Block ceilings, Block floors) throws MalformedPolicyException {
        Limits.Partial limits =
                texts(ceilings.block("limits", Limits.KEYS.toArray(String[]::new)), Limits.KEYS, Limits.Partial::parse);
        policy.maxLimits(limits(limits));
        WorkspaceAccess workspace = ceilings.parsed("workspace", WorkspaceAccess::parse);
        policy.workspace(workspace == null ? WorkspaceAccess.READ_WRITE : workspace);
        List<String> tools = ceilings.wordsOrNull("tools");
        for (String tool : tools == null ? List.<String>of() : tools) {
            if (!BuiltinTools.NAMES.contains(tool)) {
                throw malformed(
                        "ceilings.tools", "unknown tool `%s` (%s)".formatted(tool, hint(tool, BuiltinTools.NAMES)));
            }
        }
        policy.tools(tools);
        List<String> extensions = ceilings.wordsOrNull("extensions");
        policy.extensions(extensions == null ? null : ExtensionRights.of(inclusion(extensions), null, null));
        List<String> skills = ceilings.wordsOrNull("skills");
        policy.skills(skills == null ? new Inclusion.All() : inclusion(skills));
        List<String> hosts = ceilings.wordsOrNull("hosts");
        policy.hosts(hosts == null ? null : checked("ceilings.hosts", hosts, NetworkPolicy::parse));
        policy.credentials(
                checked("ceilings.credentials", ceilings.words("credentials", List.of()), CredentialScope::of));
        List<String> models = ceilings.wordsOrNull("models");
        policy.models(models == null ? null : each("ceilings.models", models, Model::parse));
        List<RuntimeClass> runtimes =
                each("ceilings.runtimes", ceilings.words("runtimes", List.of("runc")), RuntimeClass::parse);
        RuntimeClass weakest = floors.parsed("runtime", RuntimeClass::parse);
        if (weakest != null) {
            runtimes = runtimes.stream()
                    .filter(runtime -> runtime.atLeastAsStrictAs(weakest))
                    .toList();
        }
        if (runtimes.isEmpty()) {
            throw malformed(
                    weakest == null ? "ceilings.runtimes" : "floors.runtime",
                    "no runtime is left (expected: at least one in ceilings.runtimes)");
        }
        policy.runtimes(runtimes);
    }

    private static Limits limits(Limits.Partial partial) {
        return new Limits(
                partial.cpuMillis() == null ? 4000 : partial.cpuMillis(),
                partial.memoryBytes() == null ? 8L << 30 : partial.memoryBytes(),
                partial.pids() == null ? 1024 : partial.pids(),
                partial.wall() == null ? Duration.ofHours(4) : partial.wall(),
                partial.diskBytes() == null ? 10L << 30 : partial.diskBytes());
    }

    private static Inclusion inclusion(List<String> names) {
        return names.isEmpty() ? new Inclusion.None() : new Inclusion.Only(names);
    }

    private void delegation(OperatorPolicy.Builder policy, Block delegation) throws MalformedPolicyException {
        policy.delegation(new Delegation(
                SubagentPermission.all(),
                0,
                delegation.count("maxDepth", 0, 16, Delegation.DEFAULT_MAX_DEPTH),
                delegation.count("maxActivePerSession", 1, 1024, Delegation.DEFAULT_MAX_ACTIVE),
                delegation.flag("allowSharedWriters", false)));
        Map<String, SubagentPermission> spawns = new LinkedHashMap<>();
        Block who = delegation.block("spawns");
        for (String parent : who.members().keySet()) {
            List<String> names = who.words(parent, List.of());
            spawns.put(
                    parent,
                    names.equals(List.of("all")) ? SubagentPermission.all() : new SubagentPermission.Only(names));
        }
        policy.spawns(spawns);
        List<OperatorPolicy.Grant> grants = new ArrayList<>();
        Block parents = delegation.block("grants");
        for (String parent : parents.members().keySet()) {
            Block children = parents.block(parent);
            for (String child : children.members().keySet()) {
                Block grant = children.block(child, "tools", "workspace");
                grants.add(new OperatorPolicy.Grant(
                        parent,
                        child,
                        grant.words("tools", List.of()),
                        grant.parsed("workspace", WorkspaceAccess::parse)));
            }
        }
        policy.grants(grants);
    }

    private void prices(OperatorPolicy.Builder policy, Block models) throws MalformedPolicyException {
        Map<Model, Price> prices = new LinkedHashMap<>();
        for (String name : models.members().keySet()) {
            String at = child("prices", name);
            Model model = checked(at, name, Model::parse);
            Block price = models.block(name, Price.KEYS.toArray(String[]::new));
            for (String kind : Price.KEYS) {
                if (price.value(kind) == null) {
                    throw malformed(at, "%s: no %s (expected: %s)".formatted(at, kind, String.join(", ", Price.KEYS)));
                }
            }
            Map<String, String> words = texts(price, Price.KEYS, some -> {
                some.values().forEach(Price::parse);
                return some;
            });
            prices.put(model, Price.of(words));
        }
        policy.prices(prices);
    }

    /** A map of the file. Without known keys, any name is one. */
    private Block block(String at, @Nullable Object value, String... known) throws MalformedPolicyException {
        if (value == null) {
            return new Block(at, Map.of());
        }
        if (!(value instanceof Map<?, ?> members)) {
            throw malformed(at, "%s (expected: a map)".formatted(at.isEmpty() ? "the file" : at));
        }
        Map<String, @Nullable Object> named = new LinkedHashMap<>();
        for (Map.Entry<?, ?> member : members.entrySet()) {
            String key = (String) member.getKey();
            if (known.length > 0 && !Arrays.asList(known).contains(key)) {
                throw malformed(
                        child(at, key),
                        "unknown field `%s`%s (%s)"
                                .formatted(key, at.isEmpty() ? "" : " in " + at, hint(key, List.of(known))));
            }
            named.put(key, member.getValue());
        }
        return new Block(at, named);
    }

    private static String hint(String word, List<String> known) {
        return Nearest.to(word, known)
                .map("nearest: `%s`"::formatted)
                .orElseGet(() -> "expected: " + String.join(", ", known));
    }

    private static String child(String at, String key) {
        return at.isEmpty() ? key : at + "." + key;
    }

    private final class Block {

        private final String at;
        private final Map<String, @Nullable Object> members;

        Block(String at, Map<String, @Nullable Object> members) {
            this.at = at;
            this.members = members;
        }

        Map<String, @Nullable Object> members() {
            return members;
        }

        @Nullable Object value(String key) {
            return members.get(key);
        }

        Block block(String key, String... known) throws MalformedPolicyException {
            return OperatorPolicyFile.this.block(child(at, key), value(key), known);
        }

        @Nullable String text(String key) throws MalformedPolicyException {
            Object value = value(key);
            if (value == null || value instanceof String) {
                return (String) value;
            }
            throw malformed(child(at, key), "%s: `%s` (expected: a word)".formatted(child(at, key), value));
        }

        <T> @Nullable T parsed(String key, Function<String, T> parse) throws MalformedPolicyException {
            String text = text(key);
            return text == null ? null : checked(child(at, key), text, parse);
        }

        boolean flag(String key, boolean fallback) throws MalformedPolicyException {
            Object value = value(key);
            if (value == null) {
                return fallback;
            }
            if (value instanceof Boolean flag) {
                return flag;
            }
            throw malformed(child(at, key), "%s: `%s` (expected: true or false)".formatted(child(at, key), value));
        }

        int count(String key, int min, int max, int fallback) throws MalformedPolicyException {
            Object value = value(key);
            if (value == null) {
                return fallback;
            }
            if (value instanceof Long number && number >= min && number <= max) {
                return (int) (long) number;
            }
            throw malformed(child(at, key), "%s: `%s` (expected: %d to %d)".formatted(child(at, key), value, min, max));
        }

        List<String> words(String key, List<String> fallback) throws MalformedPolicyException {
            List<String> words = wordsOrNull(key);
            return words == null ? fallback : words;
        }

        /** A list of words or one word; {@code none} is an empty list. Absent and {@code null} are not the same (T63). */
        @Nullable List<String> wordsOrNull(String key) throws MalformedPolicyException {
            if (!members.containsKey(key)) {
                return null;
            }
            Object value = value(key);
            List<String> words = new ArrayList<>();
            for (Object item : value instanceof List<?> items ? items : Collections.singletonList(value)) {
                if (!(item instanceof String word) || word.isBlank()) {
                    throw malformed(
                            child(at, key), "%s (expected: a list of words, or none)".formatted(child(at, key)));
                }
                words.add(word);
            }
            return words.equals(List.of("none")) ? List.of() : words;
        }
    }

    private <T> T texts(Block block, List<String> keys, Function<Map<String, String>, T> parse)
            throws MalformedPolicyException {
        Map<String, String> all = new LinkedHashMap<>();
        for (String key : keys) {
            if (!block.members().containsKey(key)) {
                continue;
            }
            Object value = block.value(key);
            boolean isNumber = value instanceof Long || (value instanceof Double number && Double.isFinite(number));
            if (!(value instanceof String || isNumber)) {
                throw malformed(child(block.at, key), "%s (expected: a word or a number)".formatted(key));
            }
            String text =
                    value instanceof Double number ? BigDecimal.valueOf(number).toPlainString() : String.valueOf(value);
            // Each alone, so that a mistake is reported on its own line.
            checked(child(block.at, key), Map.of(key, text), parse);
            all.put(key, text);
        }
        return parse.apply(all);
    }

    private <T> List<T> each(String at, List<String> words, Function<String, T> parse) throws MalformedPolicyException {
        List<T> values = new ArrayList<>();
        for (String word : words) {
            values.add(checked(at, word, parse));
        }
        return values;
    }

    private <S, T> T checked(String at, S value, Function<S, T> parse) throws MalformedPolicyException {
        try {
            return parse.apply(value);
        } catch (IllegalArgumentException e) {
            throw malformed(at, String.valueOf(e.getMessage()));
        }
    }

    private MalformedPolicyException malformed(String at, String problem) {
        Integer line = document.lines().get(at);
        return new MalformedPolicyException("%s%s: %s".formatted(path, line == null ? "" : ":" + line, problem));
    }
}
