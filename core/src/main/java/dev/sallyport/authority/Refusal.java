package dev.sallyport.authority;

import java.util.Locale;

/** Why there is no authority. The codes are API: none is ever renamed. */
public enum Refusal {
    UNKNOWN_AGENT,
    /** The agent's own file could not be used; running another one instead could be wider. */
    AGENT_FILE_INVALID,
    /** The agent is what a file of a project says that nobody trusts (P6). */
    PROJECT_UNTRUSTED,
    /** A settings file says something that cannot be used; without it the child might get more. */
    SETTINGS_INVALID,
    /** The call asks for a profile that nobody knows. */
    PROFILE_UNKNOWN,
    MODEL_UNAVAILABLE,
    MODEL_MISSING,
    /** The caller asked for a model that people do not work with (authority.md 5.7). */
    MODEL_OUT_OF_SCOPE,
    /** The caller asked for a model where a selector chooses. */
    MODEL_ROUTED,
    /** There is a cost budget, and nobody knows what this model costs (S19). */
    MODEL_UNPRICED,
    WORKSPACE_CONFLICT,
    RUNTIME_NOT_ALLOWED,
    HARNESS_CONFLICT,
    /** The operator or the parent's own rights do not let the parent start this agent. */
    DELEGATION_NOT_ALLOWED,
    /** The parent is as deep as a child may be. */
    DEPTH_EXCEEDED,
    /** The harness cannot enforce what the agent file restricts (P1). */
    UNENFORCED;

    /** {@code unknown-agent} and so on. */
    public String code() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }
}
