package dev.sallyport.containment;

import java.net.IDN;
import java.util.Comparator;
import java.util.Locale;
import java.util.regex.Pattern;

/**
 * One host and port in the only form used to match, log and dial (T01 to T03): ASCII, lower case, no trailing dot.
 *
 * <p>IP addresses are refused in every notation: a rule names hosts, and an address would pass by every check of names.
 */
public record HostPort(String host, int port) implements Comparable<HostPort> {

    public static final int DEFAULT_PORT = 443;

    private static final int MAX_NAME = 253;
    private static final Pattern LABEL = Pattern.compile("[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?");
    private static final Pattern PORT = Pattern.compile("[0-9]{1,5}");
    // What the last label of an IPv4 address can look like, in any of the notations that inet_aton takes.
    private static final Pattern NUMBER = Pattern.compile("[0-9]+|0x[0-9a-f]*");
    private static final Comparator<HostPort> ORDER =
            Comparator.comparing(HostPort::host).thenComparingInt(HostPort::port);

    /** Refuses a {@code host} that is not in canonical form. */
    public HostPort {
        if (!host.equals(canonical(host))) {
            throw refused(host, "not in canonical form");
        }
        if (port < 1 || port > 65535) {
            throw new IllegalArgumentException("port: %d (expected: 1 to 65535)".formatted(port));
        }
    }

    /**
     * Reads {@code host} or {@code host:port}.
     *
     * @throws IllegalArgumentException for an IP address, a wildcard, a control character or anything else that is not one
     *     exact host
     */
    public static HostPort parse(String text) {
        return parse(text, DEFAULT_PORT);
    }

    public static HostPort parse(String text, int defaultPort) {
        if (text.startsWith("[")) {
            throw refused(text, "an IP address; name the host");
        }
        int colon = text.indexOf(':');
        if (colon < 0) {
            return new HostPort(canonical(text), defaultPort);
        }
        String port = text.substring(colon + 1);
        if (!PORT.matcher(port).matches()) {
            throw refused(text, "expected: host or host:port");
        }
        return new HostPort(canonical(text.substring(0, colon)), Integer.parseInt(port));
    }

    private static String canonical(String host) {
        if (host.contains("*")) {
            throw refused(host, "a wildcard; name each host");
        }
        String ascii;
        try {
            ascii = IDN.toASCII(host, IDN.USE_STD3_ASCII_RULES).toLowerCase(Locale.ROOT);
        } catch (IllegalArgumentException | IndexOutOfBoundsException e) {
            // The JDK's IDN throws both for what is not a name; its messages repeat the input unescaped.
            throw refused(host, "not a host name");
        }
        if (ascii.endsWith(".")) {
            ascii = ascii.substring(0, ascii.length() - 1);
        }
        String[] labels = ascii.split("\\.", -1);
        for (String label : labels) {
            if (!LABEL.matcher(label).matches()) {
                throw refused(host, "not a host name");
            }
        }
        if (ascii.length() > MAX_NAME) {
            throw refused(host, "longer than 253 characters");
        }
        if (NUMBER.matcher(labels[labels.length - 1]).matches()) {
            throw refused(host, "an IP address; name the host");
        }
        return ascii;
    }

    private static IllegalArgumentException refused(String host, String why) {
        return new IllegalArgumentException("host: `%s` (%s)".formatted(host, why));
    }

    @Override
    public int compareTo(HostPort other) {
        return ORDER.compare(this, other);
    }

    /** {@code host:port}, always with the port. */
    @Override
    public String toString() {
        return host + ":" + port;
    }
}
