package dev.sallyport.toolscope;

import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The built-in tools that an agent may use, in the order of {@link BuiltinTools#NAMES}.
 *
 * @param unknown names that the agent file asks for and that nobody has, as written
 * @param denied tools that it asks for and denies itself ({@code disallowed_tools} wins)
 * @param withheld tools that it asks for and its parent does not have
 */
public record GrantedTools(List<String> tools, List<String> unknown, List<String> denied, List<String> withheld) {

    public GrantedTools {
        tools = List.copyOf(tools);
        unknown = List.copyOf(unknown);
        denied = List.copyOf(denied);
        withheld = List.copyOf(withheld);
    }

    /** The scope of an agent file; null asks for all, denies none, or has no parent. */
    public static GrantedTools of(
            @Nullable List<String> asked, @Nullable List<String> disallowed, @Nullable List<String> parent) {
        Set<String> names = new LinkedHashSet<>(asked == null ? BuiltinTools.NAMES : asked);
        List<String> unknown = names.stream()
                .filter(name -> !BuiltinTools.NAMES.contains(name))
                .toList();
        List<String> tools = new ArrayList<>();
        List<String> denied = new ArrayList<>();
        List<String> withheld = new ArrayList<>();
        for (String tool : BuiltinTools.NAMES) {
            if (!names.contains(tool)) {
                continue;
            }
            if (disallowed != null && disallowed.contains(tool)) {
                denied.add(tool);
            } else if (parent != null && !parent.contains(tool)) {
                withheld.add(tool);
            } else {
                tools.add(tool);
            }
        }
        return new GrantedTools(tools, unknown, denied, withheld);
    }
}
