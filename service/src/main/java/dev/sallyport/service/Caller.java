package dev.sallyport.service;

import dev.sallyport.identity.Role;
import dev.sallyport.identity.Tenant;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.stream.Collectors;
import org.springframework.security.oauth2.jwt.Jwt;

/**
 * Who is calling, as their token says. A controller takes it as an argument.
 *
 * @param principal the token's subject, stable for one session or one person
 * @param roles never empty
 */
public record Caller(String principal, Tenant tenant, Kind kind, Set<Role> roles) {

    static final String TENANT_CLAIM = "tenant";
    static final String KIND_CLAIM = "kind";
    static final String ROLES_CLAIM = "roles";

    /** What stands behind a token. S23: a session is itself an agent, so it can never approve. */
    public enum Kind {
        SESSION,
        PERSON,
        SERVICE;

        String wire() {
            return name().toLowerCase(Locale.ROOT);
        }

        boolean mayHave(Role role) {
            return switch (this) {
                case SESSION -> role == Role.SPAWN || role == Role.OBSERVE;
                case PERSON -> role != Role.SERVICE;
                case SERVICE -> role == Role.SERVICE;
            };
        }
    }

    /** Refuses roles that the kind can never have, so that no issuer hands an approver's role to an agent by mistake. */
    public Caller {
        roles = Set.copyOf(EnumSet.copyOf(roles));
        for (Role role : roles) {
            if (!kind.mayHave(role)) {
                throw new IllegalArgumentException("a %s can not have the role %s".formatted(kind.wire(), role.wire()));
            }
        }
        if (principal.isBlank()) {
            throw new IllegalArgumentException("a token without a subject");
        }
    }

    public boolean has(Role role) {
        return roles.contains(role);
    }

    /** @throws IllegalArgumentException for a token that lacks a claim or carries one we do not know: it is refused whole */
    static Caller of(Jwt token) {
        List<String> roles = token.getClaimAsStringList(ROLES_CLAIM);
        String tenant = token.getClaimAsString(TENANT_CLAIM);
        String kind = token.getClaimAsString(KIND_CLAIM);
        String subject = token.getSubject();
        if (roles == null || roles.isEmpty() || tenant == null || kind == null || subject == null) {
            throw new IllegalArgumentException("a token needs sub, tenant, kind and roles");
        }
        return new Caller(
                subject,
                new Tenant(tenant),
                Kind.valueOf(kind.toUpperCase(Locale.ROOT)),
                roles.stream().map(Role::parse).collect(Collectors.toSet()));
    }
}
