package dev.sallyport.agentfile;

/** What an agent file says about a private copy of the repository. */
public enum Isolation {
    WORKTREE,
    /** A veto: outranks a caller's wish. */
    OFF
}
