package dev.sallyport.toolscope;

import dev.sallyport.json.StrictJson;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;

/**
 * One provider of tools.
 *
 * @param entry the path of its entry file, which tells two of the same name apart
 * @param names by which agent files know it (authority.md 7.1), in lower case, the one of its file first; never empty
 */
public record Extension(String entry, List<String> names) {

    public Extension {
        names = List.copyOf(names);
        if (names.isEmpty()) {
            throw new IllegalArgumentException("extension without a name: " + entry);
        }
    }

    /**
     * Names an extension after its file and after the package that declares it.
     *
     * @param read gives the text of a {@code package.json}, empty if there is none that can be read
     */
    public static Extension at(String entry, Function<String, Optional<String>> read) {
        List<String> names = new ArrayList<>(List.of(nameOf(entry)));
        packageName(entry, read).filter(alias -> !names.contains(alias)).ifPresent(names::add);
        return new Extension(entry, names);
    }

    /** The name that an entry file has by itself: its directory's if it is an index, else its own without {@code .ts}. */
    static String nameOf(String entry) {
        String name = PosixPath.name(entry);
        if (name.equals("index.ts") || name.equals("index.js")) {
            name = PosixPath.name(PosixPath.parent(entry));
        } else if (name.endsWith(".ts") || name.endsWith(".js")) {
            name = name.substring(0, name.length() - ".ts".length());
        }
        return name.toLowerCase(Locale.ROOT);
    }

    /** The first manifest above the entry decides, whether it declares the entry or not; none outside its module does. */
    private static Optional<String> packageName(String entry, Function<String, Optional<String>> read) {
        String directory = PosixPath.parent(entry);
        while (!PosixPath.name(directory).equals("node_modules")) {
            Optional<Map<?, ?>> manifest =
                    read.apply(PosixPath.resolve(directory, "package.json")).flatMap(Extension::parsed);
            if (manifest.isPresent()) {
                return alias(manifest.get(), directory, entry);
            }
            if (PosixPath.parent(directory).equals(directory)) {
                break;
            }
            directory = PosixPath.parent(directory);
        }
        return Optional.empty();
    }

    private static Optional<Map<?, ?>> parsed(String text) {
        try {
            return StrictJson.parse(text) instanceof Map<?, ?> manifest ? Optional.of(manifest) : Optional.empty();
        } catch (IllegalArgumentException malformed) {
            return Optional.empty();
        }
    }

    private static Optional<String> alias(Map<?, ?> manifest, String directory, String entry) {
        boolean declared = manifest.get("pi") instanceof Map<?, ?> pi
                && pi.get("extensions") instanceof List<?> entries
                && entries.stream()
                        .anyMatch(item -> item instanceof String path
                                && PosixPath.resolve(directory, path).equals(PosixPath.resolve("/", entry)));
        return declared && manifest.get("name") instanceof String name
                ? Optional.of(name.replaceFirst("^@[^/]*/", "").toLowerCase(Locale.ROOT))
                        .filter(alias -> !alias.isEmpty())
                : Optional.empty();
    }
}
