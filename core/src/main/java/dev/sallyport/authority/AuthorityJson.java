package dev.sallyport.authority;

import dev.sallyport.agentfile.Inclusion;
import dev.sallyport.agentfile.SubagentPermission;
import dev.sallyport.containment.Budgets;
import dev.sallyport.containment.Containment;
import dev.sallyport.containment.CredentialScope;
import dev.sallyport.containment.Harness;
import dev.sallyport.containment.Limits;
import dev.sallyport.containment.NetworkPolicy;
import dev.sallyport.containment.RuntimeClass;
import dev.sallyport.containment.WorkspaceAccess;
import dev.sallyport.json.JsonObject;
import dev.sallyport.json.StrictJson;
import dev.sallyport.model.Model;
import dev.sallyport.permission.Narrowing;
import dev.sallyport.permission.PermissionConfig;
import dev.sallyport.prompt.PromptMode;
import dev.sallyport.prompt.PromptPlan;
import dev.sallyport.provenance.Grade;
import dev.sallyport.provenance.Layer;
import dev.sallyport.provenance.Origin;
import dev.sallyport.skill.Skill;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The stored form of an authority, version 2. */
final class AuthorityJson {

    private static final String FIELDS = "fields";

    private static final long VERSION = 2;

    private AuthorityJson() {}

    static Map<String, Object> write(Authority authority) {
        Map<String, Object> json = rights(authority);
        json.put(FIELDS, authority.fields().stream().map(AuthorityJson::field).toList());
        return json;
    }

    /** Without how it came about. */
    static Map<String, Object> rights(Authority authority) {
        Map<String, Object> json = new LinkedHashMap<>();
        json.put("version", VERSION);
        json.put("agent", authority.agent());
        putIfPresent(json, "fellBackFrom", authority.fellBackFrom());
        json.put("definition", authority.definition());
        json.put("definitionDigest", authority.definitionDigest());
        json.put("prompt", prompt(authority.prompt()));
        putIfPresent(
                json,
                "model",
                authority.model() == null ? null : authority.model().toString());
        putIfPresent(json, "thinking", authority.thinking());
        putIfPresent(json, "maxTurns", authority.maxTurns());
        json.put("graceTurns", authority.graceTurns());
        json.put("inheritContext", authority.inheritContext());
        json.put("runInBackground", authority.runInBackground());
        json.put("isolated", authority.isolated());
        json.put("tools", authority.tools());
        json.put("deniedTools", authority.deniedTools());
        json.put("extensions", extensions(authority.extensions()));
        json.put("skills", inclusion(authority.skills()));
        json.put("harness", authority.harness().wire());
        json.put("containment", containment(authority.containment()));
        json.put("delegation", delegation(authority.delegation()));
        json.put("budgets", authority.budgets().toJson());
        json.put(
                "narrowing",
                authority.narrowing().stream().map(AuthorityJson::layer).toList());
        json.put("unenforced", authority.unenforced());
        return json;
    }

    private static void putIfPresent(Map<String, Object> json, String name, @Nullable Object value) {
        if (value != null) {
            json.put(name, value);
        }
    }

    private static Map<String, Object> prompt(PromptPlan prompt) {
        Map<String, Object> json = new LinkedHashMap<>();
        json.put("mode", prompt.mode().wire());
        json.put("agent", prompt.agent());
        json.put("body", prompt.body());
        putIfPresent(json, "parent", prompt.parent());
        if (!prompt.skills().isEmpty()) {
            json.put(
                    "skills", prompt.skills().stream().map(AuthorityJson::skill).toList());
        }
        return json;
    }

    private static Map<String, Object> skill(Skill skill) {
        Map<String, Object> json = new LinkedHashMap<>();
        json.put("name", skill.name());
        json.put("status", skill.status().wire());
        putIfPresent(json, "path", skill.path());
        json.put("content", skill.content());
        json.put("digest", skill.digest());
        return json;
    }

    private static Map<String, Object> containment(Containment containment) {
        Limits limits = containment.limits();
        return Map.of(
                "workspace", containment.workspace().wire(),
                "network", containment.network().words(),
                "credentials", containment.credentials().names(),
                "limits",
                        Map.of(
                                "cpuMillis", limits.cpuMillis(),
                                "memoryBytes", limits.memoryBytes(),
                                "pids", limits.pids(),
                                "wall", limits.wall().toString(),
                                "diskBytes", limits.diskBytes()),
                "runtime", containment.runtime().wire());
    }

    private static Map<String, Object> extensions(ExtensionRights rights) {
        Map<String, Object> json = new LinkedHashMap<>();
        json.put("all", rights.all());
        json.put("names", rights.names());
        json.put("paths", rights.paths());
        json.put("excluded", rights.excluded());
        putIfPresent(json, "selectors", rights.selectors());
        return json;
    }

    private static Object inclusion(Inclusion inclusion) {
        return switch (inclusion) {
            case Inclusion.All _ -> "all";
            case Inclusion.None _ -> "none";
            case Inclusion.Only(List<String> names) -> names;
        };
    }

    private static Map<String, Object> delegation(Delegation delegation) {
        return Map.of(
                "agents",
                switch (delegation.agents()) {
                    case SubagentPermission.All _ -> "all";
                    case SubagentPermission.Only(List<String> names) -> names;
                },
                "depth",
                delegation.depth(),
                "maxDepth",
                delegation.maxDepth(),
                "maxActivePerSession",
                delegation.maxActivePerSession(),
                "allowSharedWriters",
                delegation.allowSharedWriters());
    }

    private static Map<String, Object> layer(Narrowing.Layer layer) {
        // A list keeps the order of rules, which decides; a canonical JSON object would sort them.
        return Map.of("origin", layer.origin(), "permission", layer.config().toOrderedJson());
    }

    static Map<String, Object> field(Field field) {
        return Map.of(
                "field", field.name(),
                "value", field.value(),
                "grade", field.grade().wire(),
                "winner", origin(field.winner()),
                "losers",
                        field.losers().stream()
                                .map(loser -> {
                                    Map<String, Object> json = origin(loser.origin());
                                    json.put("value", loser.value());
                                    json.put("reason", loser.reason());
                                    return json;
                                })
                                .toList());
    }

    private static Map<String, Object> origin(Origin origin) {
        Map<String, Object> json = new LinkedHashMap<>();
        json.put("layer", origin.layer().wire());
        json.put("origin", origin.location());
        return json;
    }

    static Authority read(String text) {
        JsonObject json = JsonObject.of("authority", StrictJson.parse(text));
        if (json.integer("version") != VERSION) {
            throw new IllegalArgumentException("authority.version (expected: %d)".formatted(VERSION));
        }
        String model = json.optionalText("model");
        Authority authority = new Authority(
                json.text("agent"),
                json.optionalText("fellBackFrom"),
                json.text("definition"),
                json.text("definitionDigest"),
                readPrompt(json.object("prompt")),
                model == null ? null : Model.parse(model),
                json.optionalText("thinking"),
                json.optional("maxTurns") == null ? null : (Double) json.number("maxTurns"),
                Math.toIntExact(json.integer("graceTurns")),
                json.flag("inheritContext"),
                json.flag("runInBackground"),
                json.flag("isolated"),
                json.texts("tools"),
                json.texts("deniedTools"),
                readExtensions(json.object("extensions")),
                readInclusion(json),
                Harness.parse(json.text("harness")),
                readContainment(json.object("containment")),
                readDelegation(json.object("delegation")),
                readBudgets(json.object("budgets")),
                json.objects("narrowing").stream().map(AuthorityJson::readLayer).toList(),
                json.texts("unenforced"),
                json.objects(FIELDS).stream().map(AuthorityJson::readField).toList());
        json.end();
        return authority;
    }

    private static PromptPlan readPrompt(JsonObject json) {
        PromptPlan prompt = new PromptPlan(
                PromptMode.parse(json.text("mode")),
                json.text("agent"),
                json.text("body"),
                json.optionalText("parent"),
                json.optional("skills") == null
                        ? List.of()
                        : json.objects("skills").stream()
                                .map(AuthorityJson::readSkill)
                                .toList());
        json.end();
        return prompt;
    }

    private static Skill readSkill(JsonObject json) {
        Skill skill = new Skill(
                json.text("name"),
                Skill.Status.parse(json.text("status")),
                json.optionalText("path"),
                json.text("content"));
        if (!skill.digest().equals(json.text("digest"))) {
            throw new IllegalArgumentException("skill `%s` is not what its digest says".formatted(skill.name()));
        }
        json.end();
        return skill;
    }

    private static Containment readContainment(JsonObject json) {
        JsonObject limits = json.object("limits");
        Containment containment = new Containment(
                WorkspaceAccess.parse(json.text("workspace")),
                NetworkPolicy.parse(json.texts("network")),
                CredentialScope.of(json.texts("credentials")),
                new Limits(
                        Math.toIntExact(limits.integer("cpuMillis")),
                        limits.integer("memoryBytes"),
                        Math.toIntExact(limits.integer("pids")),
                        Duration.parse(limits.text("wall")),
                        limits.integer("diskBytes")),
                RuntimeClass.parse(json.text("runtime")));
        limits.end();
        json.end();
        return containment;
    }

    private static ExtensionRights readExtensions(JsonObject json) {
        ExtensionRights rights = new ExtensionRights(
                json.flag("all"),
                json.texts("names"),
                json.texts("paths"),
                json.texts("excluded"),
                json.optional("selectors") == null ? null : json.texts("selectors"));
        json.end();
        return rights;
    }

    private static Inclusion readInclusion(JsonObject json) {
        if (json.required("skills") instanceof String word) {
            return switch (word) {
                case "all" -> new Inclusion.All();
                case "none" -> new Inclusion.None();
                default -> throw new IllegalArgumentException("skills: `%s` (expected: all or none)".formatted(word));
            };
        }
        return new Inclusion.Only(json.texts("skills"));
    }

    private static Delegation readDelegation(JsonObject json) {
        Delegation delegation = new Delegation(
                "all".equals(json.required("agents"))
                        ? SubagentPermission.all()
                        : new SubagentPermission.Only(json.texts("agents")),
                Math.toIntExact(json.integer("depth")),
                Math.toIntExact(json.integer("maxDepth")),
                Math.toIntExact(json.integer("maxActivePerSession")),
                json.flag("allowSharedWriters"));
        json.end();
        return delegation;
    }

    private static Budgets readBudgets(JsonObject json) {
        Budgets budgets = Budgets.of(key -> json.optional(key) == null ? null : (Long) json.integer(key));
        json.end();
        return budgets;
    }

    private static Narrowing.Layer readLayer(JsonObject json) {
        Narrowing.Layer layer =
                new Narrowing.Layer(json.text("origin"), PermissionConfig.fromOrderedJson(json.list("permission")));
        json.end();
        return layer;
    }

    private static Field readField(JsonObject json) {
        Field field = new Field(
                json.text("field"),
                json.text("value"),
                Grade.parse(json.text("grade")),
                readOrigin(json.object("winner"), true),
                json.objects("losers").stream()
                        .map(loser -> {
                            Field.Loser read = new Field.Loser(
                                    readOrigin(loser, false), loser.text("value"), loser.text("reason"));
                            loser.end();
                            return read;
                        })
                        .toList());
        json.end();
        return field;
    }

    private static Origin readOrigin(JsonObject json, boolean alone) {
        Origin origin = new Origin(Layer.parse(json.text("layer")), json.text("origin"));
        if (alone) {
            json.end();
        }
        return origin;
    }
}
