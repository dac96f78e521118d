package dev.sallyport.prompt;

import dev.sallyport.text.Blanks;
import java.util.Collection;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A message that begins with {@code @handle} (authority.md 6.5).
 *
 * @param handle as written
 * @param message without white space at both ends, never empty
 */
public record Mention(String handle, String message) {

    /** The handle of the model that people talk to; never an agent's. */
    public static final String MAIN = "main";

    private static final Pattern HANDLE = Pattern.compile("@([A-Za-z0-9_-]+)");
    private static final Pattern OUTSIDE = Pattern.compile("[^a-z0-9_-]+");
    private static final Pattern EDGES = Pattern.compile("^-+|-+$");
    private static final String AGENT = "agent-";
    private static final int LONGEST_HANDLE = 64;
    private static final int LONGEST_DESCRIPTION = 40;

    /** Empty unless the text is a handle at its very start, white space, and something to say. */
    public static Optional<Mention> parse(String text) {
        Matcher handle = HANDLE.matcher(text);
        if (!handle.lookingAt() || handle.end() == text.length() || !Blanks.isBlank(text.charAt(handle.end()))) {
            return Optional.empty();
        }
        String message = Blanks.trim(text.substring(handle.end()));
        return message.isEmpty() ? Optional.empty() : Optional.of(new Mention(handle.group(1), message));
    }

    /** What {@code agent-x} is tried as after it was tried as written; empty for other handles. */
    public static Optional<String> withoutAgent(String handle) {
        return handle.startsWith(AGENT) && handle.length() > AGENT.length()
                ? Optional.of(handle.substring(AGENT.length()))
                : Optional.empty();
    }

    /** The agent type whose handle this is. */
    public static Optional<String> type(String handle, List<String> types) {
        String wanted = handle.toLowerCase(Locale.ROOT);
        return wanted.equals(MAIN)
                ? Optional.empty()
                : types.stream().filter(type -> base(type).equals(wanted)).findFirst();
    }

    /** A handle for an agent type, before it is made unique. */
    public static String base(String type) {
        String slug = OUTSIDE.matcher(type.toLowerCase(Locale.ROOT)).replaceAll("-");
        slug = EDGES.matcher(slug).replaceAll("");
        if (slug.length() > LONGEST_HANDLE) {
            // "Strip trailing hyphen" after the cut; runs of other characters have become one already.
            slug = EDGES.matcher(slug.substring(0, LONGEST_HANDLE)).replaceAll("");
        }
        return slug.isEmpty() ? "agent" : slug;
    }

    /** The base, or the first of base-2, base-3 … that nobody has. */
    public static String assign(String base, Collection<String> taken) {
        String handle = base;
        for (int n = 2; handle.equals(MAIN) || taken.contains(handle); n++) {
            handle = base + "-" + n;
        }
        return handle;
    }

    /** What a child that a mention started is called. */
    public String description() {
        return describe(message);
    }

    static String describe(String message) {
        String line = message.lines().findFirst().orElse("");
        String text = Blanks.trim(Blanks.collapse(line));
        if (text.length() <= LONGEST_DESCRIPTION) {
            return text;
        }
        int end = LONGEST_DESCRIPTION - 1;
        // Never half a character.
        end -= Character.isHighSurrogate(text.charAt(end - 1)) ? 1 : 0;
        return text.substring(0, end).stripTrailing() + "…";
    }
}
