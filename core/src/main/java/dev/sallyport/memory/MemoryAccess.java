package dev.sallyport.memory;

import java.util.Collection;
import java.util.List;
import java.util.Locale;

/** Whether an agent may change its memory, and with which tools (authority.md 7.3). */
public enum MemoryAccess {
    READ_WRITE,
    READ_ONLY;

    /** Who can change some file may change its memory: having {@code write} or {@code edit}, not denied, is what counts. */
    public static MemoryAccess of(Collection<String> tools, Collection<String> denied) {
        return List.of("write", "edit").stream().anyMatch(tool -> tools.contains(tool) && !denied.contains(tool))
                ? READ_WRITE
                : READ_ONLY;
    }

    /** The tools of this access that are not there yet, in order. */
    public List<String> missing(Collection<String> have) {
        List<String> needed = this == READ_WRITE ? List.of("read", "write", "edit") : List.of("read");
        return needed.stream().filter(tool -> !have.contains(tool)).toList();
    }

    public String wire() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    public static MemoryAccess parse(String word) {
        return switch (word) {
            case "read-write" -> READ_WRITE;
            case "read-only" -> READ_ONLY;
            default ->
                throw new IllegalArgumentException(
                        "memory access: `%s` (expected: read-write or read-only)".formatted(word));
        };
    }
}
