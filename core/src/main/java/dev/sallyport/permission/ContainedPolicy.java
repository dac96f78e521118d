package dev.sallyport.permission;

import java.util.LinkedHashMap;
import java.util.Map;

/** The policy that is shipped (P22): what the container holds anyway is allowed, what leaves it is asked about. */
public final class ContainedPolicy {

    public static final PermissionConfig CONFIG = config();

    private ContainedPolicy() {}

    private static PermissionConfig config() {
        Map<String, PermissionConfig.Surface> surfaces = new LinkedHashMap<>();
        surfaces.put("*", new PermissionConfig.Surface.Uniform(PermissionState.ASK));
        for (String tool : new String[] {"read", "bash", "edit", "write", "grep", "find", "ls"}) {
            surfaces.put(tool, new PermissionConfig.Surface.Uniform(PermissionState.ALLOW));
        }
        for (String way : new String[] {"network", "credential", "delegation", "bind_mount"}) {
            surfaces.put(way, new PermissionConfig.Surface.Uniform(PermissionState.ASK));
        }
        return new PermissionConfig(surfaces);
    }
}
