package dev.sallyport.toolscope;

import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;

/**
 * Which extensions an agent loads (authority.md 7.1).
 *
 * @param enabled false loads nothing whatever the rest says
 * @param all keeps every extension that is found
 * @param names of those to keep otherwise, in lower case
 * @param paths of entry files to load besides; their names are among {@code names}
 * @param excluded names that lose in any case, in lower case
 */
public record ExtensionFilter(
        boolean enabled, boolean all, Set<String> names, List<String> paths, Set<String> excluded) {

    public ExtensionFilter {
        names = Collections.unmodifiableSet(new LinkedHashSet<>(names));
        paths = List.copyOf(paths);
        excluded = Collections.unmodifiableSet(new LinkedHashSet<>(excluded));
    }

    public static ExtensionFilter none(Collection<String> excluded) {
        return new ExtensionFilter(false, false, Set.of(), List.of(), lower(excluded));
    }

    public static ExtensionFilter all(Collection<String> excluded) {
        return new ExtensionFilter(true, true, Set.of(), List.of(), lower(excluded));
    }

    /**
     * Keeps what a list names: {@code *} for all, a path for an entry file, anything else for a name.
     *
     * @param home what {@code ~} stands for
     * @param directory where relative paths begin
     */
    public static ExtensionFilter of(List<String> entries, Collection<String> excluded, String home, String directory) {
        boolean all = false;
        Set<String> names = new LinkedHashSet<>();
        List<String> paths = new ArrayList<>();
        for (String entry : entries) {
            if (entry.equals("*")) {
                all = true;
            } else if (isPath(entry)) {
                String path = absolute(entry, home, directory);
                paths.add(path);
                names.add(Extension.nameOf(path));
            } else if (!entry.isEmpty()) {
                names.add(entry.toLowerCase(Locale.ROOT));
            }
        }
        return new ExtensionFilter(true, all, names, paths, lower(excluded));
    }

    /** Whether an entry of {@code extensions} names a file and not an extension. */
    public static boolean isPath(String entry) {
        return entry.startsWith("~") || entry.contains("/") || entry.contains("\\");
    }

    public boolean keeps(Extension extension) {
        return enabled
                && extension.names().stream().noneMatch(excluded::contains)
                && (all || extension.names().stream().anyMatch(names::contains));
    }

    private static String absolute(String entry, String home, String directory) {
        if (entry.equals("~")) {
            return home;
        }
        if (entry.startsWith("~/") || entry.startsWith("~\\")) {
            return PosixPath.resolve(home, "./" + entry.substring(2));
        }
        return entry.startsWith("/") ? entry : PosixPath.resolve(directory, entry);
    }

    private static Set<String> lower(Collection<String> names) {
        Set<String> lower = new LinkedHashSet<>();
        names.forEach(name -> lower.add(name.toLowerCase(Locale.ROOT)));
        return lower;
    }
}
