package dev.sallyport.permission;

import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The names under which policy knows one MCP call (permission.md 1.8). */
public final class McpTargets {

    private McpTargets() {}

    /** From the most exact name to the most general, for the arguments of an {@code mcp} call and the configured servers. */
    public static List<String> of(@Nullable Object arguments, List<String> servers) {
        Map<?, ?> input = arguments instanceof Map<?, ?> map ? map : Map.of();
        String tool = text(input, "tool");
        String connect = text(input, "connect");
        String describe = text(input, "describe");
        String search = text(input, "search");
        String server = text(input, "server");
        Set<String> targets = new LinkedHashSet<>();
        if (tool != null) {
            named(tool, server, servers, "mcp_call", targets);
        } else if (connect != null) {
            targets.addAll(List.of("mcp_connect_" + connect, connect, "mcp_connect"));
        } else if (describe != null) {
            named(describe, server, servers, "mcp_describe", targets);
        } else if (search != null) {
            if (server != null) {
                targets.addAll(List.of("mcp_server_" + server, server));
            }
            targets.addAll(List.of(search, "mcp_search"));
        } else if (server != null) {
            targets.addAll(List.of("mcp_server_" + server, server, "mcp_list"));
        } else {
            targets.add("mcp_status");
        }
        return List.copyOf(targets);
    }

    private static void named(
            String reference, @Nullable String server, List<String> servers, String verb, Set<String> targets) {
        int colon = reference.indexOf(':');
        String qualifier = colon < 0 ? "" : reference.substring(0, colon).strip();
        String rest = colon < 0 ? "" : reference.substring(colon + 1).strip();
        boolean qualified = !qualifier.isEmpty() && !rest.isEmpty();
        String tool = qualified ? rest : reference;
        String known = server != null ? server : qualified ? qualifier : null;
        if (known != null) {
            add(known, tool, targets);
        } else {
            servers.stream()
                    .filter(name -> tool.endsWith("_" + name) && !tool.startsWith(name + "_"))
                    .forEach(name -> add(name, tool, targets));
        }
        targets.addAll(List.of(tool, reference, verb));
    }

    private static void add(String server, String tool, Set<String> targets) {
        targets.addAll(List.of(server + "_" + tool, server + ":" + tool, server));
    }

    private static @Nullable String text(Map<?, ?> input, String name) {
        return input.get(name) instanceof String text && !text.isBlank() ? text.strip() : null;
    }
}
