package dev.sallyport.gateway.child;

import dev.sallyport.gateway.budget.Ledger;
import dev.sallyport.gateway.door.Door;
import dev.sallyport.gateway.permission.PermissionService;
import dev.sallyport.gateway.sandbox.BindSources;
import dev.sallyport.gateway.sandbox.SandboxDriver;
import java.time.Clock;
import tools.jackson.databind.json.JsonMapper;

/** What a child's life is made from. */
record Surroundings(
        SandboxDriver driver,
        Door door,
        BindSources bindSources,
        PermissionService permissions,
        Children children,
        Timeline timeline,
        Clones clones,
        Remembering remembering,
        Ledger ledger,
        Provisions provisions,
        ChildMetrics metrics,
        LifeSettings settings,
        Clock clock,
        JsonMapper json) {}
