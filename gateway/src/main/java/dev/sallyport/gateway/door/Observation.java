package dev.sallyport.gateway.door;

import dev.sallyport.identity.CallId;

/** What the door saw a child do. Names come from the child: cut to a bound, never trusted. */
public sealed interface Observation {

    /**
     * One connection asked for.
     *
     * @param target host and port as one canonical name, or what the child sent if that has none
     * @param reason machine-readable, {@code listed} when allowed
     */
    record Egress(String target, boolean allowed, String reason) implements Observation {}

    /** A model call that was not forwarded, or not answered. */
    record ModelRefused(String provider, String code, String detail) implements Observation {}

    /** The script of a scripted model has no turn left; nothing more will come of this child. */
    record ModelScriptExhausted(String script, int turns) implements Observation {}

    /** What the child wants to be remembered is too much to be looked at. */
    record MemoryRefused(String code, String detail) implements Observation {}

    /** A tool call that nobody was asked about, because the tool is not in the child's live scope. */
    record OutOfScope(CallId callId, String tool) implements Observation {}
}
