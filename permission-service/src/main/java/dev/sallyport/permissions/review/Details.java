package dev.sallyport.permissions.review;

import dev.sallyport.text.VisibleText;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * What a review entry says beyond its columns: one line each, at most 1000 characters, nothing that moves a cursor, and
 * no secret that can be told by its shape.
 */
public record Details(Map<String, String> fields) {

    private static final int MAX_LENGTH = 1000;

    private static final String HIDDEN = "[redacted]";

    // By shape only: a secret that looks like any other word is not recognised, and SECURITY.md says so.
    private static final Pattern SECRET = Pattern.compile("(?i)(?<=bearer )[a-z0-9._~+/=-]{8,}"
            + "|(?<=basic )[a-z0-9+/=]{8,}"
            + "|(?<=(?:password|passwd|secret|token|api[_-]?key|access[_-]?key)[=:] ?)[^\\s'\"&;|]+"
            + "|(?<=://)[^\\s/@:]+:[^\\s/@]+(?=@)"
            + "|\\bsk-[a-z0-9_-]{16,}"
            + "|\\bgh[oprsu]_[a-z0-9]{20,}"
            + "|\\bgithub_pat_[a-z0-9_]{20,}"
            + "|\\bxox[abeoprs]-[a-z0-9-]{10,}"
            + "|\\bakia[0-9a-z]{16}\\b"
            + "|\\beyj[a-z0-9_-]{8,}\\.[a-z0-9_-]{8,}\\.[a-z0-9_-]*");

    public Details {
        fields = Collections.unmodifiableMap(new LinkedHashMap<>(fields));
    }

    public static Details none() {
        return new Details(Map.of());
    }

    /** These details and one more; an absent value adds nothing. */
    public Details with(String name, @Nullable String value) {
        if (value == null) {
            return this;
        }
        Map<String, String> more = new LinkedHashMap<>(fields);
        more.put(name, shown(value));
        return new Details(more);
    }

    static String shown(String value) {
        // Cut before looking for secrets too, so that a long value cannot buy time; the margin keeps a secret whole.
        String head = value.substring(0, Math.min(value.length(), 4 * MAX_LENGTH));
        String line = VisibleText.line(SECRET.matcher(head).replaceAll(HIDDEN));
        return line.length() <= MAX_LENGTH && head.length() == value.length()
                ? line
                : line.substring(0, Math.min(line.length(), MAX_LENGTH))
                        + "… (%d characters)".formatted(value.length());
    }
}
