package dev.sallyport.permissions.ask;

import dev.sallyport.permissions.review.ReviewLog.Call;
import org.jspecify.annotations.Nullable;

/**
 * What a person is asked. All of it stands before anybody answers and never changes.
 *
 * @param tool {@code network} for a connection
 * @param arguments canonical JSON, exactly what was hashed
 * @param directory as the child claims it
 * @param message for people: one line, nothing hidden in it
 * @param note what an approval does not cover (S26)
 */
public record Question(
        Call call,
        @Nullable String agent,
        String tool,
        String surface,
        String value,
        String arguments,
        @Nullable String directory,
        @Nullable String matchedPattern,
        String origin,
        String message,
        @Nullable String note) {}
