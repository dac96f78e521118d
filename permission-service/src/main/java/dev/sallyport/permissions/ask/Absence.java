package dev.sallyport.permissions.ask;

import java.util.Locale;

/** Why nobody drains a session (DESIGN 6). Told apart in log, metrics and review; a child hears one sentence for all. */
enum Absence {
    /** Nobody ever held a lease of the session. */
    NO_LEASE,
    /** Who held it released it. */
    HOLDER_GONE,
    /** Who held it stopped refreshing it. */
    STALE,
    /** Who is there drains another session. */
    OTHER_SESSION,
    /** Not an absence of people: the child has asked too much already (T82e). */
    TOO_MANY_ASKS;

    String wire() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    static Absence parse(String wire) {
        return valueOf(wire.toUpperCase(Locale.ROOT).replace('-', '_'));
    }
}
