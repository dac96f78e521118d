package dev.sallyport.permissions.child;

import static dev.sallyport.service.IllegalValueException.parse;

import dev.sallyport.containment.WorkspaceAccess;
import dev.sallyport.identity.ChildId;
import dev.sallyport.identity.SessionId;
import dev.sallyport.identity.Tenant;
import dev.sallyport.json.StrictJson;
import dev.sallyport.permission.Narrowing;
import dev.sallyport.permission.PermissionConfig;
import dev.sallyport.permissions.PermissionException;
import dev.sallyport.permissions.PermissionProblem;
import java.util.List;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.springframework.http.HttpStatus;
import org.springframework.security.access.prepost.PreAuthorize;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.PutMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.ResponseStatus;
import org.springframework.web.bind.annotation.RestController;
import tools.jackson.databind.JsonNode;

/** For the gateway alone: a child never speaks here. */
@RestController
@RequestMapping("/v1/children/{id}")
@PreAuthorize("hasRole('SERVICE')")
class ChildController {

    private final Children children;

    ChildController(Children children) {
        this.children = children;
    }

    /** @param permission the {@code permission} object of permission.md 1.3 */
    record Layer(String origin, JsonNode permission) {

        private static final int MAX_ORIGIN = 500;

        Layer {
            required("narrowing.origin", origin);
            required("narrowing.permission", permission);
            if (origin.length() > MAX_ORIGIN) {
                throw new IllegalArgumentException("narrowing.origin (expected: up to 500 characters)");
            }
        }

        Narrowing.Layer parsed() {
            PermissionConfig.Parsed parsed = PermissionConfig.parse(
                    parse(permission.toString(), StrictJson::parse), path -> origin + " " + path);
            if (!parsed.problems().isEmpty()) {
                throw new PermissionException(
                        PermissionProblem.UNREADABLE_POLICY,
                        parsed.problems().stream().map(String::valueOf).collect(Collectors.joining("; ")));
            }
            return new Narrowing.Layer(origin, parsed.config());
        }
    }

    record PutChild(
            String tenant,
            String session,
            @Nullable String parent,
            Integer incarnation,
            @Nullable String agent,
            @Nullable String definitionDigest,
            String authorityDigest,
            String workspace,
            @Nullable List<Layer> narrowing) {

        PutChild {
            required("tenant", tenant);
            required("session", session);
            required("incarnation", incarnation);
            required("authorityDigest", authorityDigest);
            required("workspace", workspace);
        }

        Child parsed(ChildId id) {
            return new Child(
                    id,
                    parse(tenant, Tenant::new),
                    parse(session, SessionId::new),
                    parent == null ? null : parse(parent, ChildId::new),
                    incarnation,
                    agent,
                    definitionDigest,
                    authorityDigest,
                    parse(workspace, WorkspaceAccess::parse),
                    narrowing == null
                            ? List.of()
                            : narrowing.stream().map(Layer::parsed).toList());
        }
    }

    record EndChild(Integer incarnation) {

        EndChild {
            required("incarnation", incarnation);
        }
    }

    private static void required(String field, @Nullable Object value) {
        if (value == null) {
            throw new IllegalArgumentException("%s (expected: a value)".formatted(field));
        }
    }

    @PutMapping
    @ResponseStatus(HttpStatus.NO_CONTENT)
    void register(@PathVariable String id, @RequestBody PutChild body) {
        children.register(body.parsed(parse(id, ChildId::new)));
    }

    @PostMapping("/end")
    @ResponseStatus(HttpStatus.NO_CONTENT)
    void end(@PathVariable String id, @RequestBody EndChild body) {
        children.end(parse(id, ChildId::new), body.incarnation());
    }
}
