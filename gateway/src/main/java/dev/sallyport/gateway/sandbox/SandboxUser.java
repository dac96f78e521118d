package dev.sallyport.gateway.sandbox;

/** Whom a child runs as (S7). Neither number is ever 0: a user without a group of its own would get root's. */
public record SandboxUser(int uid, int gid) {

    public SandboxUser {
        if (uid < 1 || gid < 1) {
            throw new IllegalArgumentException("user: %d:%d (expected: neither is 0)".formatted(uid, gid));
        }
    }

    @Override
    public String toString() {
        return uid + ":" + gid;
    }
}
