package dev.sallyport.toolscope;

import java.nio.charset.StandardCharsets;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** Lines of any bytes as selectors, as names of extensions and as the tools that these register. */
public final class SelectorsFuzz {

    private SelectorsFuzz() {}

    /** Called by Jazzer and by {@link dev.sallyport.fuzz.FuzzTest}. */
    public static void fuzzerTestOneInput(byte[] input) {
        List<String> lines = new String(input, StandardCharsets.UTF_8).lines().toList();
        Selectors selectors = Selectors.parse(lines);
        ExtensionFilter filter =
                ExtensionFilter.of(lines, lines.stream().limit(1).toList(), "/home/a", "/w");
        ToolRules rules = new ToolRules(
                lines,
                Set.of("bash"),
                List.of(new ToolRules.Rights(filter, selectors)),
                false,
                EnumSet.noneOf(ToolRules.Quirk.class));
        ToolScope scope = new ToolScope(rules);
        // Few of many, so that an input is work in proportion to its size; no file system has longer paths.
        for (String line : lines.subList(0, Math.min(lines.size(), 20))) {
            Extension extension =
                    Extension.at(line.substring(0, Math.min(line.length(), 4_096)), _ -> Optional.of(lines.getLast()));
            scope.load(extension, lines);
            scope.register(extension, line);
            scope.turnEnded();
        }
        for (String tool : scope.visible()) {
            boolean admitted =
                    scope.provider(tool).map(by -> selectors.admit(by, tool)).orElse(true);
            if (!scope.permits(tool) || tool.equals("bash") || !admitted) {
                throw new AssertionError("shown and not permitted, or permitted and not selected: " + tool);
            }
        }
    }
}
