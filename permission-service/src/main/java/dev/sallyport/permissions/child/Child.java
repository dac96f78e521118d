package dev.sallyport.permissions.child;

import dev.sallyport.containment.WorkspaceAccess;
import dev.sallyport.identity.ChildId;
import dev.sallyport.identity.SessionId;
import dev.sallyport.identity.Tenant;
import dev.sallyport.permission.Narrowing;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * One incarnation of a child, as its gateway registered it. Nothing of it changes while it lives.
 *
 * @param narrowing policies that may only make a decision stricter (S2)
 */
public record Child(
        ChildId id,
        Tenant tenant,
        SessionId session,
        @Nullable ChildId parent,
        int incarnation,
        @Nullable String agent,
        @Nullable String definitionDigest,
        String authorityDigest,
        WorkspaceAccess workspace,
        List<Narrowing.Layer> narrowing) {

    public Child {
        narrowing = List.copyOf(narrowing);
    }
}
