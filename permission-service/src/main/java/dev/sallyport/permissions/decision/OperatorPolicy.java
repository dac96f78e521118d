package dev.sallyport.permissions.decision;

import dev.sallyport.json.StrictJson;
import dev.sallyport.permission.ContainedPolicy;
import dev.sallyport.permission.HomeDirectory;
import dev.sallyport.permission.PermissionConfig;
import dev.sallyport.permission.Policy;
import dev.sallyport.permission.Rule;
import dev.sallyport.permission.Ruleset;
import dev.sallyport.permissions.PermissionProperties;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.stereotype.Component;
import tools.jackson.core.JacksonException;
import tools.jackson.core.StreamReadFeature;
import tools.jackson.core.json.JsonReadFeature;
import tools.jackson.databind.json.JsonMapper;

/**
 * What the operator allows at most: a file (permission.md 1.2, 1.3) or the shipped {@code contained} policy. Read once; a
 * file that cannot be read whole, or that orders what is not done here, keeps the service from starting.
 */
@Component
class OperatorPolicy {

    private static final Logger log = LoggerFactory.getLogger(OperatorPolicy.class);

    private static final Set<String> KEYS = Set.of("$schema", "permission");

    private static final JsonMapper WITH_COMMENTS = JsonMapper.builder()
            .enable(JsonReadFeature.ALLOW_JAVA_COMMENTS)
            .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
            .build();

    private final String origin;
    private final Ruleset rules;

    OperatorPolicy(PermissionProperties properties) {
        Path file = properties.policyFile();
        this.origin = file == null ? "contained" : String.valueOf(file.getFileName());
        PermissionConfig config = file == null ? ContainedPolicy.CONFIG : read(file);
        this.rules = Policy.rules(List.of(new Policy.Scope(Rule.Origin.GLOBAL, config)), HomeDirectory.NONE);
        log.info("operator policy: {}", origin);
    }

    /** Where its rules are written, for people. */
    String origin() {
        return origin;
    }

    Ruleset rules() {
        return rules;
    }

    private static PermissionConfig read(Path file) {
        Object value;
        try {
            value = StrictJson.parse(
                    WITH_COMMENTS.readTree(Files.readString(file)).toString());
        } catch (IOException | JacksonException | IllegalArgumentException e) {
            throw new IllegalStateException("policy %s can not be read: %s".formatted(file, e.getMessage()), e);
        }
        if (!(value instanceof Map<?, ?> members)) {
            throw new IllegalStateException("policy %s is not a JSON object".formatted(file));
        }
        Set<String> unknown = new TreeSet<>();
        members.keySet().forEach(key -> unknown.add(String.valueOf(key)));
        unknown.removeAll(KEYS);
        if (!unknown.isEmpty()) {
            throw new IllegalStateException(
                    "policy %s: not honoured here: %s (expected: only permission)".formatted(file, unknown));
        }
        PermissionConfig.Parsed parsed = PermissionConfig.parse(members.get("permission"));
        if (!parsed.problems().isEmpty()) {
            throw new IllegalStateException("policy %s: %s".formatted(file, parsed.problems()));
        }
        return parsed.config();
    }
}
