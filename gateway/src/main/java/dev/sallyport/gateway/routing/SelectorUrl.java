package dev.sallyport.gateway.routing;

import java.net.URI;
import java.net.URISyntaxException;

/** Where a selector listens. Never shown: not in a message, not by {@link #toString}. */
public final class SelectorUrl {

    private static final int LONGEST = 2048;
    private static final int LAST_PORT = 65_535;

    private final URI uri;

    private SelectorUrl(URI uri) {
        this.uri = uri;
    }

    /** Takes what takes, and nothing else: a complete absolute HTTPS URL with nothing secret in it. */
    public static SelectorUrl parse(String text) {
        require(text.length() <= LONGEST, "at most %d characters".formatted(LONGEST));
        require(
                text.chars()
                        .noneMatch(c ->
                                Character.isWhitespace(c) || Character.isSpaceChar(c) || Character.isISOControl(c)),
                "no white space and no control characters");
        URI uri = uri(text);
        require("https".equalsIgnoreCase(uri.getScheme()), "https");
        require(uri.getHost() != null && !uri.getHost().isEmpty(), "a host");
        require(uri.getRawUserInfo() == null, "no user and no password");
        require(uri.getRawQuery() == null, "no query");
        require(uri.getRawFragment() == null, "no fragment");
        require(uri.getPort() >= -1 && uri.getPort() != 0 && uri.getPort() <= LAST_PORT, "a port that exists");
        return new SelectorUrl(uri);
    }

    URI uri() {
        return uri;
    }

    private static URI uri(String text) {
        try {
            return new URI(text);
        } catch (URISyntaxException e) {
            // Its message quotes the text.
            throw refused("a URL");
        }
    }

    private static void require(boolean holds, String expected) {
        if (!holds) {
            throw refused(expected);
        }
    }

    private static IllegalArgumentException refused(String expected) {
        return new IllegalArgumentException("sallyport.gateway.routing.url (expected: %s)".formatted(expected));
    }

    @Override
    public String toString() {
        return "[selector]";
    }
}
