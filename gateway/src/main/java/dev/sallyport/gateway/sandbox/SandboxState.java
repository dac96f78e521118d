package dev.sallyport.gateway.sandbox;

/** What a backend sees of a sandbox. */
public sealed interface SandboxState {

    /** Created, not started: its creator died in between, or is about to start it. */
    record Pending() implements SandboxState {}

    record Running() implements SandboxState {}

    /** There is no way back from here. */
    sealed interface Ended extends SandboxState {}

    /**
     * The child's command is over.
     *
     * @param exitCode of the child's command; 128 + n if signal n ended it
     * @param oomKilled the kernel killed some process of the sandbox for memory; the command itself may have survived that
     */
    record Exited(int exitCode, boolean oomKilled) implements Ended {}

    /** Removed, or never there. */
    record Gone() implements Ended {}
}
