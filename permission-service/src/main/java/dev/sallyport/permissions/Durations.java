package dev.sallyport.permissions;

import java.time.Duration;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.convert.DurationStyle;

/** Reads durations as people write them: {@code PT15M} or {@code 15m}. A bare number has no unit and is refused. */
public final class Durations {

    private Durations() {}

    /**
     * Reads one duration.
     *
     * @throws IllegalArgumentException with words for the caller
     */
    public static Duration parse(String text) {
        try {
            if (!text.isEmpty() && !Character.isDigit(text.charAt(text.length() - 1))) {
                return DurationStyle.detectAndParse(text);
            }
        } catch (IllegalArgumentException | ArithmeticException e) {
            throw unreadable(text, e);
        }
        throw unreadable(text, null);
    }

    /** How long a request may be held. */
    public static Duration parseWait(String text) {
        Duration wait = parse(text);
        if (wait.isNegative() || wait.compareTo(Duration.ofSeconds(60)) > 0) {
            throw new IllegalArgumentException("wait: `%s` (expected: 0s to 60s)".formatted(text));
        }
        return wait;
    }

    private static IllegalArgumentException unreadable(String text, @Nullable Exception cause) {
        return new IllegalArgumentException("duration: `%s` (expected: such as 15m or PT15M)".formatted(text), cause);
    }
}
