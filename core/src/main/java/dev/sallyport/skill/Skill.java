package dev.sallyport.skill;

import dev.sallyport.json.Digests;
import java.nio.charset.StandardCharsets;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * One name of an agent file's {@code skills} and what came of it.
 *
 * @param path null unless found
 * @param content of the file, or in brackets why there is none; either goes into the prompt
 */
public record Skill(String name, Status status, @Nullable String path, String content) {

    /** What came of a name. */
    public enum Status {
        FOUND,
        MISSING,
        /** The name cannot be part of a path; nothing was looked for. */
        UNSAFE;

        public String wire() {
            return name().toLowerCase(Locale.ROOT);
        }

        public static Status parse(String word) {
            return switch (word) {
                case "found" -> FOUND;
                case "missing" -> MISSING;
                case "unsafe" -> UNSAFE;
                default ->
                    throw new IllegalArgumentException(
                            "skill status: `%s` (expected: found, missing or unsafe)".formatted(word));
            };
        }
    }

    public static Skill found(String name, String path, String content) {
        return new Skill(name, Status.FOUND, path, content);
    }

    public static Skill missing(String name) {
        return missing(name, "not found");
    }

    public static Skill missing(String name, String reason) {
        return new Skill(name, Status.MISSING, null, "[skill %s: %s]".formatted(name, reason));
    }

    public static Skill unsafe(String name) {
        return new Skill(name, Status.UNSAFE, null, "[skill %s: skipped, not a safe name]".formatted(name));
    }

    /** Why there is none; empty if there is one. */
    public String reason() {
        String before = "[skill %s: ".formatted(name);
        return status == Status.FOUND || !content.startsWith(before)
                ? ""
                : content.substring(before.length(), content.length() - 1);
    }

    /** SHA-256 of the content in lower-case hexadecimal. */
    public String digest() {
        return Digests.sha256(content.getBytes(StandardCharsets.UTF_8));
    }

    /** As it stands in a prompt. */
    public String section() {
        return "\n# Preloaded Skill: %s\n%s".formatted(name, content);
    }
}
