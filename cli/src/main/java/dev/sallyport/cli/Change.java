package dev.sallyport.cli;

import java.util.Arrays;
import java.util.Base64;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * What a child did to one file of its clone, checked as a stranger's word.
 *
 * @param segments the path, one name each; none leads out of the tree or into a repository's own files
 * @param oldSha256 of the contents that the child found, in hexadecimal; null if it added the file
 * @param content the new contents; null if it deleted the file
 */
@SuppressWarnings("ArrayRecordComponent") // written once, never compared
record Change(
        List<String> segments,
        Kind kind,
        boolean executable,
        @Nullable String oldSha256,
        byte @Nullable [] content) {

    enum Kind {
        ADDED,
        MODIFIED,
        DELETED;

        String word() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    Change {
        segments = List.copyOf(segments);
        if ((kind == Kind.ADDED) != (oldSha256 == null) || (kind == Kind.DELETED) != (content == null)) {
            throw refused(String.join("/", segments), "it is incomplete");
        }
    }

    /** @throws Failure if the change must not be written */
    static Change of(Json json) {
        String path = json.text("path");
        String mode = json.text("mode");
        if (mode.equals("120000") || mode.equals("160000")) {
            throw refused(path, mode.equals("120000") ? "it is a symbolic link" : "it is a submodule");
        }
        if (!mode.equals("100644") && !mode.equals("100755")) {
            throw refused(path, "its mode is " + mode);
        }
        List<String> segments = Arrays.asList(path.split("/", -1));
        segments.forEach(segment -> requireHarmless(path, segment));
        try {
            return new Change(
                    segments,
                    kind(path, json.text("change")),
                    mode.equals("100755"),
                    json.get("oldSha256").isNothing() ? null : json.text("oldSha256"),
                    json.get("content").isNothing() ? null : Base64.getDecoder().decode(json.text("content")));
        } catch (IllegalArgumentException e) {
            throw refused(path, "its contents are not base64");
        }
    }

    String path() {
        return String.join("/", segments);
    }

    Json toJson() {
        return Json.object("path", path(), "change", kind.word());
    }

    static Failure refused(String path, String reason) {
        return Failure.of(
                "apply-refused",
                "`%s`: %s; nothing was written".formatted(path, reason),
                "look at the child's branch and merge it with git");
    }

    private static Kind kind(String path, String word) {
        for (Kind kind : Kind.values()) {
            if (kind.word().equals(word)) {
                return kind;
            }
        }
        throw refused(path, "its change is `%s`".formatted(word));
    }

    private static void requireHarmless(String path, String segment) {
        if (segment.isEmpty() || segment.equals(".") || segment.equals("..") || segment.indexOf('\\') >= 0) {
            throw refused(path, "its path is not a plain one");
        }
        if (segment.chars().anyMatch(c -> c < 0x20 || c == 0x7f)) {
            throw refused(path, "its name has control characters");
        }
        if (isGit(segment)) {
            throw refused(path, "it would be read as part of a repository");
        }
    }

    /** Whether some file system takes the name for {@code .git}: upper case, HFS's ignored characters, NTFS's short names and streams. */
    private static boolean isGit(String segment) {
        StringBuilder kept = new StringBuilder();
        segment.codePoints()
                .takeWhile(c -> c != ':')
                .filter(c -> Character.getType(c) != Character.FORMAT)
                .forEach(kept::appendCodePoint);
        String name = kept.toString().toLowerCase(Locale.ROOT).replaceFirst("[. ]+$", "");
        return name.equals(".git") || name.matches("git~[0-9]+");
    }
}
