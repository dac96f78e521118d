package dev.sallyport.gateway.memory;

import dev.sallyport.memory.MemoryIndex;
import dev.sallyport.text.VisibleText;
import java.nio.CharBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.Collections;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** The files of a memory: some text, little enough to be kept and shown whole, under names that are no way out of it. */
public record MemoryFiles(SortedMap<String, String> texts) {

    public static final MemoryFiles NONE = new MemoryFiles(new TreeMap<>());

    /** In bytes, names included. */
    public static final int LARGEST = 256 << 10;

    public static final int MOST = 100;

    /** In bytes: this one is part of every prompt. */
    static final int LARGEST_INDEX = 32 << 10;

    private static final int LONGEST_SHOWN = 100;
    private static final Pattern NAME =
            Pattern.compile("[A-Za-z0-9][A-Za-z0-9._-]{0,99}(?:/[A-Za-z0-9][A-Za-z0-9._-]{0,99}){0,3}");

    public MemoryFiles {
        texts = Collections.unmodifiableSortedMap(new TreeMap<>(texts));
    }

    /**
     * What a child sent.
     *
     * @throws MemoryRefusedException if it cannot be kept
     */
    public static MemoryFiles checked(Map<String, String> texts) throws MemoryRefusedException {
        MemoryFiles files = new MemoryFiles(new TreeMap<>(texts));
        if (texts.size() > MOST) {
            throw tooLarge("%d files (expected: at most %d)".formatted(texts.size(), MOST));
        }
        for (Map.Entry<String, String> file : files.texts.entrySet()) {
            requireName(file.getKey(), files);
            int bytes = bytes(file.getKey(), file.getValue());
            if (file.getKey().equals(MemoryIndex.FILE) && bytes > LARGEST_INDEX) {
                throw tooLarge("%s: %d bytes (expected: at most %d)".formatted(MemoryIndex.FILE, bytes, LARGEST_INDEX));
            }
        }
        if (files.bytes() > LARGEST) {
            throw tooLarge("%d bytes (expected: at most %d)".formatted(files.bytes(), LARGEST));
        }
        return files;
    }

    private static void requireName(String name, MemoryFiles files) throws MemoryRefusedException {
        if (!NAME.matcher(name).matches()) {
            throw new MemoryRefusedException(
                    "memory-name",
                    "file `%s` (expected: up to four names of letters, digits, . _ - that begin with a letter or digit)"
                            .formatted(VisibleText.excerpt(name, LONGEST_SHOWN)));
        }
        // Nobody could write both down again.
        for (int slash = name.indexOf('/'); slash > 0; slash = name.indexOf('/', slash + 1)) {
            if (files.texts.containsKey(name.substring(0, slash))) {
                throw new MemoryRefusedException("memory-name", "file `%s` lies in another file".formatted(name));
            }
        }
    }

    private static int bytes(String name, String text) throws MemoryRefusedException {
        if (text.indexOf('\0') >= 0) {
            throw new MemoryRefusedException("memory-not-text", "file `%s` has a NUL in it".formatted(name));
        }
        try {
            return StandardCharsets.UTF_8
                    .newEncoder()
                    .encode(CharBuffer.wrap(text))
                    .remaining();
        } catch (CharacterCodingException e) {
            throw new MemoryRefusedException("memory-not-text", "file `%s` is not UTF-8".formatted(name));
        }
    }

    private static MemoryRefusedException tooLarge(String what) {
        return new MemoryRefusedException("memory-too-large", "memory: " + what);
    }

    public @Nullable String text(String name) {
        return texts.get(name);
    }

    int bytes() {
        return texts.entrySet().stream()
                .mapToInt(file -> length(file.getKey()) + length(file.getValue()))
                .sum();
    }

    private static int length(String text) {
        return text.getBytes(StandardCharsets.UTF_8).length;
    }

    /**
     * Both changes to a third, file by file.
     *
     * @return empty if they changed the same file, each in its own way, or if together they are too large
     */
    static Optional<MemoryFiles> merged(MemoryFiles base, MemoryFiles one, MemoryFiles other) {
        SortedMap<String, String> merged = new TreeMap<>();
        TreeSet<String> names = new TreeSet<>(base.texts.keySet());
        names.addAll(one.texts.keySet());
        names.addAll(other.texts.keySet());
        for (String name : names) {
            String before = base.text(name);
            String first = one.text(name);
            String second = other.text(name);
            if (!Objects.equals(first, before) && !Objects.equals(second, before) && !Objects.equals(first, second)) {
                return Optional.empty();
            }
            String after = Objects.equals(first, before) ? second : first;
            if (after != null) {
                merged.put(name, after);
            }
        }
        try {
            return Optional.of(checked(merged));
        } catch (MemoryRefusedException e) {
            return Optional.empty();
        }
    }
}
