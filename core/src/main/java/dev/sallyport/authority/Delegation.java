package dev.sallyport.authority;

import dev.sallyport.agentfile.SubagentPermission;

/**
 * Whom a child may start, and how many. Always worked out here, never taken from a request: a depth, a parent or a session
 * that somebody writes into one changes nothing.
 *
 * @param agents whom this child may ask for
 * @param depth of this child: 1 for one that a session starts
 * @param maxDepth the deepest that any child of this tree may be
 * @param maxActivePerSession children of one session that run at a time, at least 1
 * @param allowSharedWriters whether several children may write to one directory at the same time
 */
public record Delegation(
        SubagentPermission agents, int depth, int maxDepth, int maxActivePerSession, boolean allowSharedWriters) {

    public static final int DEFAULT_MAX_DEPTH = 2;

    /** The original's pool (authority.md 11.2). */
    public static final int DEFAULT_MAX_ACTIVE = 10;

    /** What nobody narrowed: everybody, down to {@value #DEFAULT_MAX_DEPTH}. */
    public static final Delegation CEILING =
            new Delegation(SubagentPermission.all(), 0, DEFAULT_MAX_DEPTH, DEFAULT_MAX_ACTIVE, false);

    public Delegation {
        agents = agents.sorted();
        if (depth < 0 || maxDepth < 0) {
            throw new IllegalArgumentException("depth: %d of %d (expected: >= 0)".formatted(depth, maxDepth));
        }
        if (maxActivePerSession < 1) {
            throw new IllegalArgumentException(
                    "maxActivePerSession: %d (expected: >= 1)".formatted(maxActivePerSession));
        }
    }

    /** Whether this child gets the delegation tools at all (authority.md 7.4). */
    public boolean mayDelegate() {
        return depth < maxDepth && !agents.isNone();
    }

    /** Whether this child may start that agent. */
    public boolean mayStart(String agent) {
        return mayDelegate() && agents.allows(agent);
    }

    /** Whether nothing here goes beyond {@code ceiling}; a child's depth is not a right. */
    public boolean atMost(Delegation ceiling) {
        return agents.atMost(ceiling.agents)
                && maxDepth <= ceiling.maxDepth
                && maxActivePerSession <= ceiling.maxActivePerSession
                && (!allowSharedWriters || ceiling.allowSharedWriters);
    }
}
