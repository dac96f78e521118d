package dev.sallyport.delegation;

import java.util.Locale;
import java.util.Set;

/** Names by which people call agents (authority.md 6.5). */
public final class Handles {

    /** The conversation itself; no agent is called that. */
    private static final String MAIN = "main";

    private static final int LONGEST = 64;

    private Handles() {}

    /** A name made of {@code [a-z0-9_-]}; never empty. */
    public static String slug(String text) {
        String slug =
                text.toLowerCase(Locale.ROOT).replaceAll("[^a-z0-9_-]+", "-").replaceAll("^-+|-+$", "");
        slug = slug.substring(0, Math.min(LONGEST, slug.length())).replaceAll("-+$", "");
        return slug.isEmpty() ? "agent" : slug;
    }

    /** The base, or with the first number from 2 that makes it free. */
    public static String assign(String base, Set<String> taken) {
        String handle = base;
        for (int n = 2; handle.equals(MAIN) || taken.contains(handle); n++) {
            handle = base + "-" + n;
        }
        return handle;
    }
}
