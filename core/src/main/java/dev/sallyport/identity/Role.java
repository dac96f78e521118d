package dev.sallyport.identity;

/** What a token entitles its bearer to (S23). A session's token carries {@link #SPAWN} and {@link #OBSERVE}, never more. */
public enum Role {
    /** Start, steer and cancel children of one's own sessions. */
    SPAWN,
    /** See children, asks and results of one's own sessions. */
    OBSERVE,
    /** Answer asks and hold the lease of a session. Only people have it. */
    APPROVE,
    /** Change what belongs to the installation: credentials, policy. */
    OPERATE,
    /** Read the review log of the tenant. */
    AUDIT,
    /** One service speaking to another. */
    SERVICE;

    public static Role parse(String value) {
        for (Role role : values()) {
            if (role.wire().equals(value)) {
                return role;
            }
        }
        throw new IllegalArgumentException(
                "role: `%s` (expected: spawn, observe, approve, operate, audit or service)".formatted(value));
    }

    public String wire() {
        return name().toLowerCase(java.util.Locale.ROOT);
    }
}
