package dev.sallyport.gateway.workspace;

import org.jspecify.annotations.Nullable;

/**
 * One path that differs between two commits. A renamed file is a deleted and an added one.
 *
 * @param mode as git writes it ({@code 100644}, {@code 100755}, {@code 120000} for a link, {@code 160000} for another
 *     repository); of the old file where the change is {@link Kind#DELETED}
 * @param oldSha256 of the old contents, in hexadecimal; null where there was none and in a list without contents
 * @param content of the new file, in base64; null where there is none and in a list without contents
 */
public record ChangedFile(
        String path,
        String mode,
        Kind change,
        @Nullable String oldSha256,
        @Nullable String content) {

    public enum Kind {
        ADDED,
        MODIFIED,
        DELETED
    }
}
